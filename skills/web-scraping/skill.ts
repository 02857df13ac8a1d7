import { z } from "zod";
import { searchText } from "../../src/core/effects/search-text.ts";
import type { WebPage } from "../../src/core/ports/web.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { type Json, objectOf } from "../../src/core/values/json.ts";
import { fetchedPage } from "./fetched-page.ts";
import { pageAddress } from "./page-address.ts";
import { pagePartEnd } from "./page-part.ts";

/** Characters of a part; of English text about 2,000 tokens. */
const usualPart = 8_000;
const maxPart = 12_000;
/** Characters of passages that a search shows. */
const passagesLength = 5_000;

export const skill = defineSkill({
  title: "Reading a web page",
  effect: "read_only",
  addresses: (input) => addressIn(input),
  finds: "links",
  open: ["search", "offset", "max_length"],
  parameters: z.object({
    url: z.string().min(1).describe("https:// is added when missing"),
    search: z
      .string()
      .trim()
      .max(500)
      .optional()
      .describe("show only the passages around these words; a|b: either"),
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
    // The title is the page's own word, as is all that follows.
    return [`Untrusted text of a web page: “${oneLine(page.title)}”`, page.url, shown].join("\n");
  },
});

/** None where it is no web address, which the call itself says. */
function addressIn(input: Json): string[] {
  const { url } = objectOf(input);
  try {
    return [pageAddress(String(url))];
  } catch (error) {
    if (error instanceof SkillFailure) return [];
    throw error;
  }
}

function part({ text, length }: WebPage, from: number, longest: number): string {
  const end = pagePartEnd(text, from, longest);
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
function passages(page: WebPage, search: string, from: number, longest: number): string {
  const found = searchText(page.text, search, { from, characters: passagesLength, context: 2 });
  if (found.total === 0) {
    const where = from === 0 ? "on it" : `behind character ${from}`;
    return `The words are not ${where}. ${part(page, from, longest)}`;
  }
  const note = found.note === undefined ? "" : ` ${found.note}`;
  const more = found.next_offset === undefined ? "" : ` The next ones: offset ${found.next_offset}.`;
  return `${found.shown} of ${found.total} passages with the words.${note}${more}\n\n${found.passages}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}
