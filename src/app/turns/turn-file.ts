import type { FileStore } from "../../core/file-store.ts";

/** A file of a turn, for who downloads it. */
export async function turnFile(
  files: FileStore,
  turnId: string,
  name: string,
): Promise<{ media_type: string; data: Uint8Array } | undefined> {
  const found = await files.get(turnId, name);
  return found === undefined ? undefined : { media_type: found.file.media_type, data: found.data };
}
