import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { OpenedFile } from "../../core/ports/working-folder.ts";

/** A file below a working folder, as `WorkingFolder.open` promises. */
export function openedFile(
  path: string,
  { handle, stats }: { handle: FileHandle; stats: BigIntStats },
): OpenedFile {
  const bytes = Number(stats.size);
  return {
    ...{ path, bytes, changed_at: Number(stats.mtimeMs), descriptor: handle.fd },
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, bytes - offset));
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

/** The sha256 of a file, in hex. */
export async function hashOf(file: OpenedFile): Promise<string> {
  const hash = createHash("sha256");
  const chunk = 1_048_576;
  for (let offset = 0; offset < file.bytes; offset += chunk) hash.update(await file.read(offset, chunk));
  return hash.digest("hex");
}
