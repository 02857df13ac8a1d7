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

/** Neutralises a text that comes in pieces: a mention cut in two by the pieces is caught as well. */
export function createPieceFilter(): { push(piece: string): string; end(): string } {
  let held = "";
  return {
    push(piece) {
      const text = held + piece;
      held = /(?:<(?:!\w{0,9}|@\w{0,20})?|@\w{0,9})$/.exec(text)?.[0] ?? "";
      return withoutMentions(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = withoutMentions(held);
      held = "";
      return rest;
    },
  };
}
