import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import {
  type ChatPlatform,
  PlatformError,
  type PlatformLimits,
  type PlatformWriting,
} from "../../../core/ports/chat-platform.ts";
import type { Place } from "../../../core/values/place.ts";
import { createChatActions } from "../channel/chat-actions.ts";
import { readableText } from "../channel/mrkdwn.ts";
import { findTagged, namesOf, readThread } from "../channel/read-history.ts";
import type { ReplyAddresses } from "../channel/reply-addresses.ts";
import type { SearchContext } from "../channel/search-messages.ts";
import { isTimestamp, targetOf } from "../channel/slack-place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { AbsentFeature } from "../connection/absent-features.ts";
import { fallbackTo, refusedWith } from "../connection/slack-call.ts";
import type { SlackSettings } from "../connection/slack-settings.ts";
import { createStreams, type StreamedMessages } from "./answer-stream.ts";
import { tableLimits } from "./data-tables.ts";
import { MessageWriter } from "./post-message.ts";
import { Sessions } from "./sessions.ts";
import { FileShow } from "./show-files.ts";
import { downloadFile } from "./transfer-files.ts";
import { answerAddress, createWhisper } from "./whisper.ts";

const limits: PlatformLimits = {
  // A markdown block holds 12,000 characters; Slack refuses a message from about 13,200 characters in all blocks (bolt-js
  // #2509).
  message_characters: 11_000,
  // chat.update is in tier 3: 50 calls a minute.
  edit_interval_ms: 1_500,
  file_bytes: 100_000_000,
  tables: tableLimits,
};

/** Slack as the app sees it. */
export function createSlackPlatform(
  context: SearchContext,
  addresses: ReplyAddresses,
  settings: Pick<SlackSettings, "streaming" | "api_url">,
): ChatPlatform & Signs {
  const { clock, logger, workspaces, directory } = context;
  const sessions = new Sessions(context, clock, logger);
  const writer = new MessageWriter(context, settings.streaming, sessions, clock);
  const files = new FileShow(context, writer, clock);
  const edit: ChatPlatform["edit"] = async (place, ts, message) =>
    files.edit(await roomOf(context, place), ts, message);
  const streamed: StreamedMessages = {
    edit,
    remove: (...given) => writer.remove(...given),
    post: async (place, message) => files.post(await roomOf(context, place), message),
  };
  const openStream = createStreams(context, streamed, sessions, clock, limits.edit_interval_ms);

  return {
    id: "slack",
    limits,
    writing: slackWriting,
    async post(place, message, to, stillWanted) {
      const room = await roomOf(context, place);
      try {
        return await files.post(room, message, stillWanted);
      } catch (error) {
        // A command may come from a conversation without the bot; its response address works nevertheless.
        const absent = refusedWith(error, "not_in_channel", "channel_not_found");
        if (!absent || to === undefined) throw error;
        if (await answerAddress(writer, addresses, room.team, message, to, "in_channel")) return "response";
        throw error;
      }
    },
    edit,
    remove: streamed.remove,
    whispers_here: true,
    whisper: createWhisper(context, writer, files, addresses),
    isUnseen: ({ message }) => message !== undefined && !isTimestamp(message),
    find: (place, tag) => findTagged(context, place, tag),
    ...(settings.streaming === "auto" && { openStream }),
    showState: (...given) => sessions.showState(...given),
    ...createSigns(context, sessions),
    person: (place, id) => directory.person(targetOf(place), id),
    readThread: (place, limit) => readThread(context, place, limit),
    download: (place, file, options) =>
      downloadFile(workspaces, targetOf(place).team, file, { ...options, apiUrl: settings.api_url }),
    describe: (place) => describe(context, place),
    actions: createChatActions(context),
    deciders: (place, approver) => directory.deciders(targetOf(place), approver),
  };
}

/** Name and topic of a channel. The topic has Slack's markup, like a message. */
async function describe({ directory }: SlackContext, place: Place): ReturnType<ChatPlatform["describe"]> {
  const target = targetOf(place);
  if (target.channel === undefined) return {};
  try {
    const { name, about } = await directory.channel(target.team, target.channel);
    const topic = await readableText(about, "", namesOf(directory, target.team));
    return { name, topic: topic || undefined };
  } catch (error) {
    return fallbackTo({})(error);
  }
}

/**
 * Slack renders the Markdown itself, in its `markdown` block: https://docs.slack.dev/reference/block-kit/blocks/markdown-block.
 * `outgoing-text.ts` disables mentions that are not in `OutgoingMessage.calls`.
 */
export const slackWriting: PlatformWriting = {
  name: "Slack",
  formatting:
    "Write standard Markdown, not Slack's own markup: **bold**, [links](https://example.com), lists, headings, code and tables are shown; images become links; HTML and formulas stay as written.",
  mentions:
    "A mention notifies: <@U012AB3CD> a person, <@&S012AB3CD> a user group. Write one only for those whom the message mentions, who asked, or whom the person confirmed, when they should be notified; others, @here, @channel and @everyone are shown as plain text.",
};

/** Signs of the bot's activity that are no messages. */
interface Signs extends Pick<ChatPlatform, "showWorking" | "markSeen"> {
  /** Names a thread of direct messages, if Slack shows names. Never throws for a refusal of Slack. */
  nameThread(place: Place, title: string): Promise<void>;
}

/** A failure here must not fail a turn: it is only logged. */
function createSigns(context: SearchContext, sessions: Sessions): Signs {
  const { workspaces, clock, logger } = context;
  const without = new AbsentFeature(clock);
  /** Keeps the order: a reaction must not be removed before it is set. */
  const marks = new KeyedMutex();

  const quietly = async (what: string, place: Place, act: (room: Room) => Promise<unknown>) => {
    try {
      await act(await roomOf(context, place));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      logger.debug({ err: error, namespace: place.namespace }, `Slack did not ${what}`);
    }
  };
  return {
    showWorking: (place, note) =>
      quietly("show a status", place, async (room) => {
        const { team, channel, thread } = room;
        if (thread === undefined || without.isAbsent(room)) return;
        try {
          await workspaces.call(team, "show a status", ({ write }) =>
            write.assistant.threads.setStatus({ channel_id: channel, thread_ts: thread, ...statusOf(note) }),
          );
        } catch (error) {
          without.note(error, room);
          throw error;
        }
      }),
    markSeen: (place, message, seen) =>
      marks.run(`${place.namespace} ${message}`, () =>
        quietly("mark a message", place, async ({ team, channel }) => {
          if (!isTimestamp(message)) return;
          const reaction = { channel, timestamp: message, name: "eyes" };
          await workspaces.call(team, "mark a message", ({ write }) =>
            seen ? write.reactions.add(reaction) : write.reactions.remove(reaction),
          );
        }),
      ),
    nameThread: (place, title) =>
      quietly("name a thread", place, async (room) => {
        const { team, channel, thread, direct } = room;
        if (!direct || thread === undefined) return;
        if (await sessions.rename(room, title).catch(fallbackTo(false))) return;
        await workspaces.call(team, "name a thread", ({ write }) =>
          write.assistant.threads.setTitle({
            channel_id: channel,
            thread_ts: thread,
            title: title.slice(0, 200),
          }),
        );
      }),
  };
}

/** Slack shows `status` after the bot's name, and `loading_messages` in place of the answer. */
function statusOf(note: string | undefined): { status: string; loading_messages?: string[] } {
  if (note === undefined) return { status: "" };
  return note === "" ? { status: "is thinking…" } : { status: "is working…", loading_messages: [note] };
}
