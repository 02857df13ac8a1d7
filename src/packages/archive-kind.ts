import { plainText } from "../base/decode-text.ts";

/** The kind of a file by its first bytes. Its name does not matter here. */
export type ContentKind = "zip" | "gzip" | "tar" | "other_archive" | "program" | "text" | "binary";

/** Magic bytes, hex, as the formats define them. */
const archives: readonly [string, ContentKind][] = [
  ["504b0304", "zip"],
  ["504b0506", "zip"],
  ["504b0708", "zip"],
  ["1f8b", "gzip"],
  ["377abcaf271c", "other_archive"], // 7z
  ["526172211a07", "other_archive"], // rar
  ["fd377a585a00", "other_archive"], // xz
  ["425a68", "other_archive"], // bzip2
  ["28b52ffd", "other_archive"], // zstandard
  ["04224d18", "other_archive"], // lz4
  ["4d534346", "other_archive"], // cab
  ["213c617263683e0a", "other_archive"], // ar, deb
  ["edabeedb", "other_archive"], // rpm
];

const programs = [
  "7f454c46", // ELF
  "feedface",
  "feedfacf",
  "cefaedfe",
  "cffaedfe", // Mach-O
  "cafebabe", // Mach-O for several processors, Java class
  "0061736d", // WebAssembly
];

/** Classifies the content of a file by its beginning. */
export function contentKind(data: Uint8Array): ContentKind {
  const start = Buffer.from(data.buffer, data.byteOffset, Math.min(data.byteLength, 512));
  const hex = start.toString("hex", 0, 16);
  const archive = archives.find(([magic]) => hex.startsWith(magic));
  if (archive !== undefined && isReally(archive[1], archive[0], start)) return archive[1];
  if (start.toString("latin1", 257, 262) === "ustar") return "tar";
  if (programs.some((magic) => hex.startsWith(magic)) || isWindowsProgram(data)) return "program";
  return isText(data) ? "text" : "binary";
}

/**
 * Short magic bytes also begin ordinary texts: in a real archive `BZh` and a digit are followed by a block, and gzip has only one method.
 */
function isReally(kind: ContentKind, magic: string, start: Buffer): boolean {
  if (kind === "gzip") return start[2] === 8;
  if (magic === "425a68") return ["314159265359", "177245385090"].includes(start.toString("hex", 4, 10));
  return true;
}

/** `MZ`, and at the offset it names, `PE`. */
function isWindowsProgram(data: Uint8Array): boolean {
  const view = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (view.length < 64 || view.toString("latin1", 0, 2) !== "MZ") return false;
  const header = view.readUInt32LE(60);
  return header + 2 <= view.length && view.toString("latin1", header, header + 2) === "PE";
}

function isText(data: Uint8Array): boolean {
  const start = data.subarray(0, 65_536);
  return plainText(start, start.length < data.length) !== undefined;
}
