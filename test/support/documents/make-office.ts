/** The smallest Office and OpenDocument files that programs open, around content that a test gives. */
import { strToU8, zipSync } from "fflate";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A ZIP archive in this order. */
export function makeZip(files: Files, level: 0 | 9 = 9): Uint8Array {
  const content = Object.entries(files).map(([name, text]) => [
    name,
    typeof text === "string" ? strToU8(text) : text,
  ]);
  return zipSync(Object.fromEntries(content), { level });
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const relationshipTypes = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelationships = "http://schemas.openxmlformats.org/package/2006/relationships";

export interface Relationship {
  id: string;
  type: string;
  target: string;
  external?: boolean;
}

export function relationships(...all: Relationship[]): string {
  const items = all.map(
    ({ id, type, target, external }) =>
      `<Relationship Id="${id}" Type="${relationshipTypes}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ""}/>`,
  );
  return `${declaration}<Relationships xmlns="${packageRelationships}">${items.join("")}</Relationships>`;
}

function office(main: string, type: string, files: Files): Uint8Array {
  return makeZip({
    "[Content_Types].xml": `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    "_rels/.rels": relationships({ id: "rId1", type: "officeDocument", target: main }),
    ...files,
  });
}

const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/** A Word document whose body is given as XML; `before` stands before its root element. */
export function makeDocx(body: string, files: Files = {}, before = ""): Uint8Array {
  return office("word/document.xml", "wordprocessingml.document", {
    "word/document.xml": `${declaration}${before}<w:document xmlns:w="${word}" xmlns:r="${relationshipTypes}"><w:body>${body}</w:body></w:document>`,
    ...files,
  });
}

const sheets = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** A workbook of sheets, whose rows are given as XML. */
export function makeXlsx(rows: Readonly<Record<string, string>>, files: Files = {}): Uint8Array {
  const names = Object.keys(rows);
  return office("xl/workbook.xml", "spreadsheetml.sheet", {
    "xl/workbook.xml": `${declaration}<workbook xmlns="${sheets}" xmlns:r="${relationshipTypes}"><sheets>${names
      .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships(
      ...names.map((_, at) => ({
        id: `rId${at + 1}`,
        type: "worksheet",
        target: `worksheets/sheet${at + 1}.xml`,
      })),
    ),
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${declaration}<worksheet xmlns="${sheets}"><sheetData>${rows[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...files,
  });
}

/** A row of a sheet from its texts and numbers. */
export function sheetRow(number: number, ...cells: (string | number)[]): string {
  const written = cells.map((cell, at) => {
    const place = `${String.fromCharCode(65 + at)}${number}`;
    return typeof cell === "number"
      ? `<c r="${place}"><v>${cell}</v></c>`
      : `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`;
  });
  return `<row r="${number}">${written.join("")}</row>`;
}

const drawing =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

/** A presentation of slides with lines of text, in the order of `order`; the first has notes. */
export function makePptx(
  slides: readonly (readonly string[])[],
  order: readonly number[],
  notes: string,
): Uint8Array {
  const paragraphs = (lines: readonly string[]) =>
    lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join("");
  const shape = (lines: readonly string[]) =>
    `<p:cSld><p:spTree><p:sp><p:txBody>${paragraphs(lines)}</p:txBody></p:sp></p:spTree></p:cSld>`;
  const slideFiles = slides.map((lines, at) => [
    `ppt/slides/slide${at + 1}.xml`,
    `${declaration}<p:sld ${drawing}>${shape(lines)}</p:sld>`,
  ]);
  return office("ppt/presentation.xml", "presentationml.presentation", {
    "ppt/presentation.xml": `${declaration}<p:presentation ${drawing} xmlns:r="${relationshipTypes}"><p:sldIdLst>${order
      .map((slide, at) => `<p:sldId id="${256 + at}" r:id="rId${slide}"/>`)
      .join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relationships(
      ...slides.map((_, at) => ({ id: `rId${at + 1}`, type: "slide", target: `slides/slide${at + 1}.xml` })),
    ),
    ...Object.fromEntries(slideFiles),
    "ppt/slides/_rels/slide1.xml.rels": relationships({
      id: "rId1",
      type: "notesSlide",
      target: "../notesSlides/notesSlide1.xml",
    }),
    "ppt/notesSlides/notesSlide1.xml": `${declaration}<p:notes ${drawing}>${shape([notes])}</p:notes>`,
  });
}

/** An OpenDocument file of a kind ("text", "spreadsheet", "presentation") whose content is given as XML. */
export function makeOpenDocument(kind: string, content: string, files: Files = {}): Uint8Array {
  const name = (prefix: string) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${prefix}:1.0"`;
  return makeZip(
    {
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      "content.xml": `${declaration}<office:document-content ${["office", "text", "table", "presentation"].map(name).join(" ")} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
      ...files,
    },
    0,
  );
}

/** The archive with another uncompressed size of its entry `at`, as its directory and the entry's own header tell it. */
export function withDeclaredSize(zip: Uint8Array, at: number, bytes: number): Uint8Array {
  const copy = Buffer.from(zip);
  let header = copy.readUInt32LE(copy.length - 22 + 16);
  for (let entry = 0; entry < at; entry += 1) {
    header +=
      46 + copy.readUInt16LE(header + 28) + copy.readUInt16LE(header + 30) + copy.readUInt16LE(header + 32);
  }
  copy.writeUInt32LE(bytes, header + 24);
  copy.writeUInt32LE(bytes, copy.readUInt32LE(header + 42) + 22);
  return copy;
}
