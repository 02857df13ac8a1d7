import { ChannelType } from "discord-api-types/v10";
import type { Place } from "../../../core/values/place.ts";
import { isSnowflake, isThreadType } from "../connection/discord-facts.ts";
import type { ChannelFacts } from "./directory-facts.ts";

/**
 * Namespaces are `discord:<guild>:<channel>`, a private thread's `discord:<guild>:<thread>`, direct messages
 * `discord:dm:dm-<user>`. The thread is the thread's id, which is the id of the message it starts from; `dm` in direct
 * messages; the channel's own id where there is no conversation.
 */
export interface DiscordPlace {
  guild: string | undefined;
  /** The channel, without threads; undefined in direct messages. */
  channel: string | undefined;
  /** The person of a direct message. */
  person: string | undefined;
  /** Undefined: the channel itself. */
  thread: string | undefined;
}

export function readPlace({ namespace, thread }: Place): DiscordPlace {
  const [, guild = "", channel = ""] = namespace.split(":");
  if (guild === "dm")
    return { guild: undefined, channel: undefined, person: channel.replace(/^dm-/, ""), thread: undefined };
  const inThread = thread !== channel && isSnowflake(thread);
  return { guild, channel, person: undefined, thread: inThread ? thread : undefined };
}

/** The place of the direct messages with a person. */
export function directPlace(userId: string): Place {
  return { namespace: `discord:dm:dm-${userId}`, thread: "dm" };
}

/** The channel itself: commands outside a conversation are answered there. */
export function channelPlace(guild: string, channel: string): Place {
  return { namespace: `discord:${guild}:${channel}`, thread: channel };
}

/** The place of a message in a server's channel. `thread` is ignored if the channel is itself a thread. */
export function placeIn(
  guild: string,
  channel: Pick<ChannelFacts, "id" | "type" | "parent_id">,
  thread: string,
): Place {
  if (channel.type === ChannelType.PrivateThread) return channelPlace(guild, channel.id);
  if (isThreadType(channel.type))
    return { namespace: `discord:${guild}:${channel.parent_id ?? channel.id}`, thread: channel.id };
  return { namespace: `discord:${guild}:${channel.id}`, thread };
}

/** The bot's message as the rest of the app names it. Editing it takes its channel as well. */
export function referenceOf(channel: string, message: string): string {
  return `${channel}:${message}`;
}

export function readReference(reference: string): { channel: string; message: string } {
  const [channel = "", message = ""] = reference.split(":");
  return { channel, message };
}

/** The key of a message, the same for each delivery. */
export function messageKey(channel: string, message: string): string {
  return `discord:${channel}:${message}`;
}
