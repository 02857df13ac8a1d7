import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { formatBytes } from "../../core/values/shown.ts";

/** A local file to attach to a message. */
export interface AttachedFile {
  name: string;
  content: Blob;
}

/** Maximum bytes of a file, as on the server. */
const maxBytes = 50_000_000;

/**
 * The file at a path as people type or drop it: quoted, with escaped spaces, with `~`. A string is the reason why it cannot be
 * sent.
 */
export async function attachedFile(typed: string): Promise<AttachedFile | string> {
  const path = plainPath(typed);
  try {
    const found = await stat(path);
    if (found.isDirectory()) return `${path} is a folder. Pack it as an archive, or attach its files.`;
    if (!found.isFile()) return `${path} is not a regular file.`;
    if (found.size > maxBytes)
      return `${path} has ${formatBytes(found.size)}; the limit is ${formatBytes(maxBytes)}.`;
    return { name: basename(path), content: await openAsBlob(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${path}.`;
    if (code === "EACCES" || code === "EPERM") return `You have no permission to read ${path}.`;
    throw error;
  }
}

/** The path as a shell would read it. */
function plainPath(typed: string): string {
  const trimmed = typed.trim();
  const quoted = /^(["'])(.*)\1$/s.exec(trimmed)?.[2];
  const path = quoted ?? (process.platform === "win32" ? trimmed : trimmed.replace(/\\(.)/gs, "$1"));
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
