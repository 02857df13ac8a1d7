import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { formatBytes } from "../../base/amounts.ts";
import { errorCode } from "../../base/error-text.ts";
import type { NamedFile } from "../../client/api-client.ts";

/** Maximum bytes of a file, as on the server. */
const maxBytes = 50_000_000;

/** A local file to attach to a message. A string is the reason why it cannot be sent. */
export async function attachedFile(path: string): Promise<NamedFile | string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return `${path} is a folder. Pack it as an archive, or attach its files.`;
    if (!found.isFile()) return `${path} is not a regular file.`;
    if (found.size > maxBytes)
      return `${path} has ${formatBytes(found.size)}; the limit is ${formatBytes(maxBytes)}.`;
    return { name: basename(path), content: await openAsBlob(path) };
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return `There is no file ${path}.`;
    if (code === "EACCES" || code === "EPERM") return `You have no permission to read ${path}.`;
    throw error;
  }
}
