import { LRUCache } from "lru-cache";
import { growingTo } from "../../base/growing-cache.ts";
import type { ClaimedTurn, TurnReading } from "../../core/log/turn-log.ts";
import { costText, plusUsage, type Usage, type UsageTotal } from "../../core/log/usage.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { type NamespaceState, settingsOf } from "../../core/skill/namespace-state.ts";
import type { Author, Inbound, Trust } from "../../core/values/inbound.ts";
import { hereInWords, isDirectMessage } from "../../core/values/place.ts";
import type { AppDeps, SpendingCaps } from "../app-deps.ts";
import type { Submit } from "./submit.ts";
import type { TurnObserver } from "./turn-writer.ts";

/** A limit of a day, who can raise it, and how. */
interface DayLimit {
  most: number;
  by: "An operator of the bot" | "A manager of this channel" | "You";
  /** The setting, or the command. */
  with: string;
}

/** What a channel has spent today, and its limits. */
interface ChannelDay {
  spent: UsageTotal;
  usd: DayLimit;
  tokens: DayLimit;
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

/** Maximum sums kept in memory. */
const maxInMemory = 10_000;

/** Counts the spending of channels and people, and says when a limit is reached. */
export class Spending {
  readonly #usage: TurnReading["usage"];
  readonly #app: Pick<AppDeps, "store" | "spending" | "clock">;
  readonly #known = new LRUCache<string, Spent>(growingTo(maxInMemory));

  /** @param app `spending` has the limits that the operator has set */
  constructor(usage: TurnReading["usage"], app: Pick<AppDeps, "store" | "spending" | "clock">) {
    this.#usage = usage;
    this.#app = app;
  }

  /** Counts a model call at once, before the log has it. */
  add(namespace: string, user: string, usage: Usage): void {
    for (const key of [channelKey(namespace), userKey(user)]) {
      const before = this.#known.get(key);
      if (before !== undefined) before.total = plusUsage(before.total, usage);
    }
  }

  /** Why nothing more may be spent, in words for the person; undefined below the limits. */
  async exceeded(
    namespace: string,
    { id: user, trust }: Pick<Author, "id" | "trust">,
    settings?: NamespaceState["settings"],
  ): Promise<string | undefined> {
    const caps = this.#app.spending;
    const [day, person] = await Promise.all([
      this.channel(namespace, settings),
      this.#spent(userKey(user), { user }),
    ]);
    const own = (unit: Unit) => byOperator(caps[`per_user_day_${unit}`], `per_user_day_${unit}`);
    return (
      over(day, `${hereInWords(namespace)} has`, trust) ??
      over({ spent: person, usd: own("usd"), tokens: own("tokens") }, "you have", trust)
    );
  }

  /** @param settings those of the channel, if they have been read already */
  async channel(namespace: string, settings?: NamespaceState["settings"]): Promise<ChannelDay> {
    const { store, spending: caps } = this.#app;
    const [spent, { spending }] = await Promise.all([
      this.#spent(channelKey(namespace), { namespace }),
      settings ?? settingsOf(store, namespace),
    ]);
    const limit = (unit: Unit) => lowest(caps, namespace, unit, spending?.[`day_${unit}`]);
    return { spent, usd: limit("usd"), tokens: limit("tokens") };
  }

  /** The limits that the operator has set for a channel. Its managers can only lower them. */
  most(namespace: string): { day_usd: number; day_tokens: number } {
    const most = (unit: Unit) => lowest(this.#app.spending, namespace, unit).most;
    return { day_usd: most("usd"), day_tokens: most("tokens") };
  }

  async #spent(key: string, filter: { namespace?: string; user?: string }): Promise<UsageTotal> {
    const now = this.#app.clock.now();
    const since = Math.floor(now / dayMs) * dayMs;
    const before = this.#known.get(key);
    if (before?.since === since && now - before.readAt < maxAgeMs) return before.total;
    const stored = await this.#usage({ ...filter, since });
    // The last calls of this process may not be stored yet.
    const kept = this.#known.get(key);
    const total = kept?.since === since && tokensOf(kept.total) > tokensOf(stored) ? kept.total : stored;
    this.#known.set(key, { since, readAt: now, total });
    return total;
  }
}

const channelKey = (namespace: string) => `channel ${namespace}`;
const userKey = (user: string) => `user ${user}`;

type Unit = "usd" | "tokens";

function byOperator(most: number, setting: string): DayLimit {
  return { most, by: "An operator of the bot", with: `spending.${setting}` };
}

/** How a limit is raised: a sentence without its end. Guests read no name of a setting. */
export function raising({ by, with: how }: DayLimit, reader: Trust): string {
  return `${by} can raise ${reader === "guest" && by === "An operator of the bot" ? "that" : how}`;
}

/** The limit of a channel: its managers' if that is lower than the operator's. */
function lowest(caps: SpendingCaps, namespace: string, unit: Unit, managers = Infinity): DayLimit {
  const own = caps.channels[namespace]?.[`day_${unit}`];
  const most = own ?? caps[`per_channel_day_${unit}`];
  if (managers < most)
    return {
      most: managers,
      by: isDirectMessage(namespace) ? "You" : "A manager of this channel",
      with: "that with `/agent spending`",
    };
  return byOperator(most, own === undefined ? `per_channel_day_${unit}` : "channels");
}

function tokensOf({ input_tokens, output_tokens }: UsageTotal): number {
  return input_tokens + output_tokens;
}

function over({ spent, usd, tokens }: ChannelDay, whoHas: string, reader: Trust): string | undefined {
  const next = "the next day begins at 00:00 UTC";
  if (spent.cost_usd !== undefined && spent.cost_usd >= usd.most)
    return `${whoHas} spent ${costText(spent)} of $${usd.most.toFixed(2)} for today. ${raising(usd, reader)}; ${next}`;
  if (spent.unpriced_tokens < tokens.most) return undefined;
  return `${whoHas} used ${tokensInWords(spent, tokens)} for today. ${raising(tokens, reader)}; ${next}`;
}

/** Money decides where a price is known, so these are the tokens of models without one. */
function tokensInWords({ unpriced_tokens }: UsageTotal, { most }: DayLimit): string {
  return `${unpriced_tokens.toLocaleString("en")} of ${tokenLimitText(most)}`;
}

/** A limit of tokens in words. */
export function tokenLimitText(most: number): string {
  return `${most.toLocaleString("en")} tokens of models without a price`;
}

/** Percentages of a channel's day that its people are told of, the highest first. */
const told = [95, 75] as const;

/**
 * Counts what a turn spends, at once. Before its end is stored, the thread is told if the channel has used most of its day: by a turn of its
 * own, which runs next, and whose key makes it one for each percentage, channel and day, whichever process comes first. A turn whose end
 * is stored must have nothing left to do: it keeps its lease and its thread until it returns.
 */
export function observeSpending(deps: Telling, { inbound, events }: ClaimedTurn): TurnObserver {
  let hasSpent = events.some(({ type }) => type === "usage");
  const failed = (error: unknown) => deps.report(error, "the notice of a channel's spending");
  return {
    before(event) {
      if (event.type === "usage") {
        hasSpent = true;
        deps.spending.add(inbound.namespace, inbound.author.id, event);
      }
      return hasSpent && event.type === "turn_finished" ? tell(deps, inbound).catch(failed) : undefined;
    },
  };
}

interface Telling {
  spending: Pick<Spending, "channel" | "add">;
  submit: Submit;
  clock: AppDeps["clock"];
  report: TurnPorts["report"];
}

async function tell(
  { spending, submit, clock }: Telling,
  { namespace, thread, author, origin }: Inbound,
): Promise<void> {
  const day = await spending.channel(namespace);
  const used = percentOf(day);
  const mark = told.find((percent) => used >= percent);
  if (mark === undefined) return;
  const now = clock.now();
  await submit({
    namespace,
    thread,
    author,
    key: `spending:${namespace}:${Math.floor(now / dayMs)}:${mark}`,
    text: "What this channel may spend today",
    cause: {
      kind: "spending",
      id: `${mark}`,
      because: `${mark} % of the day are used`,
      says: inWords(day, namespace),
    },
    origin: origin && { said_at: now, files: [], in_thread: false },
  });
}

/** The parts of its day's dollars and tokens that a channel has used; 1: all. */
function sharesOf({ spent, usd, tokens }: ChannelDay): { byUsd: number; byTokens: number } {
  return { byUsd: (spent.cost_usd ?? 0) / usd.most, byTokens: spent.unpriced_tokens / tokens.most };
}

/** How much of its day a channel has used, by the limit it is nearer to. */
function percentOf(day: ChannelDay): number {
  const { byUsd, byTokens } = sharesOf(day);
  return Math.floor(100 * Math.max(byUsd, byTokens));
}

function inWords(day: ChannelDay, namespace: string): string {
  const { spent, usd, tokens } = day;
  const { byUsd, byTokens } = sharesOf(day);
  const { by } = byUsd > byTokens ? usd : tokens;
  const of =
    byUsd > byTokens ? `${costText(spent)} of $${usd.most.toFixed(2)}` : tokensInWords(spent, tokens);
  const percent = percentOf(day);
  const [used, then] = percent < 100 ? [`${percent} %`, "At 100 % I answer"] : ["all", "I answer"];
  const where = hereInWords(namespace).replace("t", "T");
  const nobody = isDirectMessage(namespace) ? "nothing" : "nobody";
  return `${where} has used ${used} of what it may spend today: ${of}. ${then} ${nobody} here until 00:00 UTC. ${by} can raise the limit.`;
}
