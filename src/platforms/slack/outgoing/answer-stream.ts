import type { types, webApi } from "@slack/bolt";
import { beginningOf } from "../../../base/markdown-text.ts";
import {
  type AnswerStream,
  type ChatPlatform,
  type MessageTag,
  type OutgoingMessage,
  PlatformError,
  type ProgressCard,
  type ReplyTarget,
} from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { AbsentFeature } from "../connection/absent-features.ts";
import type { WebClient } from "../connection/sdk-clients.ts";
import { refusedWith } from "../connection/slack-call.ts";
import { hasDataTable } from "./data-tables.ts";
import { markdownCharacters, mentionsMissing, PieceFilter } from "./outgoing-text.ts";
import { planChunks, type ShownPlan } from "./progress-plan.ts";
import { buttonBlocks, metadataOf } from "./render-message.ts";
import type { Sessions } from "./sessions.ts";

/** Refusals of a stream that has ended: Slack closes long ones, and allows fewer characters than in a message. */
const endRefusals = ["message_not_in_streaming_state", "msg_blocks_too_long", "msg_too_long"];

type Chunk = NonNullable<webApi.ChatAppendStreamArguments["chunks"]>[number];
type Start = Parameters<NonNullable<ChatPlatform["openStream"]>>[3];

/** The platform's functions that a stream uses: to edit its message, files included, to delete it, and to post another one. */
export type StreamedMessages = Pick<ChatPlatform, "edit" | "remove" | "post">;

/**
 * Opens Slack's own streams. A workspace or channel without them is remembered, and throws `PlatformError` at once from then
 * on.
 */
export function createStreams(
  context: SlackContext,
  messages: StreamedMessages,
  sessions: Sessions,
  clock: Clock,
  editInterval: number,
) {
  const without = new AbsentFeature(clock);
  /** Workspaces that allow no buttons in a stream. */
  const buttonless = new Set<string>();

  return async (place: Place, tag: MessageTag, to: ReplyTarget, start: Start): Promise<AnswerStream> => {
    const room = await roomOf(context, place);
    if (room.thread === undefined || without.isAbsent(room)) {
      throw new PlatformError("invalid", "Slack does not stream here.");
    }
    const at = { place, room, tag, clock, sessions, editInterval };
    const stream = new SlackAnswerStream(context, messages, at);
    try {
      await stream.start(to, start, !buttonless.has(room.team));
    } catch (error) {
      without.note(error, room, "invalid_chunks");
      if (!refusedWith(error, "invalid_blocks", "unsupported_block")) throw error;
      buttonless.add(room.team);
      await stream.start(to, start, false);
    }
    return stream;
  };
}

interface StreamPlace {
  place: Place;
  room: Room;
  tag: MessageTag;
  clock: Clock;
  sessions: Sessions;
  /** Minimum time between two edits, ms. */
  editInterval: number;
}

/** A stream that continues with edits of its message after Slack has closed it: no text is repeated or lost. */
class SlackAnswerStream implements AnswerStream {
  reference = "";
  readonly #context: SlackContext;
  readonly #messages: StreamedMessages;
  readonly #at: StreamPlace;
  #filter = new PieceFilter();
  /** All text handed in. */
  #given = "";
  #card: ProgressCard | undefined;
  /** Text that Slack has not confirmed yet. */
  #pending = "";
  #shown: ShownPlan = new Map();
  /** Text that Slack has. */
  #streamed = "";
  /** When the message was last edited; undefined while Slack streams. */
  #editedAt: number | undefined;

  constructor(context: SlackContext, messages: StreamedMessages, at: StreamPlace) {
    this.#context = context;
    this.#messages = messages;
    this.#at = at;
  }

  /** Only progress gets buttons, since such a turn may take long; an answer alone is soon complete. */
  async start(to: ReplyTarget, { markdown, progress, buttons = [], calls }: Start, mayHaveButtons: boolean) {
    const { room, sessions } = this.#at;
    const { team, channel, thread = "" } = room;
    const own = sessions.ownButtons(room, buttons);
    const plan = progress === undefined ? undefined : planChunks(progress, this.#shown);
    const hasButtons = plan !== undefined && mayHaveButtons && own.length > 0;
    this.#filter = new PieceFilter();
    const text = this.#filter.push(markdown, calls);
    const first = beginningOf(text, markdownCharacters);
    const chunks: Chunk[] = [
      ...(plan?.chunks ?? []),
      ...(hasButtons ? [{ type: "blocks", blocks: buttonBlocks(own, true) } as Chunk] : []),
      ...textChunks(first),
    ];
    const { ts = "" } = await this.#context.workspaces.call(team, "begin a stream", ({ write }) =>
      write.chat.startStream({
        channel,
        thread_ts: thread,
        recipient_user_id: to.person,
        recipient_team_id: team,
        task_display_mode: "plan",
        ...(chunks.length > 0 && { chunks }),
      }),
    );
    this.reference = ts;
    this.#given = markdown;
    this.#streamed = first;
    this.#pending = text.slice(first.length);
    this.#card = progress;
    this.#shown = plan?.shown ?? this.#shown;
  }

  async append(markdown: string, calls?: readonly string[]): Promise<void> {
    this.#given += markdown;
    if (this.#editedAt === undefined) this.#pending += this.#filter.push(markdown, calls);
    await this.#grow(async () => {
      while (this.#pending !== "") {
        const piece = beginningOf(this.#pending, markdownCharacters);
        await this.#send(textChunks(piece));
        this.#streamed += piece;
        this.#pending = this.#pending.slice(piece.length);
      }
    });
  }

  async progress(card: ProgressCard): Promise<void> {
    this.#card = card;
    await this.#grow(async () => {
      const { chunks, shown } = planChunks(card, this.#shown);
      if (chunks.length > 0) await this.#send(chunks);
      this.#shown = shown;
    });
  }

  /**
   * A stream that Slack closed, or whose end differs from the streamed text, is corrected by an edit of its message. An edit
   * also adds links, because Slack previews none of an edit, and changes progress, buttons and files, which a stream cannot. An
   * edit notifies nobody: people whom only the edit would mention are mentioned in the stream's last text, or in a further
   * message.
   */
  async finish(message: OutgoingMessage): Promise<void> {
    const { markdown, buttons = [], calls } = message;
    const rest = markdown.startsWith(this.#given) ? markdown.slice(this.#given.length) : undefined;
    if (rest !== undefined) {
      // Kept for a retry: Slack may be too busy to end the stream.
      this.#pending += this.#filter.push(rest, calls) + this.#filter.end(calls);
      this.#given = markdown;
    }
    const last = this.#pending;
    const isSame = rest !== undefined && last.length <= markdownCharacters && !this.#filter.tookLinks;
    const missing = (got: string) => mentionsMissing(got, markdown, calls);
    const complete = isSame && this.#isTextAlone(message) && missing(this.#streamed + last).length === 0;
    const words = complete ? last : missing(this.#streamed).join(" ");
    const blocks = buttonBlocks(buttons, true) as types.KnownBlock[];
    const { room, sessions } = this.#at;
    const ended = await this.#stop({
      ...sessions.statusAtEnd(room),
      ...(words !== "" && { chunks: textChunks(words) }),
      ...(complete && blocks.length > 0 && { blocks }),
    });
    if (ended) sessions.ended(room);
    if (ended) this.#streamed += words;
    if (!complete || !ended) await this.#edit(message);
    const unheard = missing(this.#streamed);
    if (unheard.length > 0) await this.#messages.post(this.#at.place, { markdown: unheard.join(" "), calls });
  }

  #isTextAlone({ markdown, progress, files = [] }: OutgoingMessage): boolean {
    return progress === undefined && files.length === 0 && this.#shown.size === 0 && !hasDataTable(markdown);
  }

  async cancel(): Promise<void> {
    await this.#stop({});
    await this.#messages.remove(this.#at.place, this.reference);
  }

  /** Extends the stream; after Slack has ended it, edits the message. */
  async #grow(send: () => Promise<void>): Promise<void> {
    if (this.#editedAt !== undefined) return this.#showEdited();
    try {
      await send();
    } catch (error) {
      if (!refusedWith(error, ...endRefusals)) throw error;
      this.#editedAt = 0;
      await this.#showEdited();
    }
  }

  async #showEdited(): Promise<void> {
    const { clock, editInterval } = this.#at;
    if (clock.now() - (this.#editedAt ?? 0) < editInterval) return;
    this.#editedAt = clock.now();
    await this.#edit({ markdown: this.#given, progress: this.#card });
  }

  #edit(message: OutgoingMessage): Promise<void> {
    return this.#messages.edit(this.#at.place, this.reference, { ...message, tag: this.#at.tag });
  }

  /** Whether Slack accepted this end; false when the stream had already ended, or when Slack refused it. */
  async #stop(end: {
    chunks?: Chunk[];
    blocks?: types.KnownBlock[];
    session_status?: string;
  }): Promise<boolean> {
    if (this.#editedAt !== undefined) return false;
    const metadata = metadataOf(this.#at.tag);
    try {
      await this.#call("end a stream", (chat, at) => chat.stopStream({ ...at, ...end, metadata }));
      return true;
    } catch (error) {
      if (refusedWith(error, "message_not_in_streaming_state")) return false;
      const isRefused = refusedWith(error, ...endRefusals, "invalid_blocks", "unsupported_block");
      if (!isRefused || Object.keys(end).length === 0) throw error;
      await this.#stop({});
      return false;
    }
  }

  #send(chunks: Chunk[]): Promise<unknown> {
    return this.#call("stream", (chat, at) => chat.appendStream({ ...at, chunks }));
  }

  #call<T>(
    what: string,
    call: (chat: WebClient["chat"], at: { channel: string; ts: string }) => Promise<T>,
  ): Promise<T> {
    const { team, channel } = this.#at.room;
    return this.#context.workspaces.call(team, what, ({ write }) =>
      call(write.chat, { channel, ts: this.reference }),
    );
  }
}

function textChunks(text: string): Chunk[] {
  return text === "" ? [] : [{ type: "markdown_text", text } as Chunk];
}
