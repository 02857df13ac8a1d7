import {
  type ChatPlatform,
  type ConversationState,
  type OutgoingButton,
  PlatformError,
} from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { createAbsentFeature } from "../connection/absent-features.ts";

/** Slack does not show its Stop button for an app without a subscription to `agent_session_stopped`. */
const noStop = "missing_agent_session_stopped_event_subscription";

const statuses = { working: "processing", waiting: "suspended", idle: "active" } as const;

/**
 * Slack's agent sessions: the status and title of a thread, and Slack's own Stop button while it is `processing`
 * (docs.slack.dev/ai/agent-sessions). Slack changes no status by itself, not even after a press of Stop.
 */
export interface Sessions {
  showState: NonNullable<ChatPlatform["showState"]>;
  /** The buttons that a message needs: without Stop where Slack shows its own. */
  ownButtons(room: Room, buttons: readonly OutgoingButton[]): readonly OutgoingButton[];
  /** Arguments that end the session's work with a stream. */
  statusAtEnd(room: Room): { session_status?: string };
  /** A stream was ended with `statusAtEnd`. */
  ended(room: Room): void;
  /** Renames a session. False where there are none. @throws PlatformError */
  rename(room: Room, title: string): Promise<boolean>;
}

export function createSessions(context: SlackContext, clock: Clock, logger: Log): Sessions {
  const { workspaces } = context;
  const without = createAbsentFeature(clock);
  /** Workspaces in which Slack shows its own Stop button. */
  const stoppable = new Set<string>();
  /** Threads whose session works, and those of them whose stream has set the status already. */
  const working = new Set<string>();
  const done = new Set<string>();
  const keyOf = ({ channel, thread }: Room) => `${channel} ${thread}`;

  const set = async (room: Room, state: ConversationState, title: string) => {
    const { team, channel, thread } = room;
    const { response_metadata } = await workspaces.call(team, "show a session", ({ write }) =>
      write.agents.sessions.setStatus({
        channel_id: channel,
        status: statuses[state],
        ...(thread === undefined ? {} : { thread_ts: thread }),
        ...(title === "" ? {} : { title: title.slice(0, 200) }),
      }),
    );
    if (response_metadata?.warnings?.includes(noStop)) stoppable.delete(team);
    else stoppable.add(team);
  };
  const show = async (place: Place, state: ConversationState, title: string) => {
    const room = await roomOf(context, place);
    const key = keyOf(room);
    const isShown = state === "idle" && done.has(key);
    done.delete(key);
    working.delete(key);
    if (isShown || room.thread === undefined || without.isAbsent(room)) return;
    try {
      await set(room, state, title);
      if (state === "working") working.add(key);
    } catch (error) {
      without.note(error, room);
      if (without.isAbsent(room)) stoppable.delete(room.team);
      throw error;
    }
  };
  return {
    async showState(place, state, title) {
      try {
        await show(place, state, title);
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        logger.debug({ err: error, namespace: place.namespace }, "Slack did not show a session");
      }
    },
    ownButtons(room, buttons) {
      const hasOwn = stoppable.has(room.team) && working.has(keyOf(room));
      return hasOwn ? buttons.filter(({ action }) => action.role !== "stop") : buttons;
    },
    statusAtEnd: (room) => (working.has(keyOf(room)) ? { session_status: statuses.idle } : {}),
    ended(room) {
      if (working.delete(keyOf(room))) done.add(keyOf(room));
    },
    async rename(room, title) {
      const { team, channel, thread } = room;
      if (!stoppable.has(team) || thread === undefined || without.isAbsent(room)) return false;
      await workspaces.call(team, "name a session", ({ write }) =>
        write.agents.sessions.rename({ channel_id: channel, thread_ts: thread, title: title.slice(0, 200) }),
      );
      return true;
    },
  };
}
