import { crc32, deflateSync } from "node:zlib";

/** Pixels of a side; some servers take nothing smaller. */
const side = 64;

/** A picture of one colour as base64. https://www.w3.org/TR/png-3/ */
export function plainColourPng(colour: readonly [number, number, number]): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // 8 bits a channel, red, green and blue.
  header.set([8, 2], 8);
  // A line begins with its filter, none.
  const line = [0, ...Array.from({ length: side }, () => colour).flat()];
  const pixels = Buffer.from(Array.from({ length: side }, () => line).flat());
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [part("IHDR", header), part("IDAT", deflateSync(pixels)), part("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]).toString("base64");
}

function part(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  return chunk;
}
