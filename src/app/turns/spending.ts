import { costText, plusUsage, type Usage, type UsageTotal } from "../../core/log/turn-event.ts";
import type { TurnReading } from "../../core/log/turn-log.ts";
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
  /** Loads the spending of today, before a turn. */
  load(namespace: string, user: string): Promise<void>;
  /** Counts a model call. */
  add(namespace: string, user: string, usage: Usage): void;
  /** Why nothing more may be spent, in words for the person; undefined below the limits. */
  exceeded(namespace: string, user: string): string | undefined;
}

const day = 86_400_000;

export function createSpending(log: TurnReading, caps: SpendingCaps, clock: Clock): Spending {
  let since = 0;
  let totals = new Map<string, UsageTotal>();

  const loadOne = async (key: string, filter: { namespace?: string; user?: string }) => {
    if (!totals.has(key)) totals.set(key, await log.usage({ ...filter, since }));
  };
  const keys = (namespace: string, user: string) => [`channel ${namespace}`, `user ${user}`] as const;

  return {
    async load(namespace, user) {
      const today = Math.floor(clock.now() / day) * day;
      if (today !== since) {
        since = today;
        totals = new Map();
      }
      const [channelKey, userKey] = keys(namespace, user);
      await Promise.all([loadOne(channelKey, { namespace }), loadOne(userKey, { user })]);
    },
    add(namespace, user, usage) {
      for (const key of keys(namespace, user)) {
        const total = totals.get(key);
        if (total !== undefined) totals.set(key, plusUsage(total, usage));
      }
    },
    exceeded(namespace, user) {
      const [channelKey, userKey] = keys(namespace, user);
      return (
        over(
          totals.get(channelKey),
          caps.per_channel_day_usd,
          caps.per_channel_day_tokens,
          "this channel",
          "per_channel_day",
        ) ?? over(totals.get(userKey), caps.per_user_day_usd, caps.per_user_day_tokens, "you", "per_user_day")
      );
    },
  };
}

function over(
  spent: UsageTotal | undefined,
  usd: number,
  tokens: number,
  who: string,
  setting: string,
): string | undefined {
  if (spent === undefined) return undefined;
  const raise = (unit: string) =>
    `An operator can raise spending.${setting}_${unit}; the next day begins at 00:00 UTC`;
  const have = who === "you" ? "have" : "has";
  if (spent.cost_usd !== undefined && spent.cost_usd >= usd) {
    return `${who} ${have} spent ${costText(spent)} of $${usd.toFixed(2)} for today. ${raise("usd")}`;
  }
  const used = spent.input_tokens + spent.output_tokens;
  if (used >= tokens) return `${who} ${have} used ${used} of ${tokens} tokens for today. ${raise("tokens")}`;
  return undefined;
}
