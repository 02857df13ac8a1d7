import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
import { costText, plusUsage, type Usage, type UsageTotal } from "../../core/log/usage.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** Spending limits per day (UTC). Tokens are input and output together; models without a price cost no dollars. */
export interface SpendingCaps {
  per_channel_day_usd: number;
  per_user_day_usd: number;
  per_channel_day_tokens: number;
  per_user_day_tokens: number;
}

/** Counts the spending of channels and people, and says when a limit is reached. */
export interface Spending {
  /** Counts a model call at once, before the log has it. */
  add(namespace: string, user: string, usage: Usage): void;
  /** Why nothing more may be spent, in words for the person; undefined below the limits. */
  exceeded(namespace: string, user: string): Promise<string | undefined>;
}

const dayMs = 86_400_000;

/** Time after which a sum is read from the log again, ms: other processes spend, too. */
const maxAgeMs = 5_000;

/** What was spent since the beginning of a day, as read from the log, with later calls of this process. */
interface Spent {
  since: number;
  readAt: number;
  total: UsageTotal;
}

export function createSpending(log: TurnReading, caps: SpendingCaps, clock: Clock): Spending {
  const known = new LRUCache<string, Spent>(growingTo(maxInMemory));
  const channelKey = (namespace: string) => `channel ${namespace}`;
  const userKey = (user: string) => `user ${user}`;

  const spent = async (key: string, filter: { namespace?: string; user?: string }): Promise<UsageTotal> => {
    const now = clock.now();
    const since = Math.floor(now / dayMs) * dayMs;
    const before = known.get(key);
    if (before?.since === since && now - before.readAt < maxAgeMs) return before.total;
    const stored = await log.usage({ ...filter, since });
    // The last calls of this process may not be stored yet.
    const kept = known.get(key);
    const total = kept?.since === since && tokensOf(kept.total) > tokensOf(stored) ? kept.total : stored;
    known.set(key, { since, readAt: now, total });
    return total;
  };

  return {
    add(namespace, user, usage) {
      for (const key of [channelKey(namespace), userKey(user)]) {
        const before = known.get(key);
        if (before !== undefined) before.total = plusUsage(before.total, usage);
      }
    },
    async exceeded(namespace, user) {
      const [channel, person] = await Promise.all([
        spent(channelKey(namespace), { namespace }),
        spent(userKey(user), { user }),
      ]);
      return (
        over(
          channel,
          caps.per_channel_day_usd,
          caps.per_channel_day_tokens,
          "this channel",
          "per_channel_day",
        ) ?? over(person, caps.per_user_day_usd, caps.per_user_day_tokens, "you", "per_user_day")
      );
    },
  };
}

/** Maximum sums kept in memory. */
const maxInMemory = 10_000;

function tokensOf({ input_tokens, output_tokens }: UsageTotal): number {
  return input_tokens + output_tokens;
}

function over(
  spent: UsageTotal,
  usd: number,
  tokens: number,
  who: string,
  setting: string,
): string | undefined {
  const raise = (unit: string) =>
    `An operator can raise spending.${setting}_${unit}; the next day begins at 00:00 UTC`;
  const have = who === "you" ? "have" : "has";
  if (spent.cost_usd !== undefined && spent.cost_usd >= usd) {
    return `${who} ${have} spent ${costText(spent)} of $${usd.toFixed(2)} for today. ${raise("usd")}`;
  }
  const used = tokensOf(spent);
  if (used >= tokens) return `${who} ${have} used ${used} of ${tokens} tokens for today. ${raise("tokens")}`;
  return undefined;
}
