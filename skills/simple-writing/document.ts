import { inflateSync } from "node:zlib";
import type { Text } from "./markdown-blocks.ts";

/** A picture of a document, unchanged. */
export interface Picture {
  data: Uint8Array;
  kind: "png" | "jpg";
  width: number;
  height: number;
}

/** The content of a file. */
export interface Writing {
  title: string;
  author: string;
  /** A BCP 47 tag. */
  language: string | undefined;
  /** ms since the epoch. */
  now: number;
  text: Text;
  /** By their paths in the text. */
  pictures: ReadonlyMap<string, Picture>;
  /** Whether the title is set above the text, because the text does not contain it. */
  isTitleAbove: boolean;
  /** Whether the text is long enough for a table of contents. */
  hasContents: boolean;
  /** Whether the paper size is US Letter, not A4. */
  isLetter: boolean;
}

/** Maximum bytes and pixels of a picture, which is unpacked in memory. */
const maxPicture = { bytes: 15_000_000, pixels: 25_000_000 };

/** Reads the kind and size of a picture; undefined unless it is a complete PNG or JPEG within the limits. */
export function readPicture(data: Uint8Array): Picture | undefined {
  if (data.length > maxPicture.bytes) return undefined;
  const picture = readPng(data) ?? readJpeg(data);
  if (picture === undefined || picture.width < 1 || picture.height < 1) return undefined;
  if (picture.width * picture.height > maxPicture.pixels) return undefined;
  return picture.kind === "jpg" || isWhole(picture) ? picture : undefined;
}

function readPng(data: Uint8Array): Picture | undefined {
  const view = viewOf(data);
  if (data.length <= 33 || view.getUint32(0) !== 0x89504e47) return undefined;
  return { data, kind: "png", width: view.getUint32(16), height: view.getUint32(20) };
}

/** Samples of a pixel by colour type: https://www.w3.org/TR/png/#11IHDR */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Whether a PNG's pixels can be unpacked: the PDF library does not check this. */
function isWhole({ data, width, height }: Picture): boolean {
  const view = viewOf(data);
  const bits = (data[24] ?? 0) * (samples[data[25] ?? -1] ?? 0);
  const parts: Uint8Array[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const length = view.getUint32(at);
    if (view.getUint32(at + 4) === 0x49444154) parts.push(data.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const row = 1 + Math.ceil((width * bits) / 8);
  const isInterlaced = data[28] === 1;
  try {
    // Interlaced pictures have a few more rows.
    const pixels = inflateSync(Buffer.concat(parts), { maxOutputLength: row * height * 2 + 64 });
    if (bits === 0 || pixels.length < row * height) return false;
    for (let at = 0; !isInterlaced && at < row * height; at += row) if ((pixels[at] ?? 0) > 4) return false;
    return true;
  } catch {
    return false;
  }
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function readJpeg(data: Uint8Array): Picture | undefined {
  const view = viewOf(data);
  if (data.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < data.length; ) {
    const marker = view.getUint16(at);
    // Start of frame, but not of a table: ITU-T T.81, table B.1.
    if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker))
      return { data, kind: "jpg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Scales a size down to fit, in the units of the limits; never scales up. */
export function fitted(
  { width, height }: { width: number; height: number },
  maxWidth: number,
  maxHeight: number,
): { width: number; height: number } {
  const factor = Math.min(1, maxWidth / width, maxHeight / height);
  return { width: Math.max(1, width * factor), height: Math.max(1, height * factor) };
}
