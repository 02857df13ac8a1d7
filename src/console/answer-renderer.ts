import { Renderer, type Tokens } from "marked";

/** HTML of an answer: what differs from the ordinary rendering of Markdown. The result is still to be sanitised. */
export class AnswerRenderer extends Renderer {
  /** A block of code with its language and a copy button; see copying.ts. */
  override code({ text, lang }: Tokens.Code): string {
    const language = /^[\w+#.-]{1,30}/.exec(lang ?? "")?.[0] ?? "";
    const head = `<div class="code-head"><span>${escapeHtml(language || "text")}</span><button type="button" class="quiet-button" data-copy="code">Copy</button></div>`;
    return `<div class="code-block">${head}<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;
  }

  /** HTML is text to be read here, except the line breaks models put into table cells. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return /^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escapeHtml(text);
  }

  /** The page has its own first two levels. */
  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(6, depth + 2);
    return `<h${level} class="level-${depth}">${this.parser.parseInline(tokens)}</h${level}>`;
  }

  /** A picture from elsewhere would tell its server who reads this, and when: it becomes a link. */
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

/** Stands for the console, wherever it is: no answer can name it. */
const ownAddress = "http://console.invalid/";

/** Whether a browser takes it for a path of the console itself. Browsers drop tabs and read a backslash as a slash. */
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
