import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { errorCode } from "../base/error-text.ts";
import { caution, type Diagnostic } from "../core/skill/skill.ts";
import type { Pace } from "./pace.ts";
import type { ScannedFile } from "./scan-folder.ts";

/** A file with the sha256 of its contents, hex; undefined if it could not be read. */
export interface HashedFile extends ScannedFile {
  sha256: string | undefined;
}

export interface FolderContents {
  files: HashedFile[];
  /** sha256 over the sorted relative paths and the contents, hex. */
  hash: string;
  /** The bytes of the SKILL.md; undefined if it could not be read. */
  document: Buffer | undefined;
  diagnostics: Diagnostic[];
}

/** Reads and hashes every file of a skill. Files that cannot be read are reported and count as unreadable in the hash. */
export async function readContents(
  scanned: readonly ScannedFile[],
  documentName: string,
  pace: Pace,
): Promise<FolderContents> {
  const diagnostics: Diagnostic[] = [];
  const files: HashedFile[] = [];
  let document: Buffer | undefined;
  for (const file of scanned) {
    await pace.keep();
    const bytes = readBytes(file, diagnostics);
    if (file.path === documentName) document = bytes;
    if (file.path.endsWith(".sh") && bytes?.includes("\r\n")) diagnostics.push(windowsLines(file));
    files.push({ ...file, sha256: bytes && hash("sha256", bytes, "hex") });
  }
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const lines = sorted.map((file) => `${JSON.stringify(file.path)} ${file.sha256 ?? "unreadable"}\n`);
  return { files: sorted, hash: hash("sha256", lines.join(""), "hex"), document, diagnostics };
}

function windowsLines({ path, absolute }: ScannedFile): Diagnostic {
  const message = `${path} has the line ends of Windows. It runs as if they were those of Unix; other files that it starts or includes do not. Save it with LF.`;
  return { path: absolute, severity: "info", code: "windows_lines", message };
}

function readBytes(file: ScannedFile, diagnostics: Diagnostic[]): Buffer | undefined {
  try {
    return readFileSync(file.absolute);
  } catch (error) {
    const message = `The file cannot be read (${errorCode(error) ?? "unknown error"}). Check its permissions.`;
    diagnostics.push(caution(file.absolute, "unreadable", message));
    return undefined;
  }
}
