import type { FileStore } from "../../core/file-store.ts";
import type { TurnPorts } from "../../core/turn.ts";

/** Reads pictures that messages keep. One that cannot be had any more is left out; its message still names it. */
export function createPictures(
  files: Pick<FileStore, "get">,
  report: (error: unknown, where: string) => void,
): TurnPorts["picture"] {
  return async ({ turn_id, name, media_type }) => {
    try {
      const found = await files.get(turn_id, name);
      if (found === undefined) return undefined;
      return { media_type, base64: Buffer.from(found.data).toString("base64") };
    } catch (error) {
      report(error, "reading a kept picture");
      return undefined;
    }
  };
}

/** A file of a turn, for who downloads it. */
export async function turnFile(
  files: FileStore,
  turnId: string,
  name: string,
): Promise<{ media_type: string; data: Uint8Array } | undefined> {
  const found = await files.get(turnId, name);
  return found === undefined ? undefined : { media_type: found.file.media_type, data: found.data };
}
