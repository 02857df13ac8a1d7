import { plainWords } from "../../../app/chat/present/read-markdown.ts";
import { beginningOf } from "../../../base/markdown-text.ts";
import { pattern } from "../../../base/pattern.ts";
import { invisible } from "../../../base/text/invisible-text.ts";

/** Maximum characters of Slack's markdown block, and of `markdown_text` in one request. */
export const markdownCharacters = 12_000;

/** An invisible character that breaks a mention or a link. */
const separator = "\u200b";

/** Mentions of channels, of groups, and of people by id; captures the id. */
const mention =
  /<(?=!(?:channel|here|everyone|group)|!subteam\^([A-Z0-9]+)|@([UW](?=[A-Z]*\d)[A-Z0-9]{4,})[>|])|@(?=(?:channel|here|everyone)\b)/gi;

/** How a mention of a group is written in the app: `<@&S0ONCALL>`. */
const groupMention = /<@&(S[A-Z0-9]{3,30})>/g;

/** The mention of a person or a user group in Slack's markup. */
function mentionOf(id: string): string {
  return id.startsWith("S") ? `<!subteam^${id}>` : `<@${id}>`;
}

/** The text without mentions, except of these ids; mentions in code are disabled as well. */
export function withoutMentions(markdown: string, calls: readonly string[] = []): string {
  return markdown
    .replace(groupMention, "<!subteam^$1>")
    .replace(mention, (start, group?: string, person?: string) =>
      calls.includes(group ?? person ?? "") ? start : start + separator,
    );
}

/** The mentions of a text that are missing in `sent`, the part Slack already has. */
export function mentionsMissing(sent: string, markdown: string, calls: readonly string[] = []): string[] {
  const whole = withoutMentions(markdown, calls);
  return calls.map(mentionOf).filter((mention) => whole.includes(mention) && !sent.includes(mention));
}

/** The text for notifications and screen readers, in place of the blocks: plain, at most 1,000 characters. */
export function fallbackText(markdown: string, calls: readonly string[] = []): string {
  const text = escapedText(plainWords(markdown), calls);
  return text.length > 1_000 ? `${beginningOf(text, 999)}…` : text;
}

/** A text escaped for Slack's `text` field: it mentions only these ids, and contains no links or dates of Slack's markup. */
export function escapedText(text: string, calls: readonly string[] = []): string {
  const escaped = withoutMentions(text, calls)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
  return escaped.replace(/&lt;(@|!subteam\^)([A-Z0-9]+)&gt;/g, (whole, sign: string, id: string) =>
    calls.includes(id) ? `<${sign}${id}>` : whole,
  );
}

/** Invisible characters, marks and escapes, which may be inside a link. */
const unseen = pattern("gv")`[[\\\p{M}${invisible}]--\n]`;

/** Characters around a sign that are looked at. */
const around = 400;

/** Signs that make a link, and what has to follow: an address in angle brackets, a scheme, a label with its address or its definition. */
const signs: Readonly<Record<string, RegExp>> = {
  "<": /^[\w.+-]+[:@]/,
  ":": /^\/\//,
  "]": /^[(:]/,
  ".": /^\p{L}\p{L}/u,
};

/** Characters as they are written in HTML, by name or number: each may be one of these signs. */
const written = /(?<!@)&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});?/gi;

/** The text without links. It looks the same. */
function withoutLinks(text: string): string {
  const markdown = text.replace(written, (sign) => sign + separator);
  return markdown.replace(/[<:\].]/g, (sign, at: number) => {
    const after = markdown.slice(at + 1, at + around).replace(unseen, "");
    const before = () => markdown.slice(Math.max(0, at - around), at).replace(unseen, "");
    const isLink = signs[sign]?.test(after) === true && (sign !== "." || /[\p{L}\p{N}-]$/u.test(before()));
    return isLink ? sign + separator : sign;
  });
}

/** The end of a piece that the next piece may continue to a mention or a link. */
const unfinished = pattern("v")`(?:<[!@]?&?|@|\])?[[\p{L}\p{N}\p{M}_.:\/\\&#;\^+\-${invisible}]--\n]{0,200}$`;

/**
 * Disables mentions and links in a text that comes in pieces, including those split between pieces. Link previews cannot be
 * turned off in Slack's streams, and a preview would fetch an address that a model wrote. Links in code are disabled too: what is code is
 * for Slack's own parser to say.
 */
export class PieceFilter {
  /** Whether a link was disabled so far. */
  tookLinks = false;
  #held = "";

  /** @param calls ids that the text may mention */
  push(piece: string, calls?: readonly string[]): string {
    const text = this.#held + piece;
    this.#held = unfinished.exec(text.slice(-210))?.[0] ?? "";
    return this.#clean(text.slice(0, text.length - this.#held.length), calls);
  }

  end(calls?: readonly string[]): string {
    const rest = this.#clean(this.#held, calls);
    this.#held = "";
    return rest;
  }

  #clean(text: string, calls: readonly string[] | undefined): string {
    const linkless = withoutLinks(text);
    this.tookLinks ||= linkless !== text;
    return withoutMentions(linkless, calls);
  }
}
