import { markdownOf } from "../../html/readable-page.ts";
import { drawnText, unreadParts } from "./office-parts.ts";
import { openParts, storedArchive } from "./open-zip.ts";
import { BoundedText, type OpenedDocument, type ReadDocument } from "./opened-document.ts";

const read = /^word\/(?:document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/;

/** A .docx file as Markdown with its comments, followed by its headers and footers. Nothing outside the file is opened. */
export async function readWord(document: OpenedDocument): Promise<ReadDocument> {
  const zip = await openParts(document);
  const files = await zip.files((name) => name.endsWith(".xml") || name.endsWith(".rels"));
  const archive = await storedArchive(files);
  const { default: mammoth } = await import("mammoth");
  const { value: html } = await mammoth.convertToHtml(
    { buffer: Buffer.from(archive.buffer) },
    {
      externalFileAccess: false,
      includeEmbeddedStyleMap: false,
      styleMap: ["comment-reference => sup"],
      transformDocument: withAuthors,
      convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    },
  );
  const text = new BoundedText(document.limits.textCharacters);
  text.line(await markdownOf(html));
  const part = (name: string) => files.get(`word/${name}.xml`)?.toString("utf8") ?? "";
  const margins = [...files.keys()].map((name) => /^word\/((header|footer)\d*)\.xml$/.exec(name) ?? []);
  const lines = new Set<string>();
  for (const [, name = "", kind = ""] of margins) {
    const words = (await drawnText(part(name))).replaceAll("\n", " / ");
    if (words !== "") lines.add(`${kind === "header" ? "Header" : "Footer"}: ${words}`);
  }
  for (const line of lines) text.line(`\n${line}`);
  const hasFormulas = /<\w+:oMath\b/.test(part("document"));
  return { text, left_out: [...unreadParts(zip, read), ...(hasFormulas ? ["equations"] : [])] };
}

/** The library names comments by the initials of their authors. */
function withAuthors(document: {
  comments?: { authorName?: string; authorInitials?: string }[];
}): typeof document {
  for (const comment of document.comments ?? [])
    comment.authorInitials = `${comment.authorName ?? ""} `.trimStart();
  return document;
}
