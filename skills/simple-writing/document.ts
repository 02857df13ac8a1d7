import type { Block } from "./blocks.ts";

/** A picture of a document, as it was found. */
export interface Picture {
  data: Uint8Array;
  kind: "png" | "jpg";
  width: number;
  height: number;
}

/** What is written into a file. */
export interface Writing {
  title: string;
  author: string;
  language: string | undefined;
  blocks: readonly Block[];
  /** By the path the text names. */
  pictures: ReadonlyMap<string, Picture>;
}

/** Reads kind and size of a picture; undefined for anything but PNG and JPEG. */
export function readPicture(data: Uint8Array): Picture | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length > 24 && view.getUint32(0) === 0x89504e47)
    return { data, kind: "png", width: view.getUint32(16), height: view.getUint32(20) };
  if (data.length < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < data.length; ) {
    const marker = view.getUint16(at);
    // Start of a frame, but not of a table: ITU-T T.81, table B.1.
    if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker))
      return { data, kind: "jpg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** A size that fits, in the units of the limits. */
export function fitted({ width, height }: Picture, mostWidth: number, mostHeight: number) {
  const factor = Math.min(1, mostWidth / Math.max(1, width), mostHeight / Math.max(1, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}
