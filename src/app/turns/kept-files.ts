import { safeMediaType } from "../../base/file-kind.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
import type { FileStore } from "../../core/ports/storage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";

/** Reads pictures that belong to messages. An unavailable one is left out; its message still names it. */
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

/** A file of a turn, for download. */
export async function turnFile(
  files: FileStore,
  turnId: string,
  name: string,
): Promise<{ media_type: string; data: Uint8Array } | undefined> {
  const found = await files.get(turnId, name);
  return found === undefined ? undefined : { media_type: found.file.media_type, data: found.data };
}

/** A file that came with the message of a turn: in the folder of its thread, or still with the turn. */
export async function attachedFile(
  log: TurnReading,
  { files, folders }: Pick<TurnPorts, "files" | "folders">,
  turnId: string,
  number: number,
): Promise<{ name: string; media_type: string; data: Uint8Array } | undefined> {
  const events = await log.read(turnId);
  const [first] = events;
  if (first?.type !== "inbound") return undefined;
  const { origin, files: given = [] } = first.inbound;
  const sent = [...(origin?.files ?? []), ...given][number];
  if (sent === undefined) return undefined;
  const { name, bytes } = sent;
  const media_type = safeMediaType(sent.media_type);
  const read = events.find((event) => event.type === "context_read")?.files ?? [];
  const path = read.find((file) => file.name === name && (file.bytes === bytes || bytes === 0))?.path;
  const file = path === undefined ? undefined : await folders.of(first.inbound).open(path);
  if (file !== undefined) {
    const data = await file.read(0, file.bytes).finally(() => file.close());
    return { name, media_type, data };
  }
  const kept = await files.get(turnId, sent.id);
  return kept === undefined ? undefined : { name, media_type, data: kept.data };
}
