import { formatBytes } from "../../../base/amounts.ts";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import type { TurnEvent, TurnEventBody } from "../../../core/log/turn-event.ts";
import type { OutgoingFile } from "../../../core/ports/chat-platform.ts";
import type { PresentedTurn } from "./presented-turn.ts";

type FileEvent = Extract<TurnEventBody, { type: "file" }>;

/** Discord takes at most ten files with a message. */
const maxFiles = 10;

/** Files of the turn for one message. */
export interface AnswerFiles {
  attached: OutgoingFile[];
  /** Lines that name the files that cannot be attached, with size and address. Empty when there are none. */
  named: string;
}

/** The files that tools made in the turn, for its answer. */
export function readAnswerFiles(
  turn: PresentedTurn,
  events: readonly (TurnEvent | TurnEventBody)[],
): Promise<AnswerFiles> {
  const made = new Map<string, FileEvent>();
  for (const event of events) if (event.type === "file") made.set(event.name, event);
  return readFiles(turn, [...made.values()]);
}

type KeptFile = Pick<FileEvent, "name" | "media_type" | "bytes" | "url" | "alt" | "chart"> & {
  stored?: string;
};

/** Files of the turn, as far as the platform takes them. */
export async function readFiles(
  { turn_id, platform, logger, files }: PresentedTurn,
  kept: readonly KeptFile[],
): Promise<AnswerFiles> {
  const attached: OutgoingFile[] = [];
  const named: string[] = [];
  for (const file of kept) {
    const fits = file.bytes <= platform.limits.file_bytes && attached.length < maxFiles;
    const data = fits ? await read(file.stored ?? file.name) : undefined;
    if (data === undefined)
      named.push(`- ${escapeMarkdown(file.name)} (${formatBytes(file.bytes)}): ${file.url}`);
    else {
      const { name, media_type, alt, chart } = file;
      attached.push({ name, media_type, data, alt, chart });
    }
  }
  return {
    attached,
    named: named.length === 0 ? "" : `Files that are not attached here:\n${named.join("\n")}`,
  };

  async function read(name: string): Promise<Uint8Array | undefined> {
    try {
      return (await files?.get(turn_id, name))?.data;
    } catch (error) {
      logger.warn({ err: error, turn_id, name }, "A file of an answer cannot be read");
      return undefined;
    }
  }
}
