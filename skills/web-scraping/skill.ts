import { z } from "zod";
import { searchText } from "../../src/base/text/search-text.ts";
import { WebError, type WebErrorCode, type WebPage } from "../../src/core/ports/web.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { partEnd } from "../../src/core/values/cut.ts";
import { objectOf } from "../../src/core/values/json.ts";
import { pageAddress, validAddresses } from "./page-address.ts";

/** Default and maximum characters of a part; the default is about 2,000 tokens of English. */
const usualPart = 8_000;
const maxPart = 12_000;
/** Maximum characters of passages shown for a search. */
const passagesLength = 5_000;

export const skill = defineSkill({
  name: "web_read",
  title: "Reading a web page",
  effect: "read_only",
  addresses: (input) => validAddresses(String(objectOf(input).url)),
  finds: "links",
  open: ["search", "offset", "max_length"],
  parameters: z.object({
    url: z.string().min(1).describe("https:// is added when missing"),
    search: z
      .string()
      .trim()
      .max(500)
      .optional()
      .describe("only the passages around these words; a|b: either; for long pages"),
    offset: z.number().int().min(0).default(0).describe("characters to skip, as the last part says"),
    max_length: z.number().int().min(200).max(maxPart).default(usualPart).describe("characters"),
  }),
  output: z.string(),
  async run({ url, search, offset, max_length }, context) {
    const address = pageAddress(url);
    context.progress(`Reading ${new URL(address).host}`);
    const page = await fetchedPage(address, max_length, context);
    if (offset > 0 && offset >= page.text.length) {
      throw new SkillFailure("past_the_end", `The page ends at character ${page.text.length}.`);
    }
    const shown = search ? passages(page, search, offset, max_length) : part(page, offset, max_length);
    // The title is untrusted, like the text that follows.
    return [`Untrusted text of a web page: “${oneLine(page.title)}”`, page.url, shown].join("\n");
  },
});

function part({ text, length }: WebPage, from: number, maxLength: number): string {
  const end = pagePartEnd(text, from, maxLength);
  const more =
    end < text.length
      ? `Call again with offset: ${end} for the next part, or with search: words for the passages around them.`
      : "This is its end.";
  const where =
    from === 0 && end === text.length
      ? `All of it: ${length} characters.`
      : `Characters ${from} to ${end} of ${length}. ${more}`;
  return `${where}\n\n${text.slice(from, end)}`;
}

/** The passages a search finds; the part of the page that begins at `from` when there are none. */
function passages(page: WebPage, search: string, from: number, maxLength: number): string {
  const found = searchText(page.text, search, { from, characters: passagesLength, context: 2 });
  if (found.total === 0) {
    const where = from === 0 ? "on it" : `behind character ${from}`;
    return `The words are not ${where}. ${part(page, from, maxLength)}`;
  }
  const note = found.note === undefined ? "" : ` ${found.note}`;
  const more = found.next_offset === undefined ? "" : ` The next ones: offset ${found.next_offset}.`;
  return `${found.shown} of ${found.total} passages with the words.${note}${more}\n\n${found.passages}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

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

/** Maximum pages kept for a turn, and the key they are stored under. */
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
 * A page, fetched once per turn. Pages that are read in parts are kept for the rest of the turn, in one value that the next turn
 * replaces.
 * @throws SkillFailure with a hint, if the page cannot be read or has no text
 */
async function fetchedPage(address: string, partLength: number, context: PageContext): Promise<WebPage> {
  const kept = await keptPage(address, context);
  if (kept !== undefined) return kept;
  const page = await context.step("fetch", () => fetchPage(address, context));
  if (page.text === "") {
    throw new SkillFailure(
      "empty_page",
      `${new URL(page.url).host} returned a page without text. Its text may be built by scripts in the browser.`,
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

/**
 * Maximum estimated tokens of a part: below the default limit of 4,000 for a tool output, so that parts are not cut again.
 */
const maxTokens = 3_400;

/** The end of a part that begins at `from`: at most `length` characters and the maximum tokens. */
function pagePartEnd(text: string, from: number, length: number): number {
  let tokens = 0;
  let at = from;
  while (at < text.length && at < from + length && tokens < maxTokens) {
    tokens += tokensOf(text.charCodeAt(at));
    at += 1;
  }
  return partEnd(text, from, at - from);
}

/** Estimated tokens of a character, rather too high: letters are combined into words, other characters rarely are. */
function tokensOf(code: number): number {
  if (code >= 0x2e80) return 1;
  const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32;
  return isLetter ? 0.27 : 0.85;
}
