import type {
  ChannelSeed,
  DiscordOptions,
  GuildSeed,
  OverwriteSeed,
  ThreadSeed,
} from "../discord-options.ts";
import { bitfield, ordinaryPermissions } from "./permission-bits.ts";
import { type Channel, channelTypes, type Overwrite, World } from "./world.ts";

/** The world that the options describe. */
export function seedWorld(options: DiscordOptions): World {
  const world = new World(options);
  const { id, name } = options.application;
  world.users.set(id, { id, name, bot: true, closedDms: false, installed: false });
  for (const user of options.users) {
    world.users.set(user.id, { bot: false, closedDms: false, installed: false, ...user });
  }
  for (const guild of options.guilds) seedGuild(world, guild);
  for (const dm of options.dms ?? []) {
    const { id: channel, user } = dm;
    world.channels.set(channel, { ...blank(channel, channelTypes.dm), recipient: user });
  }
  return world;
}

function seedGuild(world: World, seed: GuildSeed): void {
  const [first] = seed.members;
  if (first === undefined) throw new Error(`The guild ${seed.name} needs a member.`);
  world.guilds.set(seed.id, {
    id: seed.id,
    name: seed.name,
    owner: seed.owner ?? first.user,
    blockedWords: seed.blockedWords ?? [],
    emojis: seed.emojis ?? [],
    joined: seed.joined ?? true,
    roles: [
      { id: seed.id, name: "@everyone", permissions: bitfield(seed.everyone ?? ordinaryPermissions) },
      ...(seed.roles ?? []).map((role) => ({ ...role, permissions: bitfield(role.permissions) })),
    ],
    members: [
      { user: world.bot, roles: [...(seed.botRoles ?? [])], nick: null },
      ...seed.members.map(({ user, roles, nick, timedOut }) => ({
        user,
        roles: [...(roles ?? [])],
        nick: nick ?? null,
        ...(timedOut ? { timeoutUntil: new Date(Date.now() + 3_600_000).toISOString() } : {}),
      })),
    ],
  });
  for (const channel of seed.channels) seedChannel(world, seed.id, channel);
}

function seedChannel(world: World, guild: string, seed: ChannelSeed): void {
  const type = channelTypes[seed.type ?? "text"];
  world.channels.set(seed.id, {
    ...blank(seed.id, type),
    guild,
    name: seed.name,
    topic: seed.topic ?? null,
    parent: seed.parent ?? null,
    overwrites: (seed.overwrites ?? []).map(overwriteOf),
  });
  for (const thread of seed.threads ?? []) {
    world.channels.set(thread.id, seedThread(guild, seed, thread));
  }
}

function seedThread(guild: string, parent: ChannelSeed, seed: ThreadSeed): Channel {
  const open = parent.type === "announcement" ? channelTypes.announcementThread : channelTypes.publicThread;
  return {
    ...blank(seed.id, seed.private ? channelTypes.privateThread : open),
    guild,
    name: seed.name,
    parent: parent.id,
    thread: {
      owner: seed.owner,
      members: [...new Set([seed.owner, ...(seed.members ?? [])])],
      archived: seed.archived ?? false,
      locked: seed.locked ?? false,
      archivedAt: new Date().toISOString(),
      autoArchive: 1440,
      invitable: true,
    },
  };
}

/** An overwrite of a seed with its bits. */
export function overwriteOf(seed: OverwriteSeed): Overwrite {
  return { id: seed.id, kind: seed.kind, allow: bitfield(seed.allow), deny: bitfield(seed.deny) };
}

function blank(id: string, type: number): Channel {
  return { id, type, name: "", topic: null, parent: null, overwrites: [] };
}
