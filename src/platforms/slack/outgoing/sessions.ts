import {
  type ConversationState,
  type OutgoingButton,
  PlatformError,
} from "../../../core/ports/chat-platform.ts";
import type { Clock, Log } from "../../../core/ports/storage.ts";
import type { Place } from "../../../core/values/place.ts";
import { type Room, roomOf, type SlackContext } from "../channel/slack-rooms.ts";
import { AbsentFeature } from "../connection/absent-features.ts";

/** Slack does not show its Stop button for an app without a subscription to `agent_session_stopped`. */
const noStop = "missing_agent_session_stopped_event_subscription";

const statuses = { working: "processing", waiting: "suspended", idle: "active" } as const;

const keyOf = ({ channel, thread }: Room) => `${channel} ${thread}`;

/**
 * Slack's agent sessions: the status and title of a thread, and Slack's own Stop button while it is `processing`
 * (docs.slack.dev/ai/agent-sessions). Slack changes no status by itself, not even after a press of Stop.
 */
export class Sessions {
  readonly #context: SlackContext;
  readonly #logger: Log;
  readonly #without: AbsentFeature;
  /** Workspaces in which Slack shows its own Stop button. */
  readonly #stoppable = new Set<string>();
  /** Threads whose session works, and those of them whose stream has set the status already. */
  readonly #working = new Set<string>();
  readonly #done = new Set<string>();

  constructor(context: SlackContext, clock: Clock, logger: Log) {
    this.#context = context;
    this.#logger = logger;
    this.#without = new AbsentFeature(clock);
  }

  /** As `ChatPlatform.showState`. */
  async showState(place: Place, state: ConversationState, title: string): Promise<void> {
    try {
      await this.#show(place, state, title);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.#logger.debug({ err: error, namespace: place.namespace }, "Slack did not show a session");
    }
  }

  /** The buttons that a message needs: without Stop where Slack shows its own. */
  ownButtons(room: Room, buttons: readonly OutgoingButton[]): readonly OutgoingButton[] {
    const hasOwn = this.#stoppable.has(room.team) && this.#working.has(keyOf(room));
    return hasOwn ? buttons.filter(({ action }) => action.role !== "stop") : buttons;
  }

  /** Arguments that end the session's work with a stream. */
  statusAtEnd(room: Room): { session_status?: string } {
    return this.#working.has(keyOf(room)) ? { session_status: statuses.idle } : {};
  }

  /** A stream was ended with `statusAtEnd`. */
  ended(room: Room): void {
    if (this.#working.delete(keyOf(room))) this.#done.add(keyOf(room));
  }

  /** Renames a session. False where there are none. @throws PlatformError */
  async rename(room: Room, title: string): Promise<boolean> {
    const { team, channel, thread } = room;
    if (!this.#stoppable.has(team) || thread === undefined || this.#without.isAbsent(room)) return false;
    await this.#context.workspaces.call(team, "name a session", ({ write }) =>
      write.agents.sessions.rename({ channel_id: channel, thread_ts: thread, title: title.slice(0, 200) }),
    );
    return true;
  }

  async #show(place: Place, state: ConversationState, title: string): Promise<void> {
    const room = await roomOf(this.#context, place);
    const key = keyOf(room);
    const isShown = state === "idle" && this.#done.has(key);
    this.#done.delete(key);
    this.#working.delete(key);
    if (isShown || room.thread === undefined || this.#without.isAbsent(room)) return;
    try {
      await this.#set({ ...room, thread: room.thread }, state, title);
      if (state === "working") this.#working.add(key);
    } catch (error) {
      this.#without.note(error, room);
      if (this.#without.isAbsent(room)) this.#stoppable.delete(room.team);
      throw error;
    }
  }

  async #set(
    { team, channel, thread }: Room & { thread: string },
    state: ConversationState,
    title: string,
  ): Promise<void> {
    const { response_metadata } = await this.#context.workspaces.call(team, "show a session", ({ write }) =>
      write.agents.sessions.setStatus({
        channel_id: channel,
        status: statuses[state],
        thread_ts: thread,
        ...(title && { title: title.slice(0, 200) }),
      }),
    );
    if (response_metadata?.warnings?.includes(noStop)) this.#stoppable.delete(team);
    else this.#stoppable.add(team);
  }
}
