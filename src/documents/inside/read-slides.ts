import { drawnText, listedParts, relationships, unreadParts } from "./office-parts.ts";
import { type OpenZip, openParts } from "./open-zip.ts";
import { BoundedText, type OpenedDocument, type ReadDocument } from "./opened-document.ts";

const presentation = "ppt/presentation.xml";

/** The text of the slides of a .pptx file in their order, with the speaker's notes. */
export async function readSlides(document: OpenedDocument): Promise<ReadDocument> {
  const zip = await openParts(document);
  const text = new BoundedText(document.limits.textCharacters);
  let number = 0;
  const slides = (await listedParts(zip, presentation, "sldId")).map(({ target }) => target);
  for (const slide of new Set(slides.filter(zip.has))) {
    number += 1;
    text.line(`--- slide ${number} ---`);
    if (!text.line(await drawnText((await zip.text(slide)) ?? ""))) break;
    const notes = await drawnText(await notesOf(zip, slide));
    if (notes !== "") text.line(`Notes: ${notes}`);
    text.line("");
  }
  return { text, left_out: unreadParts(zip, /^ppt\/(?:presentation|slides\/\w+|notesSlides\/\w+)\.xml$/) };
}

async function notesOf(zip: OpenZip, slide: string): Promise<string> {
  for (const { target, type } of (await relationships(zip, slide)).values()) {
    if (type.endsWith("/notesSlide")) return (await zip.text(target)) ?? "";
  }
  return "";
}
