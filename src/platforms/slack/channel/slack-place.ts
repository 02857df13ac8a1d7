import type { Place } from "../../../core/values/place.ts";

/** The thread of slash commands: Slack allows none in threads, so their answers are in the channel itself. */
export const commandThread = "commands";

/** The thread of direct messages outside any thread: requests from elsewhere, and greetings. */
export const directThread = "dm";

/** A place in Slack. `person` is set in direct messages with the bot, `channel` elsewhere. */
export type SlackTarget = { team: string; thread?: string | undefined } & (
  | { person: string; channel?: undefined }
  | { channel: string; person?: undefined }
);

export function slackNamespace(team: string, channel: string): string {
  return `slack:${team}:${channel}`;
}

export function directNamespace(team: string, person: string): string {
  return `slack:${team}:dm-${person}`;
}

/** Whether a text can be the id of a person. Nothing else is written as a mention, or looked up. */
export function isPersonId(value: string): boolean {
  return /^[UW][A-Z0-9]{2,30}$/.test(value);
}

/** Whether a text is a Slack `ts`, the id of messages and threads. */
export function isTimestamp(value: string): boolean {
  return /^\d{1,12}\.\d{1,8}$/.test(value);
}

/** ms since the epoch of a `ts`. */
export function timeOf(ts: string): number {
  return Math.round(Number(ts) * 1000);
}

/** `thread` is the thread's `ts`, undefined in the channel itself. */
export function targetOf(place: Place): SlackTarget {
  const [, team = "", channel = ""] = place.namespace.split(":");
  const thread = isTimestamp(place.thread) ? place.thread : undefined;
  return channel.startsWith("dm-")
    ? { team, person: channel.slice("dm-".length), thread }
    : { team, channel, thread };
}

/** The key of a message: the same in `message`, `app_mention`, retries and history. */
export function messageKey(team: string, channel: string, ts: string): string {
  return `slack:${team}:${channel}:${ts}`;
}
