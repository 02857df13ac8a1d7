/** PDF files (ISO 32000-1) written by hand. */

/** A PDF of these objects, the first of which is its catalogue; `trailer` is added to its trailer. */
export function pdfOf(objects: readonly (string | Uint8Array)[], trailer = ""): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const start = length;
  add(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** An object with a stream. */
export function stream(content: Uint8Array | string, entries = ""): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}

/** A PDF with one line of text on each page; a page without text is blank. */
export function makePdf(pages: readonly string[], trailer = "", more: readonly string[] = []): Buffer {
  const first = 4;
  const kids = pages.map((_, at) => `${first + 2 * at} 0 R`).join(" ");
  return pdfOf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
      ...pages.flatMap((text, at) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 1 + 2 * at} 0 R >>`,
        stream(text === "" ? "" : `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`),
      ]),
      ...more,
    ],
    trailer,
  );
}

/** A PDF that asks for a password: the standard handler of 40 bits with keys that no password fits. */
export function makeLockedPdf(): Buffer {
  const key = `<${"ab".repeat(32)}>`;
  const lock = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`;
  return makePdf(["secret"], `/Encrypt ${lock} /ID [<00> <00>]`);
}

/** A PDF whose only text is in a font that is not embedded, as codes of a predefined character map. */
export function makeAsianPdf(encoding: string, ordering: string, codes: string): Buffer {
  const system = `/CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    stream(`BT /F1 24 Tf 72 700 Td <${codes}> Tj ET`),
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song ${system} /FontDescriptor 7 0 R >>`,
    "<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
  ]);
}
