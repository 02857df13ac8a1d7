import { permissions } from "../connection/discord-facts.ts";
import type { ChannelFacts, GuildFacts } from "./directory-facts.ts";

const everything = (1n << 60n) - 1n;

/** What somebody may in a whole server. Source: Discord reference, "Permissions", compute_base_permissions. */
export function guildPermissions(guild: GuildFacts, userId: string, roles: readonly string[]): bigint {
  if (guild.owner_id === userId) return everything;
  const bits = [guild.id, ...roles].reduce((sum, id) => sum | (guild.roles.get(id)?.permissions ?? 0n), 0n);
  return (bits & permissions.administrator) === 0n ? bits : everything;
}

/**
 * What somebody may in a channel; for a thread pass the channel it is in. Source: Discord reference, "Permissions",
 * compute_overwrites.
 */
export function channelPermissions(
  guild: GuildFacts,
  channel: ChannelFacts,
  userId: string,
  roles: readonly string[],
): bigint {
  const base = guildPermissions(guild, userId, roles);
  if (base === everything) return base;
  const apply = (bits: bigint, of: ChannelFacts["overwrites"]) => {
    const deny = of.reduce((sum, overwrite) => sum | overwrite.deny, 0n);
    const allow = of.reduce((sum, overwrite) => sum | overwrite.allow, 0n);
    return (bits & ~deny) | allow;
  };
  const { overwrites } = channel;
  const everyone = apply(
    base,
    overwrites.filter(({ id }) => id === guild.id),
  );
  const withRoles = apply(
    everyone,
    overwrites.filter(({ id }) => roles.includes(id)),
  );
  return apply(
    withRoles,
    overwrites.filter(({ id }) => id === userId),
  );
}

/** Whether somebody with these permissions may call a role. */
export function mayCallRole(bits: bigint, role: { mentionable: boolean }): boolean {
  return role.mentionable || has(bits, permissions.mentionEveryone);
}

/** Whether all of these permissions are among `bits`. */
export function has(bits: bigint, wanted: bigint): boolean {
  return (bits & wanted) === wanted;
}
