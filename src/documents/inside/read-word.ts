import { markdownOf } from "../../html/readable-page.ts";
import { openZip, refuseManyEntries, storedArchive } from "./open-zip.ts";
import { BoundedText, type OpenedDocument, type ReadDocument } from "./opened-document.ts";

/** A .docx file as Markdown. Pictures are left out, and nothing outside the file is opened. */
export async function readWord({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const zip = await openZip(data, limits);
  refuseManyEntries(zip, limits);
  const archive = await storedArchive(
    await zip.files((name) => name.endsWith(".xml") || name.endsWith(".rels")),
  );
  const { default: mammoth } = await import("mammoth");
  const { value: html } = await mammoth.convertToHtml(
    { buffer: Buffer.from(archive.buffer) },
    {
      externalFileAccess: false,
      includeEmbeddedStyleMap: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
    },
  );
  const text = new BoundedText(limits.textCharacters);
  text.add(await markdownOf(html));
  return { text };
}
