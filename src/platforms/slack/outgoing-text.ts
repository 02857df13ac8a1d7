import { plainWords } from "../../app/chat/present/read-markdown.ts";

/** Characters of Slack's markdown block, and of `markdown_text` in one call. */
export const markdownCharacters = 12_000;

/** Never shown, but breaks a mention in two. */
const invisible = "\u200b";

/**
 * Of channels, of groups, and of people by their id. The bot itself never mentions by id, and a model reads names: such a text was
 * slipped in by somebody.
 */
const mention =
  /<(?=!(?:channel|here|everyone|group|subteam\^)|@[UW](?=[A-Z]*\d)[A-Z0-9]{4,}[>|])|@(?=(?:channel|here|everyone)\b)/gi;

/** A text that calls nobody, in code as well. */
export function withoutMentions(markdown: string): string {
  return markdown.replace(mention, (start) => start + invisible);
}

/** What notifications and screen readers get instead of the blocks: plain words, at most 1,000 characters. */
export function fallbackText(markdown: string): string {
  const text = escapedText(plainWords(markdown));
  return text.length > 1_000 ? `${wholeCharacters(text, 999)}…` : text;
}

/** A text as Slack's `text` takes it: it calls nobody, and nothing in it is a link or a date of Slack's. */
export function escapedText(text: string): string {
  return withoutMentions(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The first `length` characters, without half of an emoji at the end. */
export function wholeCharacters(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** What makes a link: a scheme, a label with its address, a name with a dot. */
const link = /:(?=\/\/)|\](?=\()|(?<=[\p{L}\p{N}-])\.(?=\p{L}{2})/gu;

/** A text whose addresses are no links. It looks the same. */
function withoutLinks(markdown: string): string {
  return markdown.replace(link, (start) => start + invisible);
}

/** What a mention or a link may go on from in the next piece. */
const unfinished = /(?:<[!@]?|@|\])?[\p{L}\p{N}_.:/-]{0,200}$/u;

export interface PieceFilter {
  push(piece: string): string;
  end(): string;
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
  const clean = (text: string) => {
    const linkless = withoutLinks(text);
    tookLinks ||= linkless !== text;
    return withoutMentions(linkless);
  };
  return {
    get tookLinks() {
      return tookLinks;
    },
    push(piece) {
      const text = held + piece;
      held = unfinished.exec(text.slice(-210))?.[0] ?? "";
      return clean(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = clean(held);
      held = "";
      return rest;
    },
  };
}
