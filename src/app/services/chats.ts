import type { TurnReading } from "../../core/log/turn-log.ts";
import type { ChatActions, MessageIndex } from "../../core/ports/chat-actions.ts";
import {
  type ChatPlatform,
  type ChatPlatforms,
  type Chats,
  PlatformError,
} from "../../core/ports/chat-platform.ts";
import { createSearch } from "../reading/search-channel.ts";
import type { ChannelIndex } from "./channel-index.ts";
import type { Forget } from "./shapes.ts";

/** Maximum recent turns of a channel that are searched for the turn of a message. */
const recentTurns = 100;

/** The chat platforms of this process, for tools. */
export function createChats(
  log: TurnReading,
  webChat: ChatActions,
  index: MessageIndex,
  platforms: ChatPlatforms,
  { isOn }: Pick<ChannelIndex, "isOn">,
  forget: Forget,
): Chats {
  const actionsOf: Chats["actions"] = (namespace) => {
    const platform = platforms.of(namespace);
    return platform === undefined ? webChat : platform.actions;
  };
  const platformOf = (namespace: string): ChatPlatform => {
    const platform = platforms.of(namespace);
    if (platform !== undefined) return platform;
    throw new PlatformError(
      "invalid",
      "Nothing can be posted or fetched there: it is not a channel of a chat platform.",
    );
  };
  const ownMessage: Chats["ownMessage"] = async (namespace, reference) => {
    for (const { turn_id, author } of await log.list({ namespace, limit: recentTurns })) {
      const found = await partOf(log, turn_id, reference);
      if (found !== undefined) return { turn_id, author: author.id, answer: found === "answer" };
    }
    return undefined;
  };
  return {
    ownMessage,
    actions: actionsOf,
    search: createSearch(actionsOf, index, isOn),
    async send(place, message) {
      const platform = platformOf(place.namespace);
      return (await platform.find(place, message.tag)) ?? platform.post(place, message);
    },
    download: async (place, file, options) => platformOf(place.namespace).download(place, file, options),
    edit: async (place, reference, message) => platformOf(place.namespace).edit(place, reference, message),
    async remove(place, reference, by) {
      const own = await ownMessage(place.namespace, reference);
      if (own?.answer !== true) return platformOf(place.namespace).remove(place, reference);
      const outcome = await forget(own.turn_id, by);
      if (!outcome.ok) throw new PlatformError("unavailable", outcome.message);
    },
  };
}

/** Whether a message belongs to the answer of a turn, or was sent separately; undefined when it is not from this turn. */
async function partOf(
  log: TurnReading,
  turnId: string,
  reference: string,
): Promise<"answer" | "sent" | undefined> {
  const events = await log.read(turnId);
  if (events.some((event) => event.type === "message_posted" && event.reference === reference))
    return "answer";
  const sent = events.some((event) => event.type === "message_sent" && event.reference === reference);
  return sent ? "sent" : undefined;
}
