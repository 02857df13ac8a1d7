import type { APIChannel, APIGuild, APIGuildMember, APIUser } from "discord.js";
import { errorCodes } from "../connection/discord-facts.ts";
import { type DiscordRest, unlessRefused } from "../connection/discord-rest.ts";
import { type ChannelFacts, type GuildFacts, guildFacts, type MemberFacts } from "./directory-facts.ts";
import { createDirectoryCaches, createDirectoryNotes, type DirectoryNotes } from "./directory-notes.ts";

/**
 * Who and what there is on Discord: from what the gateway brings, otherwise asked for. Nothing is believed for longer than a
 * minute, so that a permission taken away is gone here too.
 */
export interface Directory {
  /** The bot's own user. */
  self(): Promise<{ id: string; name: string }>;
  guild(id: string): Promise<GuildFacts>;
  /** Undefined when it does not exist. @throws DiscordProblem */
  channel(id: string): Promise<ChannelFacts | undefined>;
  /** The channel as far as it is known without asking, maybe no longer as it is: good for names and types. */
  knownChannel(id: string): ChannelFacts | undefined;
  /** All channels and threads known without asking. */
  knownChannels(): ChannelFacts[];
  knownGuild(id: string): GuildFacts | undefined;
  knownUser(id: string): { name: string; bot: boolean } | undefined;
  /** Undefined when somebody is not in the server. @throws DiscordProblem */
  member(guildId: string, userId: string): Promise<MemberFacts | undefined>;
  /** Members of a server who were seen lately, the latest first, maybe no longer as they are. */
  knownMembers(guildId: string): MemberFacts[];
  user(id: string): Promise<{ name: string; bot: boolean } | undefined>;
  /** The channel of direct messages with somebody; made if there is none. @throws DiscordProblem */
  directMessage(userId: string): Promise<string>;
  /** The servers the bot is in: those of this process first, with those of others if `all`. @throws DiscordProblem */
  guilds(all: boolean): Promise<string[]>;
  see: DirectoryNotes;
}

/** What is known and old is good for names. */
const known = { allowStale: true };

export function createDirectory(rest: DiscordRest): Directory {
  const caches = createDirectoryCaches();
  const { guilds, channels, members, absent, users, directMessages, joined } = caches;
  const see = createDirectoryNotes(caches);
  const unlessGone = <T>(request: Promise<T>) => unlessRefused(request, ({ code }) => code === "gone");
  return {
    see,
    async guilds(all) {
      if (!all) return [...joined];
      const query = { limit: 200 };
      const found = await rest.request<{ id: string }[]>("GET", "/users/@me/guilds", { query });
      return [...new Set([...joined, ...found.map(({ id }) => id)])];
    },
    knownChannel: (id) => channels.get(id, known),
    knownChannels: () => [...channels.values()],
    knownGuild: (id) => guilds.get(id, known),
    knownUser: (id) => users.get(id, known),
    knownMembers: (guildId) =>
      members
        .dump()
        .filter(([key]) => key.startsWith(`${guildId}:`))
        .map(([, { value }]) => value)
        .toReversed(),
    async self() {
      if (caches.self === undefined) see.self(await rest.request<APIUser>("GET", "/users/@me"));
      return caches.self ?? { id: "", name: "" };
    },
    async guild(id) {
      const fresh = guilds.get(id);
      if (fresh !== undefined) return fresh;
      const facts = guildFacts(await rest.request<APIGuild>("GET", `/guilds/${id}`));
      guilds.set(id, facts);
      return facts;
    },
    async channel(id) {
      const fresh = channels.get(id);
      if (fresh !== undefined) return fresh;
      const found = await unlessGone(rest.request<APIChannel>("GET", `/channels/${id}`));
      if (found !== undefined) see.channel(found);
      return channels.get(id);
    },
    async member(guildId, userId) {
      const fresh = members.get(`${guildId}:${userId}`);
      if (fresh !== undefined) return fresh;
      if (absent.has(`${guildId}:${userId}`)) return undefined;
      const found = await unlessRefused(
        rest.request<APIGuildMember>("GET", `/guilds/${guildId}/members/${userId}`),
        ({ code, discordCode }) => code === "gone" || discordCode === errorCodes.unknownUser,
      );
      if (found === undefined) absent.set(`${guildId}:${userId}`, true);
      else see.member(guildId, found.user, found);
      return members.get(`${guildId}:${userId}`);
    },
    async user(id) {
      const fresh = users.get(id);
      if (fresh !== undefined) return fresh;
      const found = await unlessGone(rest.request<APIUser>("GET", `/users/${id}`));
      if (found !== undefined) see.author({ author: found });
      return users.get(id);
    },
    async directMessage(userId) {
      const fresh = directMessages.get(userId);
      if (fresh !== undefined) return fresh;
      const body = { recipient_id: userId };
      const { id } = await rest.request<APIChannel>("POST", "/users/@me/channels", { body });
      directMessages.set(userId, id);
      return id;
    },
  };
}
