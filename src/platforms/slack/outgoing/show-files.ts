import { z } from "zod";
import { type OutgoingFile, type OutgoingMessage, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { SlackMessage } from "../channel/message-event.ts";
import { filesOf, isOwn } from "../channel/parse-message.ts";
import { readRoom } from "../channel/read-history.ts";
import type { Room, SlackContext } from "../channel/slack-rooms.ts";
import { AbsentFeature } from "../connection/absent-features.ts";
import { fallbackTo, refusedWith } from "../connection/slack-call.ts";
import { drawableCharts } from "./data-charts.ts";
import { blockRefusals, type MessageWriter } from "./post-message.ts";
import type { DrawnMessage, Picture } from "./render-message.ts";
import { completeUploads, type Upload, uploadFiles, wordsFor } from "./transfer-files.ts";

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

/** Shows files in the messages they belong to: pictures below the text, others attached. */
export class FileShow {
  readonly #context: SlackContext;
  readonly #writer: MessageWriter;
  readonly #without: AbsentFeature;

  constructor(context: SlackContext, writer: MessageWriter, clock: Clock) {
    this.#context = context;
    this.#writer = writer;
    this.#without = new AbsentFeature(clock);
  }

  /**
   * Posts a message with its files. Returns the `ts`. @throws PlatformError if it was not posted, or if Slack did not confirm
   * it
   */
  post(room: Room, message: OutgoingMessage, stillWanted?: () => void): Promise<string> {
    return this.#drawn(room.team, message, async (now) => {
      const uploads = await uploadFiles(this.#context.workspaces, room.team, now.files ?? []);
      const ts = await this.#writer.post(room, now, stillWanted);
      if (uploads.length > 0) await this.#show(room, ts, now, nothing, uploads);
      return ts;
    });
  }

  /**
   * Changes a message, and adds its files that are not shown yet: the process that posted it may have ended, or lost its
   * connection, before they were. @throws PlatformError
   */
  edit(room: Room, ts: string, message: OutgoingMessage): Promise<void> {
    return this.#drawn(room.team, message, async (now) => {
      const { files = [] } = now;
      if (files.length === 0) return this.#writer.edit(room, ts, now);
      const shown = await this.#shownFrom(room, ts);
      const missing = files.filter((file) => !isShown(shown.names, file));
      if (missing.length === 0)
        return this.#writer.edit(room, ts, now, { pictures: shown.pictures, files: [] });
      const uploads = await uploadFiles(this.#context.workspaces, room.team, missing);
      await this.#show(room, ts, now, shown, uploads);
    });
  }

  /** Lets Slack draw the charts itself where it can; otherwise they are sent as the pictures that they are. */
  async #drawn<T>(
    team: string,
    message: OutgoingMessage,
    send: (message: DrawnMessage) => Promise<T>,
  ): Promise<T> {
    const { files = [] } = message;
    const charts = message.plain ? [] : drawableCharts(files);
    const feature = { team: `${team} charts`, channel: "charts" };
    if (charts.length === 0 || this.#without.isAbsent(feature)) return send(message);
    try {
      return await send({ ...message, charts, files: files.filter(({ chart }) => chart === undefined) });
    } catch (error) {
      if (!refusedWith(error, ...blockRefusals)) throw error;
      const sent = await send(message);
      this.#without.note(error, feature, ...blockRefusals);
      return sent;
    }
  }

  async #shownFrom(room: Room, ts: string): Promise<Shown> {
    const ids = await this.#context.workspaces.of(room.team);
    const since = { limit: lookAhead, oldest: ts, inclusive: true } as const;
    const own = (await readRoom(this.#context, room, since)).filter(
      (each) => Number(each.ts) >= Number(ts) && isOwn(each, ids),
    );
    const there = own.filter((each) => each.ts === ts).flatMap(picturesOf);
    const names = own.flatMap(filesOf).flatMap(({ id, name }) => [id, name]);
    return { names: new Set([...names, ...there.map(({ name }) => name)]), pictures: there };
  }

  /** Adds files to a message; files that Slack does not accept there follow in another message. */
  async #show(
    room: Room,
    ts: string,
    message: DrawnMessage,
    shown: Shown,
    uploads: readonly Upload[],
  ): Promise<void> {
    try {
      await completeUploads(this.#context.workspaces, room.team, uploads);
      await this.#attach(room, ts, message, shown, uploads);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code === "unavailable") throw error;
      await this.#writer.edit(room, ts, message, { pictures: shown.pictures, files: [] });
      return this.#share(room, uploads);
    }
    const { names } = await this.#shownFrom(room, ts);
    await this.#share(
      room,
      uploads.filter(({ file, id }) => !isShown(names, file) && !names.has(id)),
    );
  }

  async #attach(
    room: Room,
    ts: string,
    message: DrawnMessage,
    shown: Shown,
    uploads: readonly Upload[],
  ): Promise<void> {
    const isPicture = ({ file }: Upload) => pictures.has(file.media_type);
    const ids = (some: readonly Upload[]) => some.map(({ id }) => id);
    const added = uploads.filter(isPicture).map(({ id, alt }): Picture => ({ id, name: alt }));
    try {
      const others = uploads.filter((each) => !isPicture(each));
      const all = { pictures: [...shown.pictures, ...added], files: ids(others) };
      await this.#writer.edit(room, ts, message, all);
    } catch (error) {
      // A picture may be invalid, or not ready yet.
      if (added.length === 0 || !refusedWith(error, "invalid_blocks")) throw error;
      await this.#writer.edit(room, ts, message, { pictures: shown.pictures, files: ids(uploads) });
    }
  }

  /** Posts files in a message of their own. */
  async #share(room: Room, uploads: readonly Upload[]): Promise<void> {
    const files = uploads.map(({ file }) => file);
    const { workspaces } = this.#context;
    try {
      await completeUploads(workspaces, room.team, await uploadFiles(workspaces, room.team, files), room);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const names = files.map(({ name }) => name).join(", ");
      const markdown = `I could not attach ${names}. ${error.message}`;
      await this.#writer.post(room, { markdown }).catch(fallbackTo(undefined));
    }
  }
}

/** Attached files are known by their names, pictures by their words. */
function isShown(names: ReadonlySet<string>, file: OutgoingFile): boolean {
  return names.has(file.name) || names.has(wordsFor(file));
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
