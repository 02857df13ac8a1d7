import { PermissionFlagsBits, RESTJSONErrorCodes } from "discord-api-types/v10";
import { DiscordProblem, unlessRefused } from "../connection/discord-rest.ts";
import { type Directory, permissionChannel } from "./directory.ts";
import { channelPermissions, guildPermissions, has } from "./directory-facts.ts";
import { readPlace } from "./discord-place.ts";

/** A permission the bot lacks, by its name in Discord's settings, and what it is needed for. */
export interface MissingPermission {
  name: string;
  stops: string;
}

/** The permissions the bot needs in a server. Without one of them, only the function it is for fails. */
const needed: readonly (MissingPermission & { bit: bigint })[] = [
  { bit: PermissionFlagsBits.ViewChannel, name: "View Channel", stops: "seeing the channel at all" },
  { bit: PermissionFlagsBits.SendMessages, name: "Send Messages", stops: "answering in the channel" },
  {
    bit: PermissionFlagsBits.CreatePublicThreads,
    name: "Create Public Threads",
    stops: "answering in a thread; I reply in the channel instead",
  },
  {
    bit: PermissionFlagsBits.SendMessagesInThreads,
    name: "Send Messages in Threads",
    stops: "answering in threads",
  },
  {
    bit: PermissionFlagsBits.ReadMessageHistory,
    name: "Read Message History",
    stops: "reading what was said before",
  },
  {
    bit: PermissionFlagsBits.AddReactions,
    name: "Add Reactions",
    stops: "marking messages as seen with 👀, and reacting",
  },
  { bit: PermissionFlagsBits.PinMessages, name: "Pin Messages", stops: "pinning messages" },
  { bit: PermissionFlagsBits.AttachFiles, name: "Attach Files", stops: "sending files" },
  { bit: PermissionFlagsBits.SendPolls, name: "Create Polls", stops: "making polls" },
  { bit: PermissionFlagsBits.EmbedLinks, name: "Embed Links", stops: "showing previews of links" },
];

/** All of them together. */
export const neededPermissions = needed.reduce((bits, { bit }) => bits | bit, 0n);

/** The permissions of `of` that are not among `bits`. */
export function missingPermissions(bits: bigint, of = neededPermissions): MissingPermission[] {
  if (has(bits, PermissionFlagsBits.Administrator)) return [];
  return needed
    .filter(({ bit }) => has(of, bit))
    .filter(({ bit }) => !has(bits, bit))
    .map(({ name, stops }) => ({ name, stops }));
}

/** The permissions of `of` that the bot lacks in a server, or in one of its channels. @throws DiscordProblem */
export async function botMissingPermissions(
  directory: Directory,
  guildId: string,
  channelId?: string,
  of?: bigint,
): Promise<MissingPermission[]> {
  const self = await directory.self();
  const [guild, member] = await Promise.all([directory.guild(guildId), directory.member(guildId, self.id)]);
  const roles = member?.roles ?? [];
  const found = channelId === undefined ? undefined : await directory.channel(channelId);
  const parent = await permissionChannel(directory, found);
  if (parent === undefined) return missingPermissions(guildPermissions(guild, self.id, roles), of);
  return missingPermissions(channelPermissions(guild, parent, self.id, roles), of);
}

/**
 * Runs work in a channel. When Discord refuses it for lack of permissions, the error names them.
 * @param what e.g. `write`
 * @param of the permissions the work needs; all if undefined
 */
export async function namingMissingPermissions<T>(
  { directory, namespace }: { directory: Directory; namespace: string },
  what: string,
  work: () => Promise<T>,
  of?: bigint,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefusal =
      error instanceof DiscordProblem &&
      (error.discordCode === RESTJSONErrorCodes.MissingPermissions ||
        error.discordCode === RESTJSONErrorCodes.MissingAccess);
    if (!isRefusal) throw error;
    throw (await missingPermissionProblem(directory, namespace, what, { of, cause: error })) ?? error;
  }
}

/** An error that names the permissions the bot lacks for something in a channel; undefined if it lacks none. */
export async function missingPermissionProblem(
  directory: Directory,
  namespace: string,
  what: string,
  { of, cause }: { of?: bigint | undefined; cause?: DiscordProblem },
): Promise<DiscordProblem | undefined> {
  const { guild, channel } = readPlace({ namespace, thread: "" });
  if (guild === undefined || channel === undefined) return undefined;
  const lacks = (await unlessRefused(botMissingPermissions(directory, guild, channel, of))) ?? [];
  if (lacks.length === 0) return undefined;
  const names = lacks.map(({ name }) => name).join(", ");
  const name = directory.knownChannel(channel)?.name ?? "the channel";
  return new DiscordProblem("forbidden", `I may not ${what} in #${name}. Give my role there: ${names}.`, {
    cause,
    discordCode: cause?.discordCode,
    status: cause?.status,
  });
}
