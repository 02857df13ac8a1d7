import { inflateSync } from "node:zlib";

/** Width, height, and the different colours of a PNG of 8 bits a channel without interlace. */
export function lookAt(png: Uint8Array) {
  const view = Buffer.from(png);
  const parts: Buffer[] = [];
  for (let at = 8; at < view.length; ) {
    const length = view.readUInt32BE(at);
    if (view.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(view.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return {
    width: view.readUInt32BE(16),
    height: view.readUInt32BE(20),
    raw: inflateSync(Buffer.concat(parts)),
  };
}
