import type { Directory } from "./directory.ts";
import { isThreadType, permissions } from "./discord-facts.ts";
import { channelPermissions, guildPermissions, has } from "./permission-bits.ts";

/** A permission the bot lacks, as Discord's settings call it, and what does not work without it. */
export interface MissingPermission {
  name: string;
  stops: string;
}

const needed: readonly (MissingPermission & { bit: bigint })[] = [
  { bit: permissions.viewChannel, name: "View Channel", stops: "seeing the channel at all" },
  { bit: permissions.sendMessages, name: "Send Messages", stops: "answering in the channel" },
  {
    bit: permissions.createPublicThreads,
    name: "Create Public Threads",
    stops: "answering in a thread; I reply in the channel instead",
  },
  {
    bit: permissions.sendMessagesInThreads,
    name: "Send Messages in Threads",
    stops: "answering in threads",
  },
  {
    bit: permissions.readMessageHistory,
    name: "Read Message History",
    stops: "reading what was said before",
  },
  {
    bit: permissions.addReactions,
    name: "Add Reactions",
    stops: "marking messages as seen with 👀, and reacting",
  },
  { bit: permissions.pinMessages, name: "Pin Messages", stops: "pinning messages" },
  { bit: permissions.attachFiles, name: "Attach Files", stops: "sending files" },
  { bit: permissions.embedLinks, name: "Embed Links", stops: "showing previews of links" },
];

/** What of the least permissions is not among `bits`. */
export function missingPermissions(bits: bigint): MissingPermission[] {
  return needed.filter(({ bit }) => !has(bits, bit)).map(({ name, stops }) => ({ name, stops }));
}

/** What the bot lacks in a server, or in a channel of it. @throws DiscordProblem */
export async function botLacks(
  directory: Directory,
  guildId: string,
  channelId?: string,
): Promise<MissingPermission[]> {
  const self = await directory.self();
  const [guild, member] = await Promise.all([directory.guild(guildId), directory.member(guildId, self.id)]);
  const roles = member?.roles ?? [];
  const found = channelId === undefined ? undefined : await directory.channel(channelId);
  const parent =
    found !== undefined && isThreadType(found.type) ? await directory.channel(found.parent_id ?? "") : found;
  if (parent === undefined) return missingPermissions(guildPermissions(guild, self.id, roles));
  return missingPermissions(channelPermissions(guild, parent, self.id, roles));
}
