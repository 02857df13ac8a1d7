import { allWords } from "../api/component-check.ts";
import type { Json } from "../api/json.ts";
import { messageFlags } from "../api/message-body.ts";
import { memberOf, wireEmoji, wireGatewayMessage, wireMember, wireUserById } from "../api/wire.ts";
import { called } from "./mentions.ts";
import { may } from "./permissions.ts";
import { joinThread, setArchived } from "./threads.ts";
import { type Channel, intents, type Message, type World } from "./world.ts";

type NewMessage = Pick<Message, "channel" | "author" | "content" | "mentions"> & Partial<Message>;

/** Puts a message into its channel and tells who listens. In a thread its author joins, and the thread opens again. */
export function postMessage(world: World, message: NewMessage): Message {
  const made: Message = {
    id: world.snowflakes.next(),
    type: 0,
    embeds: [],
    components: [],
    attachments: [],
    flags: 0,
    sentAt: new Date().toISOString(),
    editedAt: null,
    edits: 0,
    notified: [],
    notifiedText: "",
    replyTo: null,
    nonce: null,
    reactions: new Map(),
    interaction: null,
    ephemeralFor: null,
    ...message,
  };
  const channel = world.channels.get(made.channel);
  made.notifiedText = allWords(made);
  if (channel) made.notified = called(world, channel, made.mentions).filter((user) => user !== made.author);
  if (channel?.thread) {
    setArchived(world, channel, { archived: false });
    joinThread(world, channel, made.author);
  }
  world.messages.set(made.id, made);
  announce(world, made, "MESSAGE_CREATE");
  return made;
}

/** Changes the content of a message. `silently`, like an unfurled link, sets no edit time and does not count as an edit. */
export function changeMessage(
  world: World,
  message: Message,
  change: Partial<Message>,
  silently = false,
): void {
  Object.assign(message, change);
  if (!silently) {
    message.editedAt = new Date().toISOString();
    message.edits += 1;
  }
  announce(world, message, "MESSAGE_UPDATE");
}

export function deleteMessage(world: World, message: Message): void {
  world.messages.delete(message.id);
  const channel = world.channels.get(message.channel);
  if (message.ephemeralFor !== null || !channel) {
    world.changes.note();
    return;
  }
  const data = {
    id: message.id,
    channel_id: channel.id,
    ...(channel.guild ? { guild_id: channel.guild } : {}),
  };
  toChannel(world, channel, "MESSAGE_DELETE", intents.guildMessages, intents.directMessages, () => data);
}

/** Adds or takes away a reaction; nothing happens if it is already so. */
export function setReaction(
  world: World,
  message: Message,
  user: string,
  emoji: string,
  present: boolean,
): void {
  const users = message.reactions.get(emoji) ?? new Set<string>();
  message.reactions.set(emoji, users);
  if (users.has(user) === present) return;
  if (present) users.add(user);
  else users.delete(user);
  const channel = world.channels.get(message.channel);
  if (!channel) return;
  const member = memberOf(world.guildOf(channel), user);
  const data: Json = {
    user_id: user,
    channel_id: channel.id,
    message_id: message.id,
    emoji: wireEmoji(emoji),
    burst: false,
    type: 0,
    ...(channel.guild ? { guild_id: channel.guild } : {}),
    ...(present && member ? { member: { ...wireMember(member), user: wireUserById(world, user) } } : {}),
    ...(present ? { message_author_id: message.author } : {}),
  };
  const name = present ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE";
  toChannel(world, channel, name, intents.guildReactions, intents.directReactions, () => data);
}

function announce(world: World, message: Message, name: string): void {
  const channel = world.channels.get(message.channel);
  if (message.ephemeralFor !== null || !channel) {
    world.changes.note();
    return;
  }
  toChannel(world, channel, name, intents.guildMessages, intents.directMessages, (asked) =>
    wireGatewayMessage(world, message, asked),
  );
}

/** Sends an event of a channel to the bot, if the bot sees that channel. */
function toChannel(
  world: World,
  channel: Channel,
  name: string,
  inGuilds: number,
  inDirect: number,
  data: (asked: number) => Json,
): void {
  const joined = world.guildOf(channel)?.joined ?? true;
  if (!joined || !may(world, world.bot, channel, "ViewChannel")) {
    world.changes.note();
    return;
  }
  const intent = channel.guild === undefined ? inDirect : inGuilds;
  world.deliver({ name, guild: channel.guild, intent, data });
}

/** Whether only one person may see a message with these flags. */
export function isEphemeral(flags: number): boolean {
  return (flags & messageFlags.ephemeral) !== 0;
}
