import { expect, it } from "vitest";
import type { SpendingCaps } from "../../../../src/app/app-deps.ts";
import { raising, Spending } from "../../../../src/app/turns/spending.ts";
import type { TurnReading } from "../../../../src/core/log/turn-log.ts";
import { noUsage, type UsageTotal } from "../../../../src/core/log/usage.ts";
import { updateNamespace } from "../../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { ada, ben } from "../../../support/test-app.ts";

const day = 86_400_000;
const noon = 20_000 * day + day / 2;
const caps: SpendingCaps = {
  per_channel_day_usd: 2,
  per_user_day_usd: 1,
  per_channel_day_tokens: 2_000,
  per_user_day_tokens: 1_000,
  channels: {},
};
type Spent = Partial<UsageTotal>;

/** Spending over a log that answers these totals, and what it was asked for. */
function createWorld(channel: Spent = {}, user: Spent = {}, more: Partial<SpendingCaps> = {}) {
  const store = createMemoryKeyValue();
  const clock = createFakeClock(noon);
  const asked: unknown[] = [];
  const usage: TurnReading["usage"] = async (filter) => {
    asked.push(filter);
    return { ...noUsage, ...(filter.user === undefined ? channel : user) };
  };
  return {
    clock,
    store,
    asked,
    spending: new Spending(usage, { store, clock, spending: { ...caps, ...more } }),
  };
}

const tomorrow = "the next day begins at 00:00 UTC";

it.each<[string, Spent, Spent, string | undefined]>([
  ["nothing", {}, {}, undefined],
  [
    "nearly all",
    { cost_usd: 1.99, unpriced_tokens: 1_999 },
    { cost_usd: 0.99, unpriced_tokens: 999 },
    undefined,
  ],
  [
    "far more tokens than the limit, at a known price",
    { cost_usd: 1, input_tokens: 9_000_000 },
    {},
    undefined,
  ],
  [
    "the dollars of the channel",
    { cost_usd: 2 },
    {},
    "this channel has spent $2.00 of $2.00 for today. An operator of the bot can raise spending.per_channel_day_usd;",
  ],
  [
    "the dollars of the person",
    {},
    { cost_usd: 1.5 },
    "you have spent $1.50 of $1.00 for today. An operator of the bot can raise spending.per_user_day_usd;",
  ],
  [
    "the tokens of the channel",
    { unpriced_tokens: 2_000 },
    {},
    "this channel has used 2,000 of 2,000 tokens of models without a price for today. An operator of the bot can raise spending.per_channel_day_tokens;",
  ],
  [
    "the tokens of the person",
    {},
    { unpriced_tokens: 1_000 },
    "you have used 1,000 of 1,000 tokens of models without a price for today. An operator of the bot can raise spending.per_user_day_tokens;",
  ],
  [
    "all of both",
    { cost_usd: 2, unpriced_tokens: 2_000 },
    { cost_usd: 1, unpriced_tokens: 1_000 },
    "this channel has spent at least $2.00",
  ],
  [
    "all, some of it without a price",
    { cost_usd: 2, unpriced_tokens: 1 },
    {},
    "this channel has spent at least $2.00 of",
  ],
])(
  "a person who has spent %s today is told what is used up, if anything",
  async (_what, channel, user, told) => {
    const { spending } = createWorld(channel, user);
    const exceeded = await spending.exceeded("n", ada);
    if (told === undefined) expect(exceeded).toBeUndefined();
    else expect(exceeded).toContain(told);
    if (told?.endsWith(";")) expect(exceeded).toContain(tomorrow);
  },
);

it("spending counts at once, for the channel and the person who spent it", async () => {
  const { spending } = createWorld();
  const usage = { input_tokens: 600, output_tokens: 0 };
  // Nothing is known of them yet: the log counts this call when they are read.
  spending.add("n", "ada", usage);
  for (const user of [ada, ben]) expect(await spending.exceeded("n", user)).toBeUndefined();
  spending.add("n", "ada", usage);
  expect(await spending.exceeded("n", ada)).toBeUndefined();
  spending.add("n", "ada", usage);
  expect(await spending.exceeded("n", ada)).toContain("you have used 1,200 of 1,000");
  expect(await spending.exceeded("n", ben)).toBeUndefined();
  spending.add("n", "ben", usage);
  spending.add("n", "ben", { input_tokens: 300, output_tokens: 0 });
  expect(await spending.exceeded("n", ben)).toContain("this channel has used 2,100 of 2,000");
  expect(await spending.exceeded("other", ben)).toBeUndefined();
});

it("a spending day is a UTC day", async () => {
  const { spending, clock, asked } = createWorld();
  await spending.exceeded("n", ada);
  const today = [
    { namespace: "n", since: noon - day / 2 },
    { user: "ada", since: noon - day / 2 },
  ];
  expect(asked.splice(0)).toEqual(today);
  spending.add("n", "ada", { input_tokens: 2_000, output_tokens: 0 });
  clock.advance(4_999);
  expect(await spending.exceeded("n", ada)).toContain("this channel");
  expect(asked).toEqual([]);
  clock.advance(day / 2);
  expect(await spending.exceeded("n", ada)).toBeUndefined();
  expect(asked).toEqual(today.map((filter) => ({ ...filter, since: noon + day / 2 })));
});

it("spending of other processes counts after a few seconds, and calls of this one that are not stored yet stay counted", async () => {
  const stored: Spent = {};
  const { spending, clock } = createWorld(stored);
  expect(await spending.exceeded("n", ada)).toBeUndefined();
  spending.add("n", "ben", { input_tokens: 2_000, output_tokens: 0 });
  clock.advance(5_000);
  expect(await spending.exceeded("n", ada)).toContain("used 2,000 of 2,000");
  Object.assign(stored, { input_tokens: 2_500, unpriced_tokens: 2_500 });
  expect(await spending.exceeded("n", ada)).toContain("used 2,000 of 2,000");
  clock.advance(5_000);
  expect(await spending.exceeded("n", ada)).toContain("used 2,500 of 2,000");
});

it.each<
  [string, SpendingCaps["channels"], { day_usd?: number; day_tokens?: number }, number, number, string]
>([
  ["neither", {}, {}, 2, 2_000, "spending.per_channel_day_usd"],
  ["the operator, more", { n: { day_usd: 9 } }, {}, 9, 2_000, "spending.channels"],
  ["the operator, less", { n: { day_tokens: 5 } }, {}, 2, 5, "spending.per_channel_day_usd"],
  ["the operator, of another channel", { o: { day_usd: 1 } }, {}, 2, 2_000, "spending.per_channel_day_usd"],
  ["a manager, less", {}, { day_usd: 1, day_tokens: 7 }, 1, 7, "`/agent spending`"],
  [
    "a manager, more than the operator since",
    { n: { day_usd: 1 } },
    { day_usd: 2 },
    1,
    2_000,
    "spending.channels",
  ],
])("the limits of a channel are set by %s", async (_who, channels, spending, usd, tokens, raise) => {
  const world = createWorld({}, {}, { channels });
  await updateNamespace(world.store, "n", ({ settings }) => {
    settings.spending = spending;
  });
  const day = await world.spending.channel("n");
  expect([day.usd.most, day.tokens.most]).toEqual([usd, tokens]);
  expect(raising(day.usd, "manager")).toContain(raise);
  expect(raising(day.usd, "guest")).not.toMatch(/spending\./);
});
