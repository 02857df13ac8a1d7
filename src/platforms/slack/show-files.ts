import { type OutgoingFile, PlatformError } from "../../core/chat-platform.ts";
import { filesOf, isOwn } from "./parse-message.ts";
import type { MessageWriter } from "./post-message.ts";
import { readRoom } from "./read-history.ts";
import type { Room, SlackContext } from "./slack-rooms.ts";
import { shareFiles, type Upload, uploadFiles } from "./transfer-files.ts";

/** Messages looked through for files, from the one they belong to on. */
const lookAhead = 200;

/** Slack shows files beside a message that stands already: what it does not show is said, and nothing is posted twice. */
export async function showFiles(
  { workspaces }: SlackContext,
  writer: MessageWriter,
  room: Room,
  uploads: readonly Upload[],
): Promise<void> {
  if (uploads.length === 0) return;
  try {
    await shareFiles(workspaces, room, uploads);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const names = uploads.map(({ title }) => title).join(", ");
    await writer
      .post(room, { markdown: `I could not attach ${names}. ${error.message}` })
      .catch(ignoreRefusal);
  }
}

/**
 * Shows those of a message's files that do not stand behind it yet: whoever posted it may have ended, or lost its line, before
 * they were shown. @throws PlatformError
 */
export async function showMissingFiles(
  context: SlackContext,
  writer: MessageWriter,
  room: Room,
  message: { ts: string; files: readonly OutgoingFile[] },
): Promise<void> {
  const { self, bot } = await context.workspaces.of(room.team);
  const since = await readRoom(context, room, { limit: lookAhead, oldest: message.ts });
  const shown = since
    .filter((each) => Number(each.ts) > Number(message.ts) && isOwn(each, { self, bot }))
    .flatMap(filesOf);
  // In channels shared with another company files come without their names.
  const missing = message.files.filter(
    (file) => !shown.some(({ id, name }) => name === file.name || name === id),
  );
  await showFiles(context, writer, room, await uploadFiles(context.workspaces, room.team, missing));
}

/** For words that are not worth failing what was done before them. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof PlatformError)) throw error;
}
