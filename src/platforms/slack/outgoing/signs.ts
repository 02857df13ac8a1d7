import { KeyedMutex } from "../../../base/keyed-mutex.ts";
import { type ChatPlatform, PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { isTimestamp } from "../channel/slack-place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { refusedWith } from "../connection/slack-call.ts";

/** What shows that the bot is there without saying anything. */
export interface Signs extends Pick<ChatPlatform, "showWorking" | "markSeen"> {
  /** Names a thread of direct messages, where Slack shows names. Never throws for what Slack refuses. */
  nameThread(place: Place, title: string): Promise<void>;
}

/** A failure here is never worth a turn: it is only logged. */
export function createSigns(context: SlackContext, logger: Log): Signs {
  const { workspaces } = context;
  /** Channels in which Slack shows no status, and workspaces without the scope. */
  const without = new Set<string>();
  /** A mark that is taken away at once must not arrive before it is set. */
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
      quietly("show a status", place, async ({ team, channel, thread }) => {
        if (thread === undefined || without.has(team) || without.has(channel)) return;
        try {
          await workspaces.call(team, "show a status", ({ write }) =>
            write.assistant.threads.setStatus({ channel_id: channel, thread_ts: thread, ...statusOf(note) }),
          );
        } catch (error) {
          if (refusedWith(error, "missing_scope", "unknown_method", "not_allowed_token_type"))
            without.add(team);
          if (refusedWith(error, "channel_type_not_supported", "method_not_supported_for_channel_type")) {
            without.add(channel);
          }
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
      quietly("name a thread", place, async ({ team, channel, thread, direct }) => {
        if (!direct || thread === undefined) return;
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

/** Slack shows `status` behind the bot's name, and `loading_messages` where the answer will stand. */
function statusOf(note: string | undefined): { status: string; loading_messages?: string[] } {
  if (note === undefined) return { status: "" };
  return note === "" ? { status: "is thinking…" } : { status: "is working…", loading_messages: [note] };
}
