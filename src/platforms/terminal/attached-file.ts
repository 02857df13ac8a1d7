import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { formatBytes } from "../../core/values/shown.ts";

/** A file of this machine that goes with a message. */
export interface AttachedFile {
  name: string;
  content: Blob;
}

/** Bytes of a file, as the server takes them. */
const largest = 50_000_000;

/** The file at a path as people type or drop it: quoted, with escaped spaces, from `~`. A text says why it cannot be sent. */
export async function attachedFile(typed: string): Promise<AttachedFile | string> {
  const path = plainPath(typed);
  try {
    const found = await stat(path);
    if (found.isDirectory()) return `${path} is a folder: pack it first, or name its files.`;
    if (!found.isFile()) return `${path} is no file.`;
    if (found.size > largest)
      return `${path} has ${formatBytes(found.size)}; a file may have ${formatBytes(largest)}.`;
    return { name: basename(path), content: await openAsBlob(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${path}.`;
    if (code === "EACCES" || code === "EPERM") return `${path} may not be read by you.`;
    throw error;
  }
}

/** As a shell would read it. */
function plainPath(typed: string): string {
  const trimmed = typed.trim();
  const quoted = /^(["'])(.*)\1$/s.exec(trimmed)?.[2];
  const path = quoted ?? (process.platform === "win32" ? trimmed : trimmed.replace(/\\(.)/gs, "$1"));
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
