import { z } from "zod";
import { beginningOf } from "../../../base/markdown-text.ts";
import { type OutgoingFile, type OutgoingMessage, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { SlackMessage } from "../channel/message-event.ts";
import { filesOf, isOwn } from "../channel/parse-message.ts";
import { readRoom } from "../channel/read-history.ts";
import type { Room, SlackContext } from "../channel/slack-rooms.ts";
import { createAbsentFeature } from "../connection/absent-features.ts";
import { fallbackTo, refusedWith } from "../connection/slack-call.ts";
import { drawableCharts } from "./data-charts.ts";
import { blockRefusals, type MessageWriter } from "./post-message.ts";
import type { DrawnMessage, Picture } from "./render-message.ts";
import { keepFiles, shareFiles, type Upload, uploadFiles } from "./transfer-files.ts";

/** Messages that are searched for files, beginning with the one they belong to. */
const lookAhead = 200;

/** Kinds of pictures that Slack shows in an image block (docs.slack.dev/reference/block-kit/blocks/image-block). */
const pictures = new Set(["image/gif", "image/jpeg", "image/png"]);

/** The files shown in a message, or in messages after it. */
interface Shown {
  /** Names, or ids in channels shared with another company (Slack Connect). */
  names: ReadonlySet<string>;
  /** The pictures in image blocks of the message itself. */
  pictures: readonly Picture[];
}

const nothing: Shown = { names: new Set(), pictures: [] };

/** What a picture shows, in words; from its file name if nobody described it. */
function wordsFor({ name, alt }: OutgoingFile): string {
  return beginningOf(alt || name.replace(/\.\w+$/, "").replaceAll(/[-_]+/g, " "), 2_000);
}

/** Shows files in the messages they belong to: pictures below the text, others attached. */
export interface FileShow {
  /**
   * Posts a message with its files. Returns the `ts`. @throws PlatformError if it was not posted, or if Slack did not confirm
   * it
   */
  post(room: Room, message: OutgoingMessage, stillWanted?: () => void): Promise<string>;
  /**
   * Changes a message, and adds its files that are not shown yet: the process that posted it may have ended, or lost its
   * connection, before they were. @throws PlatformError
   */
  edit(room: Room, ts: string, message: OutgoingMessage): Promise<void>;
}

export function createFileShow(context: SlackContext, writer: MessageWriter, clock: Clock): FileShow {
  const { workspaces } = context;

  const shownFrom = async (room: Room, ts: string): Promise<Shown> => {
    const { self, bot } = await workspaces.of(room.team);
    const own = (await readRoom(context, room, { limit: lookAhead, oldest: ts, inclusive: true })).filter(
      (each) => Number(each.ts) >= Number(ts) && isOwn(each, { self, bot }),
    );
    const there = own.filter((each) => each.ts === ts).flatMap(picturesOf);
    const names = own.flatMap(filesOf).flatMap(({ id, name }) => [id, name]);
    return { names: new Set([...names, ...there.map(({ name }) => name)]), pictures: there };
  };
  /** Posts files in a message of their own. */
  const share = async (room: Room, files: readonly OutgoingFile[]) => {
    if (files.length === 0) return;
    try {
      await shareFiles(workspaces, room, await uploadFiles(workspaces, room.team, files.map(described)));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const names = files.map(({ name }) => name).join(", ");
      const markdown = `I could not attach ${names}. ${error.message}`;
      await writer.post(room, { markdown }).catch(fallbackTo(undefined));
    }
  };
  const attach = async (
    room: Room,
    ts: string,
    message: DrawnMessage,
    shown: Shown,
    uploads: readonly Upload[],
  ) => {
    const isPicture = ({ media_type }: Upload) => pictures.has(media_type);
    const asPicture = ({ id, alt }: Upload): Picture => ({ id, name: alt });
    const ids = (some: readonly Upload[]) => some.map(({ id }) => id);
    const all = [...shown.pictures, ...uploads.filter(isPicture).map(asPicture)];
    try {
      const others = uploads.filter((each) => !isPicture(each));
      await writer.edit(room, ts, message, { pictures: all, files: ids(others) });
    } catch (error) {
      // A picture may be invalid, or not ready yet.
      if (all.length === shown.pictures.length || !refusedWith(error, "invalid_blocks")) throw error;
      await writer.edit(room, ts, message, { pictures: shown.pictures, files: ids(uploads) });
    }
  };

  /** Adds files to a message; files that Slack does not accept there follow in another message. */
  const show = async (room: Room, ts: string, message: DrawnMessage, shown: Shown, added: UploadedFiles) => {
    const { files, uploads } = added;
    try {
      await keepFiles(workspaces, room.team, uploads);
      await attach(room, ts, message, shown, uploads);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === "unavailable") throw error;
      await writer.edit(room, ts, message, { pictures: shown.pictures, files: [] });
      return share(room, files);
    }
    const { names } = await shownFrom(room, ts);
    const isThere = (file: OutgoingFile, index: number) =>
      isShown(names, file) || names.has(uploads[index]?.id ?? "");
    await share(
      room,
      files.filter((file, index) => !isThere(file, index)),
    );
  };

  const post: FileShow["post"] = async (room, message, stillWanted) => {
    const { files = [] } = message;
    const uploads = await uploadFiles(workspaces, room.team, files.map(described));
    const ts = await writer.post(room, message, stillWanted);
    if (files.length > 0) await show(room, ts, message, nothing, { files, uploads });
    return ts;
  };
  const edit: FileShow["edit"] = async (room, ts, message) => {
    const { files = [] } = message;
    if (files.length === 0) return writer.edit(room, ts, message);
    const shown = await shownFrom(room, ts);
    const missing = files.filter((file) => !isShown(shown.names, file));
    const uploads = await uploadFiles(workspaces, room.team, missing.map(described));
    if (missing.length > 0) return show(room, ts, message, shown, { files: missing, uploads });
    await writer.edit(room, ts, message, { pictures: shown.pictures, files: [] });
  };
  const without = createAbsentFeature(clock);
  /** Lets Slack draw the charts itself where it can; otherwise they are sent as the pictures that they are. */
  const drawn = async <T>(
    team: string,
    message: OutgoingMessage,
    send: (message: DrawnMessage) => Promise<T>,
  ) => {
    const { files = [] } = message;
    const charts = message.plain ? [] : drawableCharts(files);
    const feature = { team: `${team} charts`, channel: "charts" };
    if (charts.length === 0 || without.isAbsent(feature)) return send(message);
    try {
      return await send({ ...message, charts, files: files.filter(({ chart }) => chart === undefined) });
    } catch (error) {
      if (!refusedWith(error, ...blockRefusals)) throw error;
      const sent = await send(message);
      without.note(error, feature, ...blockRefusals);
      return sent;
    }
  };
  return {
    post: (room, message, stillWanted) => drawn(room.team, message, (now) => post(room, now, stillWanted)),
    edit: (room, ts, message) => drawn(room.team, message, (now) => edit(room, ts, now)),
  };
}

function described(file: OutgoingFile): OutgoingFile & { alt: string } {
  return { ...file, alt: wordsFor(file) };
}

/** Attached files are known by their names, pictures by their words. */
function isShown(names: ReadonlySet<string>, file: OutgoingFile): boolean {
  return names.has(file.name) || names.has(wordsFor(file));
}

/** Files and their uploads, in the same order. */
interface UploadedFiles {
  files: readonly OutgoingFile[];
  uploads: readonly Upload[];
}

const pictureSchema = z.looseObject({
  type: z.literal("image"),
  slack_file: z.looseObject({ id: z.string() }),
  alt_text: z.string().optional(),
});

function picturesOf({ blocks }: SlackMessage): Picture[] {
  return (blocks ?? []).flatMap((block) => {
    const read = pictureSchema.safeParse(block);
    return read.success ? [{ id: read.data.slack_file.id, name: read.data.alt_text ?? "" }] : [];
  });
}
