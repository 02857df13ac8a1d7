import { z } from "zod";
import { WebError, type WebErrorCode, type WebPage } from "../../src/core/ports/web.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";

const hints: Record<WebErrorCode, string> = {
  invalid_url: "Give the full address of one page, e.g. https://example.com/page.",
  address_refused:
    "Do not try other spellings of the address. Tell the person that the operator can allow the host.",
  unreachable: "Check the address, try once more, then use another source.",
  timed_out: "Try once more, then use another source.",
  too_large:
    "Look for a smaller page with the same content. A file can be read when somebody attaches it here.",
  too_many_redirects: "Use the address the page ends at.",
  redirect_refused:
    "Tell where it leads. If that page is needed, call again with its address: the person is then asked.",
  unsupported_content:
    "Look for an HTML or plain text version. A document can be read when somebody attaches it here.",
  http_error:
    "404: look for its new address. 401, 403: it needs a login or refuses bots; use another source.",
};

/** Pages of a turn that are kept, and where. */
const maxKept = 4;
const keptKey = "pages";

const keptSchema = z.object({
  turn_id: z.string(),
  pages: z.array(
    z.object({
      address: z.string(),
      page: z.object({ url: z.string(), title: z.string(), text: z.string(), length: z.number() }),
    }),
  ),
});

type PageContext = Pick<ToolContext, "step" | "web" | "signal" | "store" | "turn_id">;

/**
 * A page, fetched once in a turn. Pages that are read in parts are kept for the rest of the turn, in one value that the next turn
 * replaces.
 * @throws SkillFailure with a hint, when it cannot be read or has no text
 */
export async function fetchedPage(
  address: string,
  partLength: number,
  context: PageContext,
): Promise<WebPage> {
  const kept = await keptPage(address, context);
  if (kept !== undefined) return kept;
  const page = await context.step("fetch", () => fetchPage(address, context));
  if (page.text === "") {
    throw new SkillFailure(
      "empty_page",
      `${new URL(page.url).host} answered a page without text. It may be built by scripts in the browser.`,
      "Use another source, or another page of the site.",
    );
  }
  if (page.text.length > partLength) await keep(address, page, context);
  return page;
}

async function fetchPage(address: string, { web, signal }: PageContext) {
  try {
    const { url, title, text, length } = await web.read(address, { signal });
    return { url, title, text, length };
  } catch (error) {
    if (error instanceof WebError) throw new SkillFailure(error.code, error.message, hints[error.code]);
    throw error;
  }
}

async function keptPage(address: string, { store, turn_id }: PageContext): Promise<WebPage | undefined> {
  const kept = keptSchema.safeParse(await store.get(keptKey)).data;
  if (kept?.turn_id !== turn_id) return undefined;
  return kept.pages.find((each) => each.address === address)?.page;
}

async function keep(address: string, page: WebPage, { store, turn_id }: PageContext): Promise<void> {
  await store.update(keptKey, (value) => {
    const kept = keptSchema.safeParse(value).data;
    const others = kept?.turn_id === turn_id ? kept.pages : [];
    return { turn_id, pages: [...others, { address, page: { ...page } }].slice(-maxKept) };
  });
}
