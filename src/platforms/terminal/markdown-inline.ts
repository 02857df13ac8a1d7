import type { Token, Tokens } from "marked";
import type { Paint } from "./paint.ts";

/** The text of inline Markdown with styles. A link shows its address, because a terminal cannot be trusted to. */
export function renderInline(tokens: readonly Token[] | undefined, paint: Paint): string {
  return (tokens ?? []).map((token) => renderToken(token, paint)).join("");
}

function renderToken(token: Token, paint: Paint): string {
  switch (token.type) {
    case "strong":
      return paint.bold(renderInline(token.tokens, paint));
    case "em":
      return paint.italic(renderInline(token.tokens, paint));
    case "del":
      return paint.strike(renderInline(token.tokens, paint));
    case "codespan":
      return paint.code(String(token.text));
    case "br":
      return "\n";
    case "link":
      return renderLink(token as Tokens.Link, paint);
    case "image":
      return `[${String(token.text) || "image"}] (${paint.link(String(token.href))})`;
    case "text":
    case "paragraph":
      return token.tokens === undefined ? decode(String(token.text)) : renderInline(token.tokens, paint);
    case "escape":
      return decode(String(token.text));
    default:
      return token.raw;
  }
}

function renderLink({ href, tokens, text }: Tokens.Link, paint: Paint): string {
  const label = renderInline(tokens, paint);
  const same = text === href || `mailto:${text}` === href;
  return same ? paint.link(text) : `${label} (${paint.link(href)})`;
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " ",
};

function decode(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}
