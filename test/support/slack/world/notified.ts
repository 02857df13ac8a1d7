import type { MessageRecord } from "./message-record.ts";
import type { World } from "./world.ts";

/** Mentions as Slack's text, its mrkdwn and the markdown block have them; in code they are shown only. */
const mention = /<(@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+|!(?:channel|here|everyone))(?:\|[^>]*)?>/g;
const code = /```[\s\S]*?```|`[^`\n]*`/g;

/**
 * Whom a text notifies when it is posted or streamed: ids of people who are in the channel and of user groups, and `!here`, `!channel`,
 * `!everyone`. What an edit brings notifies nobody.
 */
export function notifiedBy(world: World, channel: string, text: string): string[] {
  const members = world.channels.get(channel)?.members ?? [];
  const groups = (world.seed.user_groups ?? []).map(({ id }) => id);
  const found = [...text.replace(code, "").matchAll(mention)].map(([, inner = ""]) =>
    inner.replace(/^(?:@|!subteam\^)/, ""),
  );
  return [...new Set(found)].filter(
    (id) => id.startsWith("!") || members.includes(id) || groups.includes(id),
  );
}

/** The people who got a notification when a message was posted, and what it read. */
export interface Heard {
  people: string[];
  text: string;
}

/**
 * Who hears of a message that is posted now: whom it mentions, the person of direct messages, and in a thread its followers, who are those
 * who wrote there or were mentioned there. An edit is heard by nobody. The notification reads `text`, or the words if there is none.
 */
export function heardNow(world: World, message: MessageRecord): Heard {
  const { channel, thread_ts, user, notified = [] } = message;
  const place = world.channels.get(channel);
  const isThere = (id: string) => place?.members.includes(id) === true;
  const thread = world.messages.filter(
    (each) =>
      thread_ts !== undefined &&
      each.channel === channel &&
      (each.ts === thread_ts || each.thread_ts === thread_ts),
  );
  const followers = thread.flatMap((each) => [
    each.user,
    ...notifiedBy(world, channel, `${each.text}\n${shownWords(each)}`),
  ]);
  const all = [...notified, ...(place?.kind === "im" ? place.members : followers)];
  const people = [...new Set(all)].filter((id) => id !== user && isThere(id));
  return { people, text: message.text || shownWords(message) };
}

/** The words of a message that people see: of its blocks where it has some, since `text` is only the notification's then. */
export function shownWords(message: { text: string; blocks: readonly Record<string, unknown>[] }): string {
  return message.blocks.length === 0 ? message.text : message.blocks.flatMap(wordsOf).join("\n");
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (typeof value !== "object" || value === null) return [];
  const { type, text, user_id } = value as { type?: unknown; text?: unknown; user_id?: unknown };
  if (type === "user") return [`<@${String(user_id)}>`];
  if ((type === "markdown" || type === "mrkdwn") && typeof text === "string") return [text];
  return Object.values(value).flatMap(wordsOf);
}
