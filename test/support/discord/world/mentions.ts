import { isObject, strings } from "../api/json.ts";
import { memberOf } from "../api/wire.ts";
import type { Channel, Mentions, World } from "./world.ts";

/** The mentions in a text, allowed or not. Code spans are not excluded, because tests do not need it. */
function named(world: World, channel: Channel, content: string): Mentions {
  const guild = world.guildOf(channel);
  const users = [...content.matchAll(/<@!?(\d+)>/g)].map(([, id]) => id ?? "");
  const roles = [...content.matchAll(/<@&(\d+)>/g)].map(([, id]) => id ?? "");
  return {
    users: [...new Set(users)].filter((id) => world.users.has(id)),
    roles: [...new Set(roles)].filter((id) => guild?.roles.some((role) => role.id === id) ?? false),
    everyone: guild !== undefined && /@(everyone|here)\b/.test(content),
  };
}

/**
 * Whom a message calls: what its text names, as far as `allowed_mentions` lets it, and the author it replies to.
 * `everyone` is whether the sender has the right to call all, roles that are not open to everybody too. Source: Discord reference, "Allowed Mentions Object".
 */
export function mentionsOf(
  world: World,
  channel: Channel,
  message: { content: string; repliedTo?: string | undefined; allowed?: unknown; everyone: boolean },
): Mentions {
  const all = named(world, channel, message.content);
  const allowed = isObject(message.allowed) ? message.allowed : null;
  const parse = strings(allowed?.parse);
  const pick = (kind: "users" | "roles") => {
    if (allowed === null || parse.includes(kind)) return all[kind];
    return all[kind].filter((id) => strings(allowed[kind]).includes(id));
  };
  const users = pick("users");
  const repliedTo = message.repliedTo;
  const pingsReplied = allowed === null ? true : allowed.replied_user === true;
  if (repliedTo !== undefined && pingsReplied && !users.includes(repliedTo)) users.push(repliedTo);
  const callable = new Set(
    (world.guildOf(channel)?.roles ?? []).flatMap((role) => (role.mentionable ? [role.id] : [])),
  );
  return {
    users,
    roles: pick("roles").filter((id) => message.everyone || callable.has(id)),
    everyone: all.everyone && message.everyone && (allowed === null || parse.includes("everyone")),
  };
}

/** The people who are called: users, members of roles, and the whole guild if everyone is. */
export function called(world: World, channel: Channel, mentions: Mentions): string[] {
  const guild = world.guildOf(channel);
  const byRole = (guild?.members ?? []).filter(({ roles }) =>
    roles.some((role) => mentions.roles.includes(role)),
  );
  const all = mentions.everyone ? (guild?.members ?? []) : byRole;
  const present = mentions.users.filter((user) => !guild || memberOf(guild, user));
  return [...new Set([...present, ...all.map(({ user }) => user)])];
}
