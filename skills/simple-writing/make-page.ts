/** A page and a mail of the same text. HTML within the text is escaped. */
import { fileNameOf } from "../../src/base/file-kind.ts";
import type { Picture, Writing } from "./document.ts";
import type { Block, Inline, ListItem } from "./markdown-blocks.ts";

const style =
  "body{font:16px/1.55 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}img{max-width:100%}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem}th{background:#eceff3}pre{background:#f3f4f6;padding:.8rem;overflow:auto}blockquote{border-left:3px solid #bbb;margin-left:0;padding-left:1rem;color:#444}.notes{font-size:.875em;color:#444;border-top:1px solid #ccc}";

/** The address of a picture; undefined if the picture is omitted. */
type Source = (path: string) => string | undefined;

/** A self-contained page with embedded pictures. */
export function makePage(writing: Writing): string {
  const { pictures } = writing;
  const source: Source = (path) => {
    const picture = pictures.get(path);
    return picture && `data:${mediaType(picture)};base64,${Buffer.from(picture.data).toString("base64")}`;
  };
  const title = writing.isTitleAbove ? `<h1>${escaped(writing.title)}</h1>\n` : "";
  return page(writing, title + bodyOf(writing, source));
}

/** A draft that mail programs open for a person to send: Outlook and Thunderbird recognise it by `X-Unsent`. */
export async function makeMail(writing: Writing, to: readonly string[], plain: string): Promise<Uint8Array> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer/index.js");
  const shown = new Map([...writing.pictures.keys()].map((path, at) => [path, `picture-${at + 1}@knack`]));
  const source: Source = (path) => (shown.has(path) ? `cid:${shown.get(path)}` : undefined);
  const composer = new MailComposer({
    to: [...to],
    subject: writing.title.replace(/\s+/g, " "),
    text: plain.replace(/!\[([^[\]]{0,300})\]\([^()]{0,1000}\)/g, "[$1]"),
    html: page(writing, bodyOf(writing, source)),
    attachments: [...writing.pictures].map(([path, picture]) => ({
      cid: shown.get(path) ?? "",
      filename: fileNameOf(path),
      contentType: mediaType(picture),
      content: Buffer.from(picture.data),
    })),
    date: new Date(writing.now),
    headers: { "X-Unsent": "1" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return await new Promise<Buffer>((resolve, reject) =>
    composer.compile().build((error, built) => (error === null ? resolve(built) : reject(error))),
  );
}

function mediaType({ kind }: Picture): string {
  return kind === "png" ? "image/png" : "image/jpeg";
}

function page({ title, language = "en" }: Writing, body: string): string {
  const head = `<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${escaped(title)}</title>\n<style>${style}</style>`;
  return `<!doctype html>\n<html lang="${escaped(language)}">\n${head}\n<body dir="auto">\n${body}</body>\n</html>\n`;
}

function bodyOf({ text: { blocks, footnotes } }: Writing, source: Source): string {
  const notes = footnotes
    .map((note, at) => `<li id="note-${at + 1}">${wordsOf(note, source)}</li>`)
    .join("\n");
  const below = notes === "" ? "" : `<ol class="notes">\n${notes}\n</ol>\n`;
  return blocks.map((block) => blockOf(block, source)).join("") + below;
}

function blockOf(block: Block, source: Source): string {
  switch (block.kind) {
    case "heading":
      return `<h${block.level} dir="auto">${wordsOf(block.inlines, source)}</h${block.level}>\n`;
    case "paragraph":
      return `<p dir="auto">${wordsOf(block.inlines, source)}</p>\n`;
    case "list": {
      const items = block.items.map((item) => itemOf(item, source)).join("");
      if (!block.ordered) return `<ul>\n${items}</ul>\n`;
      return `<ol${block.start === 1 ? "" : ` start="${block.start}"`}>\n${items}</ol>\n`;
    }
    case "table": {
      const row = (cells: readonly Inline[][], name: "th" | "td") =>
        `<tr>${cells.map((cell, at) => `<${name} style="text-align:${block.align[at] ?? "left"}">${wordsOf(cell, source)}</${name}>`).join("")}</tr>\n`;
      const rows = block.rows.map((cells) => row(cells, "td")).join("");
      return `<table>\n<thead>${row(block.header, "th")}</thead>\n<tbody>${rows}</tbody>\n</table>\n`;
    }
    case "code":
      return `<pre><code>${escaped(block.text)}</code></pre>\n`;
    case "quote":
      return `<blockquote>\n${block.blocks.map((inner) => blockOf(inner, source)).join("")}</blockquote>\n`;
    case "rule":
      return "<hr>\n";
  }
}

function itemOf({ checked, blocks }: ListItem, source: Source): string {
  const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
  const [only, ...others] = blocks;
  const inner =
    only?.kind === "paragraph" && others.every(({ kind }) => kind === "list")
      ? wordsOf(only.inlines, source) + others.map((block) => blockOf(block, source)).join("")
      : blocks.map((block) => blockOf(block, source)).join("");
  return `<li dir="auto">${box}${inner}</li>\n`;
}

function wordsOf(inlines: readonly Inline[], source: Source): string {
  return inlines.map((inline) => inlineOf(inline, source)).join("");
}

function inlineOf(inline: Inline, source: Source): string {
  if (inline.kind === "break") return "<br>\n";
  if (inline.kind === "note") return `<sup><a href="#note-${inline.number}">${inline.number}</a></sup>`;
  if (inline.kind === "picture") {
    const address = source(inline.path);
    const alt = escaped(inline.alt);
    return address === undefined
      ? `<em>[${alt || "picture"}]</em>`
      : `<img src="${escaped(address)}" alt="${alt}">`;
  }
  const marks = [
    ...(inline.code ? ["code"] : []),
    ...(inline.strike ? ["s"] : []),
    ...(inline.italic ? ["em"] : []),
    ...(inline.bold ? ["strong"] : []),
  ];
  const words = marks.reduce((text, mark) => `<${mark}>${text}</${mark}>`, escaped(inline.text));
  return inline.href === undefined ? words : `<a href="${escaped(inline.href)}">${words}</a>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
