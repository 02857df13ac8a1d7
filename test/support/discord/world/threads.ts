import type { Json } from "../api/json.ts";
import { fullMember, hasThreadFlag, memberOf, wireChannel, wireThreadMember } from "../api/wire.ts";
import { may } from "./permissions.ts";
import { type Channel, channelTypes, intents, type Message, type World } from "./world.ts";

export interface NewThread {
  parent: Channel;
  name: string;
  owner: string;
  private?: boolean;
  /** Minutes. Default a day. */
  autoArchive?: number;
  /** The message it starts from, whose id it takes. */
  from?: Message;
}

/** Makes a thread; its owner is a member. Whoever sees it gets THREAD_CREATE. */
export function createThread(world: World, seed: NewThread): Channel {
  const { parent, from } = seed;
  const open =
    parent.type === channelTypes.announcement ? channelTypes.announcementThread : channelTypes.publicThread;
  const thread: Channel = {
    id: from?.id ?? world.snowflakes.next(),
    type: seed.private ? channelTypes.privateThread : open,
    ...(parent.guild === undefined ? {} : { guild: parent.guild }),
    name: seed.name,
    topic: null,
    parent: parent.id,
    overwrites: [],
    thread: {
      owner: seed.owner,
      members: [seed.owner],
      archived: false,
      locked: false,
      archivedAt: new Date().toISOString(),
      autoArchive: seed.autoArchive ?? 1440,
      invitable: true,
    },
  };
  world.channels.set(thread.id, thread);
  if (from) from.flags |= hasThreadFlag;
  toThread(world, thread, "THREAD_CREATE", () => ({ ...wireChannel(world, thread), newly_created: true }));
  return thread;
}

/**
 * Makes a user a member of a thread. For the bot that is a THREAD_CREATE of a private thread it could not see so far, and
 * THREAD_MEMBERS_UPDATE either way; for others it is told only with the members intent.
 */
export function joinThread(world: World, thread: Channel, user: string): void {
  const members = thread.thread?.members;
  if (!members || members.includes(user)) return;
  members.push(user);
  const isBot = user === world.bot;
  if (isBot && thread.type === channelTypes.privateThread) {
    toThread(world, thread, "THREAD_CREATE", () => wireChannel(world, thread));
  }
  const member = memberOf(world.guildOf(thread), user);
  const added: Json = {
    ...wireThreadMember(thread, user),
    ...(member ? { member: fullMember(world, member), presence: null } : {}),
  };
  toThread(
    world,
    thread,
    "THREAD_MEMBERS_UPDATE",
    () => ({
      id: thread.id,
      guild_id: thread.guild,
      member_count: members.length,
      added_members: [added],
      removed_member_ids: [],
    }),
    isBot ? intents.guilds : intents.guildMembers,
  );
}

/** Archives, opens, locks or renames a thread; sends an event only for actual changes. */
export function setArchived(
  world: World,
  thread: Channel,
  change: { archived?: boolean; locked?: boolean; name?: string; autoArchive?: number },
): void {
  const state = thread.thread;
  if (!state) return;
  const before = JSON.stringify([state, thread.name]);
  if (change.archived !== undefined && change.archived !== state.archived) {
    state.archived = change.archived;
    state.archivedAt = new Date().toISOString();
  }
  state.locked = change.locked ?? state.locked;
  state.autoArchive = change.autoArchive ?? state.autoArchive;
  thread.name = change.name ?? thread.name;
  if (JSON.stringify([state, thread.name]) === before) return;
  toThread(world, thread, "THREAD_UPDATE", () => wireChannel(world, thread));
}

/** Removes a channel or thread with its messages. */
export function deleteChannel(world: World, channel: Channel): void {
  const { id, guild, parent, type } = channel;
  const seen = may(world, world.bot, channel, "ViewChannel");
  const data = channel.thread
    ? { id, guild_id: guild, parent_id: parent, type }
    : wireChannel(world, channel);
  world.channels.delete(id);
  for (const message of [...world.messages.values()]) {
    if (message.channel === id) world.messages.delete(message.id);
  }
  const name = channel.thread ? "THREAD_DELETE" : "CHANNEL_DELETE";
  if (seen || !channel.thread) world.deliver({ name, guild, intent: intents.guilds, data: () => data });
  else world.changes.note();
}

function toThread(
  world: World,
  thread: Channel,
  name: string,
  data: () => Json,
  intent: number = intents.guilds,
): void {
  const joined = world.guildOf(thread)?.joined ?? false;
  if (!joined || !may(world, world.bot, thread, "ViewChannel")) {
    world.changes.note();
    return;
  }
  world.deliver({ name, guild: thread.guild, intent, data });
}
