import type { Directory } from "./directory.ts";
import type { BotIds, Names } from "./readable-text.ts";

/** Names that the directory knows without a request. */
export function knownNames(directory: Directory, guildId?: string): Names {
  return {
    user: (id) => directory.knownUser(id)?.name,
    channel: (id) => directory.knownChannel(id)?.name,
    role: (id) => (guildId === undefined ? undefined : directory.knownGuild(guildId)?.roles.get(id)?.name),
  };
}

/** The ids under which people mention the bot in a server. */
export async function botIds(directory: Directory, guildId: string | undefined): Promise<BotIds> {
  const { id } = await directory.self();
  if (guildId === undefined) return { user: id, role: undefined };
  // The bot's role never changes, so an outdated entry is good enough.
  const { roles } = directory.knownGuild(guildId) ?? (await directory.guild(guildId));
  return { user: id, role: [...roles].find(([, role]) => role.bot_id === id)?.[0] };
}
