import { type OpenZip, openZip, refuseManyEntries } from "./open-zip.ts";
import { BoundedText, type OpenedDocument, type ReadDocument } from "./opened-document.ts";
import { parseXml } from "./parse-xml.ts";

const presentation = "ppt/presentation.xml";

/** The text of the slides of a .pptx file in their order, with the speaker's notes. */
export async function readSlides({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const zip = await openZip(data, limits);
  refuseManyEntries(zip, limits);
  const text = new BoundedText(limits.textCharacters);
  let number = 0;
  for (const slide of await slidesInOrder(zip)) {
    number += 1;
    text.line(`--- slide ${number} ---`);
    if (!text.line(await drawnText((await zip.text(slide)) ?? ""))) break;
    const notes = await drawnText(await notesOf(zip, slide));
    if (notes !== "") text.line(`Notes: ${notes}`);
    text.line("");
  }
  return { text };
}

/** ECMA-376 part 1, 19.2.1.33: the slide list names relationships, those name files. */
async function slidesInOrder(zip: OpenZip): Promise<string[]> {
  const targets = await relationships(zip, presentation);
  const slides: string[] = [];
  await parseXml((await zip.text(presentation)) ?? "", {
    open(name, attributes) {
      const target = name === "sldId" ? targets.get(attributes["r:id"] ?? "")?.target : undefined;
      if (target !== undefined && zip.has(target) && !slides.includes(target)) slides.push(target);
    },
    close() {},
    text() {},
  });
  return slides;
}

async function notesOf(zip: OpenZip, slide: string): Promise<string> {
  for (const { target, type } of (await relationships(zip, slide)).values()) {
    if (type.endsWith("/notesSlide")) return (await zip.text(target)) ?? "";
  }
  return "";
}

/** The targets of a part's relationships, by identifier, as names of entries; external ones are left out. */
async function relationships(
  zip: OpenZip,
  part: string,
): Promise<ReadonlyMap<string, { target: string; type: string }>> {
  const folder = part.slice(0, part.lastIndexOf("/"));
  const found = new Map<string, { target: string; type: string }>();
  await parseXml((await zip.text(`${folder}/_rels${part.slice(folder.length)}.rels`)) ?? "", {
    open(name, { Id: id, Target: target, Type: type = "", TargetMode: mode }) {
      const path = URL.parse(target ?? "", `zip:/${folder}/`)?.pathname;
      if (name !== "Relationship" || id === undefined || path === undefined || mode === "External") return;
      found.set(id, { target: path.slice(1), type });
    },
    close() {},
    text() {},
  });
  return found;
}

/** DrawingML (ECMA-376 part 1, 21.1.2): paragraphs as lines, rows of tables as lines with bars. */
async function drawnText(xml: string): Promise<string> {
  const parts: string[] = [];
  let inText = false;
  let inCell = false;
  // The slide number in its notes, dates and similar fields.
  let inField = false;
  await parseXml(xml, {
    open(name) {
      if (name === "t") inText = true;
      else if (name === "fld") inField = true;
      else if (name === "br") parts.push(inCell ? " " : "\n");
      else if (name === "tc") inCell = true;
    },
    close(name) {
      if (name === "t") inText = false;
      else if (name === "fld") inField = false;
      else if (name === "p") parts.push(inCell ? " " : "\n");
      else if (name === "tc") {
        inCell = false;
        parts.push("| ");
      } else if (name === "tr") parts.push("\n");
    },
    text(text) {
      if (inText && !inField) parts.push(text);
    },
  });
  return parts
    .join("")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
