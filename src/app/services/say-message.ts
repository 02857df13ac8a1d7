import {
  type ChatPlatforms,
  type Chats,
  channelThread,
  PlatformError,
  type PlatformErrorCode,
} from "../../core/ports/chat-platform.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Place } from "../../core/values/place.ts";

/** A message the bot says by itself, without a turn. */
interface SpokenMessage {
  place: Place;
  /** Standard Markdown; calls nobody. */
  text: string;
  /** The same message again has the same key, and is posted once. */
  key: string;
}

/** Where it stands: the platform's reference, and an address for people where the platform has one. */
interface SaidMessage {
  reference: string;
  link?: string | undefined;
}

export type SayMessage = (message: SpokenMessage) => Promise<Outcome<SaidMessage>>;

/** What came of it, as the status of an outcome. */
const statusOf = {
  unavailable: 503,
  rate_limited: 429,
  gone: 404,
  forbidden: 403,
  invalid: 400,
  too_large: 413,
  blocked: 403,
} as const satisfies Record<PlatformErrorCode, number>;

/** Posts on the platforms of this process. */
export function createSayMessage(
  platforms: ChatPlatforms,
  chats: Pick<Chats, "send" | "actions">,
): SayMessage {
  return async ({ place, text, key }) => {
    const { namespace, thread } = place;
    const platform = platforms.of(namespace);
    if (platform === undefined) return refused(400, notConnected(namespace));
    const most = platform.limits.message_characters;
    if (text.length > most)
      return refused(413, `The text has ${text.length} characters; a message there has ${most} at most.`);
    const tag = { turn_id: `message.${key}`, purpose: "sent", part: 0 } as const;
    try {
      const reference = await chats.send(place, { tag, markdown: text });
      return { ok: true, value: { reference, link: await linkTo(reference) } };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return refused(statusOf[error.code], error.message);
    }

    /** It is posted, with an address or without. */
    async function linkTo(reference: string): Promise<string | undefined> {
      const among = thread === channelThread ? undefined : thread;
      return chats
        .actions(namespace)
        ?.link(namespace, reference, among)
        .catch(() => undefined);
    }
  };
}

function notConnected(namespace: string): string {
  return `${namespace} is on no chat platform this bot is connected to: \`knack doctor --live\` says which it is on.`;
}

const refused = (status: (typeof statusOf)[PlatformErrorCode], message: string): Outcome<never> => ({
  ok: false,
  status,
  message,
});
