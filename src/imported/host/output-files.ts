import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Bytes of a file that fit well into one line. */
const pieceBytes = 3_000_000;

/** Files and bytes one call may leave; the bot counts them as well. */
const most = { files: 10, bytes: 25_000_000 };

/** Part of a file; the parts of a file come one after another. Without a name: there are more files than are sent. */
export interface FilePiece {
  name: string;
  /** Base64. */
  data: string;
  last: boolean;
}

/** Makes the folder in which handlers leave files. */
export function makeOutputFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
}

/** The files in the folder, of folders in it too, in pieces. What was read is removed: the next call leaves its own. */
export function* takeFiles(folder: string): Generator<FilePiece> {
  let files = 0;
  let bytes = 0;
  for (const path of filesIn(folder)) {
    const size = lstatSync(path).size;
    if (files + 1 > most.files || bytes + size > most.bytes) {
      yield { name: "", data: "", last: true };
      break;
    }
    files += 1;
    bytes += size;
    const data = readFileSync(path);
    const name = relative(folder, path).split(sep).join("/");
    for (let at = 0; at === 0 || at < data.length; at += pieceBytes) {
      const last = at + pieceBytes >= data.length;
      yield { name, data: data.toString("base64", at, at + pieceBytes), last };
    }
  }
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Regular files only: links may lead anywhere. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
