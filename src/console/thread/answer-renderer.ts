import { Renderer, type Tokens } from "marked";

/** Renders an answer as HTML, with differences to ordinary Markdown. The result must still be sanitised. */
export class AnswerRenderer extends Renderer {
  readonly #level: number;

  /** @param level of a heading on the page, whatever depth it was written with */
  constructor(level = 0) {
    super();
    this.#level = level;
  }

  /** A block of code with its language and a copy button; `app.ts` copies. */
  override code({ text, lang }: Tokens.Code): string {
    const language = /^[\w+#.-]{1,30}/.exec(lang ?? "")?.[0] ?? "";
    const head = `<div class="code-head"><span>${escapeHtml(language || "text")}</span><button type="button" class="quiet-button" data-copy="code">Copy</button></div>`;
    return `<div class="code-block">${head}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;
  }

  /** HTML is shown as text, except the line breaks that models put into table cells. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escapeHtml(text);
  }

  /** A heading within a quote or a list is not part of the outline, and gets the lowest level. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = this.#level === 0 ? 6 : this.#level;
    return `<h${level} class="level-${depth}">${this.parser.parseInline(tokens)}</h${level}>`;
  }

  /** An external picture becomes a link, since loading it would tell its server who reads the answer and when. */
  override image({ href, text }: Tokens.Image): string {
    const label = escapeHtml(text || "picture");
    if (isOwnPath(href) || /^data:image\/(png|jpeg|gif|webp);base64,/.test(href))
      return `<img src="${escapeHtml(href)}" alt="${label}" loading="lazy">`;
    return `<a class="picture-link" href="${escapeHtml(href)}">Picture: ${label}</a>`;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return `<span class="checkbox" role="img" aria-label="${checked ? "done" : "open"}">${checked ? "☑" : "☐"}</span> `;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table-scroll" tabindex="0">${super.table(token)}</div>`;
  }
}

/** The page itself uses the first two levels of headings. */
const firstLevel = 3;

/** Returns the levels of a text's headings in order: each is at most one level below the one before, whatever was written. */
export function headingLevels(): (depth: number) => number {
  const open: number[] = [];
  return (depth) => {
    while (open.length > 0 && (open.at(-1) ?? 0) >= depth) open.pop();
    open.push(depth);
    return Math.min(6, firstLevel + open.length - 1);
  };
}

/** A placeholder for the console's own origin, which no answer can name. */
const ownAddress = "http://console.invalid/";

/** Whether a browser resolves the address to a path of the console itself. Browsers drop tabs and read a backslash as a slash. */
function isOwnPath(href: string): boolean {
  return href.startsWith("/") && URL.parse(href, ownAddress)?.origin === new URL(ownAddress).origin;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
