import { isSnowflake } from "./discord-facts.ts";

/** The shards whose events this process receives, and the number of all shards. */
export interface HeardShards {
  ids: readonly number[];
  count: number;
}

/**
 * Whether the events of a server come over these shards; undefined means direct messages, which come over the first. Source: Discord
 * reference, "Sharding".
 */
export function hears({ ids, count }: HeardShards, guild: string | undefined): boolean {
  const isServer = guild !== undefined && isSnowflake(guild);
  return ids.includes(isServer ? Number((BigInt(guild) >> 22n) % BigInt(count)) : 0);
}

/** The shards as parts of the platform (`ChatIntake.seen`); none if there is only one. */
export function partsOf({ ids, count }: HeardShards): string[] {
  return count === 1 ? [] : ids.map((id) => `shard-${id}-of-${count}`);
}
