import {
  type ChatPlatforms,
  type Chats,
  channelThread,
  PlatformError,
  type PlatformErrorCode,
} from "../../core/ports/chat-platform.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import type { Place } from "../../core/values/place.ts";

/** A message that the bot posts without a turn. */
export interface SpokenMessage {
  place: Place;
  /** Standard Markdown; mentions notify nobody. */
  text: string;
  /** Messages with the same key are posted once. */
  key: string;
}

/** The status for each platform error. */
const statusOf = {
  unavailable: 503,
  rate_limited: 429,
  gone: 404,
  forbidden: 403,
  invalid: 400,
  too_large: 413,
  blocked: 403,
} as const satisfies Record<PlatformErrorCode, number>;

/**
 * Posts on a platform of this process. Returns the platform's reference of the message, and its address where the platform has one.
 */
export async function sayMessage(
  platforms: ChatPlatforms,
  chats: Pick<Chats, "send" | "actions">,
  { place, text, key }: SpokenMessage,
): Promise<Outcome<{ reference: string; link: string | undefined }>> {
  const { namespace, thread } = place;
  const platform = platforms.of(namespace);
  if (platform === undefined) return failed(400, notConnected(namespace));
  const maxLength = platform.limits.message_characters;
  if (text.length > maxLength) {
    const problem = `The text has ${text.length} characters; the platform allows ${maxLength}. Nothing was posted; send a shorter text.`;
    return failed(413, problem);
  }
  const tag = { turn_id: `message.${key}`, purpose: "sent", part: 0 } as const;
  try {
    const reference = await chats.send(place, { tag, markdown: text });
    const among = thread === channelThread ? undefined : thread;
    const link = chats.actions(namespace)?.link(namespace, reference, among);
    // The message is posted all the same when the platform cannot say its address.
    return { ok: true, value: { reference, link: await link?.catch(() => undefined) } };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return failed(statusOf[error.code], error.message);
  }
}

function notConnected(namespace: string): string {
  return `${namespace} is on no chat platform this bot is connected to: \`knack doctor --live\` says which it is on.`;
}
