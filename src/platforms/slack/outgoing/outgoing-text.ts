import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { beginningOf } from "../../../base/markdown-text.ts";

/** Characters of Slack's markdown block, and of `markdown_text` in one call. */
export const markdownCharacters = 12_000;

/** Never shown, but breaks a mention in two. */
const invisible = "\u200b";

/** Of channels, of groups, and of people by their id. The id is caught where there is one. */
const mention =
  /<(?=!(?:channel|here|everyone|group)|!subteam\^([A-Z0-9]+)|@([UW](?=[A-Z]*\d)[A-Z0-9]{4,})[>|])|@(?=(?:channel|here|everyone)\b)/gi;

/** How a mention of a group is written in the app: `<@&S0ONCALL>`. */
const groupMention = /<@&(S[A-Z0-9]{3,30})>/g;

/** What calls a person or a user group, in Slack's markup. */
function mentionOf(id: string): string {
  return id.startsWith("S") ? `<!subteam^${id}>` : `<@${id}>`;
}

/** A text that calls nobody but those with these ids, in code as well. */
export function withoutMentions(markdown: string, calls: readonly string[] = []): string {
  return markdown
    .replace(groupMention, "<!subteam^$1>")
    .replace(mention, (start, group?: string, person?: string) =>
      calls.includes(group ?? person ?? "") ? start : start + invisible,
    );
}

/** Mentions of those whom a text calls and `sent`, which Slack has got of it already, does not. */
export function mentionsMissing(sent: string, markdown: string, calls: readonly string[] = []): string[] {
  const whole = withoutMentions(markdown, calls);
  return calls.map(mentionOf).filter((mention) => whole.includes(mention) && !sent.includes(mention));
}

/** What notifications and screen readers get instead of the blocks: plain words, at most 1,000 characters. */
export function fallbackText(markdown: string, calls: readonly string[] = []): string {
  const text = escapedText(plainWords(markdown), calls);
  return text.length > 1_000 ? `${beginningOf(text, 999)}…` : text;
}

/** A text as Slack's `text` takes it: it calls nobody but those with these ids, and nothing in it is a link or a date of Slack's. */
export function escapedText(text: string, calls: readonly string[] = []): string {
  const escaped = withoutMentions(text, calls)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return escaped.replace(/&lt;(@|!subteam\^)([A-Z0-9]+)&gt;/g, (whole, sign: string, id: string) =>
    calls.includes(id) ? `<${sign}${id}>` : whole,
  );
}

/** What makes a link: a scheme, a label with its address, a name with a dot. */
const link = /:(?=\/\/)|\](?=\()|(?<=[\p{L}\p{N}-])\.(?=\p{L}{2})/gu;

/** A text whose addresses are no links. It looks the same. */
function withoutLinks(markdown: string): string {
  return markdown.replace(link, (start) => start + invisible);
}

/** What a mention or a link may go on from in the next piece. */
const unfinished = /(?:<[!@]?&?|@|\])?[\p{L}\p{N}_.:/^-]{0,200}$/u;

export interface PieceFilter {
  /** @param calls whom the text may call, by id */
  push(piece: string, calls?: readonly string[]): string;
  end(calls?: readonly string[]): string;
  /** Whether links were taken out so far. */
  readonly tookLinks: boolean;
}

/**
 * Neutralises a text that comes in pieces: it calls nobody and has no links. What is cut in two by the pieces is caught as well. Slack's
 * streams cannot be told not to preview links, which would fetch an address that a model wrote.
 */
export function createPieceFilter(): PieceFilter {
  let held = "";
  let tookLinks = false;
  const clean = (text: string, calls: readonly string[] | undefined) => {
    const linkless = withoutLinks(text);
    tookLinks ||= linkless !== text;
    return withoutMentions(linkless, calls);
  };
  return {
    get tookLinks() {
      return tookLinks;
    },
    push(piece, calls) {
      const text = held + piece;
      held = unfinished.exec(text.slice(-210))?.[0] ?? "";
      return clean(text.slice(0, text.length - held.length), calls);
    },
    end(calls) {
      const rest = clean(held, calls);
      held = "";
      return rest;
    },
  };
}
