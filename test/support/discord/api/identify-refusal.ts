import { intents, type World } from "../world/world.ts";
import type { Json } from "./json.ts";

/** The close code for an IDENTIFY that must not pass, or null. Source: Discord reference, "Gateway Close Event Codes". */
export function identifyRefusal(world: World, body: Json): number | null {
  const { application } = world.options;
  const asked = body.intents;
  const privileged = application.privileged ?? [];
  if (world.revoked || body.token !== application.token) return 4004;
  if (typeof asked !== "number" || !Number.isInteger(asked) || asked < 0) return 4013;
  const denied =
    (asked & intents.messageContent && !privileged.includes("message_content")) ||
    (asked & intents.guildMembers && !privileged.includes("guild_members")) ||
    (asked & intents.presences && !privileged.includes("presences"));
  if (denied) return 4014;
  if (body.shard === undefined) return null;
  const [shard, shards] = Array.isArray(body.shard) ? body.shard.map(Number) : [];
  return shard === undefined || shards === undefined || !(shard >= 0 && shard < shards) ? 4010 : null;
}
