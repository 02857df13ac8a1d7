import type { types } from "@slack/bolt";
import {
  type AnswerStream,
  type MessageTag,
  type OutgoingMessage,
  PlatformError,
  type ReplyTarget,
} from "../../core/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { Place } from "../../core/place.ts";
import { createPieceFilter, markdownCharacters, mentionsMissing, wholeCharacters } from "./outgoing-text.ts";
import type { MessageWriter } from "./post-message.ts";
import { buttonBlocks, metadataOf } from "./render-message.ts";
import { refusedWith } from "./slack-call.ts";
import { type Room, roomOf, type SlackContext } from "./slack-rooms.ts";
import type { WebClient } from "./workspaces.ts";

/** Slack's answers where an app cannot stream at all. */
const cannotStream = [
  "channel_type_not_supported",
  "feature_not_enabled",
  "method_not_supported_for_channel_type",
  "missing_scope",
  "not_allowed_token_type",
  "unknown_method",
];

/** Slack's answer to a stream that it has closed by itself, as it does with long ones. */
const closed = "message_not_in_streaming_state";

/** Opens Slack's own streams. Where a workspace has none, that is remembered and it is `PlatformError` at once. */
export function createStreams(
  context: SlackContext,
  writer: MessageWriter,
  clock: Clock,
  editInterval: number,
) {
  const without = new Set<string>();

  return async (place: Place, tag: MessageTag, to: ReplyTarget): Promise<AnswerStream> => {
    const room = await roomOf(context, place);
    if (room.thread === undefined || without.has(room.team)) {
      throw new PlatformError("invalid", "Slack does not stream here.");
    }
    try {
      const reference = await startStream(context, room, to);
      return new SlackAnswerStream(context, writer, { place, room, tag, reference, clock, editInterval });
    } catch (error) {
      if (refusedWith(error, ...cannotStream)) without.add(room.team);
      throw error;
    }
  };
}

async function startStream({ workspaces }: SlackContext, room: Room, to: ReplyTarget): Promise<string> {
  const { team, channel, thread = "" } = room;
  const { ts = "" } = await workspaces.call(team, "begin a stream", ({ write }) =>
    write.chat.startStream({
      channel,
      thread_ts: thread,
      recipient_user_id: to.person,
      recipient_team_id: team,
    }),
  );
  return ts;
}

interface StreamPlace {
  place: Place;
  room: Room;
  tag: MessageTag;
  reference: string;
  clock: Clock;
  /** Least time between two edits, ms. */
  editInterval: number;
}

/** A stream that goes on by editing its message once Slack has closed it: nothing is shown twice and nothing lost. */
class SlackAnswerStream implements AnswerStream {
  readonly reference: string;
  readonly #context: SlackContext;
  readonly #writer: MessageWriter;
  readonly #at: StreamPlace;
  readonly #filter = createPieceFilter();
  /** All that was handed in. */
  #given = "";
  /** What Slack has not confirmed yet. */
  #pending = "";
  /** What it has. */
  #streamed = "";
  /** When the message was last edited; undefined while Slack streams. */
  #editedAt: number | undefined;

  constructor(context: SlackContext, writer: MessageWriter, at: StreamPlace) {
    this.#context = context;
    this.#writer = writer;
    this.#at = at;
    this.reference = at.reference;
  }

  async append(markdown: string, calls?: readonly string[]): Promise<void> {
    this.#given += markdown;
    if (this.#editedAt !== undefined) return this.#showEdited();
    this.#pending += this.#filter.push(markdown, calls);
    try {
      await this.#send();
    } catch (error) {
      if (!refusedWith(error, closed)) throw error;
      this.#editedAt = 0;
      await this.#showEdited();
    }
  }

  /**
   * A stream that Slack closed, or whose end differs from what was streamed, is made right by editing its message. So are links: Slack
   * previews none that an edit brings. An edit notifies nobody, so whom only it would mention is mentioned by the stream's last words.
   */
  async finish(message: OutgoingMessage): Promise<void> {
    const { markdown, buttons = [], calls } = message;
    const rest = markdown.startsWith(this.#given) ? markdown.slice(this.#given.length) : undefined;
    const last =
      rest === undefined ? "" : this.#pending + this.#filter.push(rest, calls) + this.#filter.end(calls);
    const fits = rest !== undefined && last.length <= markdownCharacters && !this.#filter.tookLinks;
    const missed = mentionsMissing(this.#streamed + (fits ? last : ""), markdown, calls);
    const complete = fits && missed.length === 0;
    const words = complete ? last : missed.join(" ");
    const ended = await this.#stop({
      ...(words === "" ? {} : { markdown_text: words }),
      ...(complete && buttons.length > 0
        ? { blocks: buttonBlocks(buttons, true) as types.KnownBlock[] }
        : {}),
    });
    if (!complete || !ended) await this.#edit(message);
  }

  async cancel(): Promise<void> {
    await this.#stop({});
    await this.#writer.remove(this.#at.place, this.reference);
  }

  async #send(): Promise<void> {
    while (this.#pending !== "") {
      const piece = wholeCharacters(this.#pending, markdownCharacters);
      await this.#call("stream", (chat, at) => chat.appendStream({ ...at, markdown_text: piece }));
      this.#streamed += piece;
      this.#pending = this.#pending.slice(piece.length);
    }
  }

  async #showEdited(): Promise<void> {
    const { clock, editInterval } = this.#at;
    if (clock.now() - (this.#editedAt ?? 0) < editInterval) return;
    this.#editedAt = clock.now();
    await this.#edit({ markdown: this.#given });
  }

  #edit(message: OutgoingMessage): Promise<void> {
    return this.#writer.edit(this.#at.place, this.reference, { ...message, tag: this.#at.tag });
  }

  /** Whether Slack took this as the end; false when the stream had ended before, or the blocks were refused. */
  async #stop(end: { markdown_text?: string; blocks?: types.KnownBlock[] }): Promise<boolean> {
    if (this.#editedAt !== undefined) return false;
    const metadata = metadataOf(this.#at.tag);
    try {
      await this.#call("end a stream", (chat, at) => chat.stopStream({ ...at, ...end, metadata }));
      return true;
    } catch (error) {
      if (refusedWith(error, closed)) return false;
      if (!refusedWith(error, "invalid_blocks") || end.blocks === undefined) throw error;
      await this.#stop({});
      return false;
    }
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
