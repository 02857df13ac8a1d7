import { describe, expect, it } from "vitest";
import type { Usage } from "../../../../src/core/log/usage.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

const elsewhere = "console:local:elsewhere";

/** An app whose model uses this much with each answer. */
const appUsing = (usage: Usage | ((round: number) => Usage), more = {}) =>
  createTestApp(scriptedModel(["ok"], { usage }), more);

async function usageAfter(usage: Parameters<typeof appUsing>[0], answers: number): Promise<string> {
  const { ask } = appUsing(usage);
  for (let i = 0; i < answers; i += 1) await ask("hi");
  return (await ask("/agent usage")).end.text;
}

describe("/agent usage", () => {
  it("`/agent usage` shows the channel's and the asker's tokens, the cached share, and the cost", async () => {
    const call = { input_tokens: 1_000, cached_tokens: 625, output_tokens: 50, cost_usd: 0.002 };
    const { ask } = appUsing(call);
    await ask("one", { by: ada });
    await ask("two", { by: ben });
    await ask("three", { by: ada, namespace: elsewhere });
    await ask("four", { by: ada, namespace: elsewhere });
    expect((await ask("/agent usage", { by: ada })).end.text).toBe(
      [
        "Today (UTC):",
        "- this channel: 2,000 tokens in (63% from the provider's cache), 100 out, $0.0040",
        "- you, everywhere: 3,000 tokens in (63% from the provider's cache), 150 out, $0.0060",
      ].join("\n"),
    );
  });

  it("`/agent usage` shows no price for a model without one", async () => {
    const text = await usageAfter({ input_tokens: 100, output_tokens: 5 }, 2);
    expect(text).toContain("- this channel: 200 tokens in (0% from the provider's cache), 10 out\n");
    expect(text).not.toContain("$");
  });

  it("`/agent usage` says that the cost is incomplete when some models have no price", async () => {
    const call = { input_tokens: 100, output_tokens: 5 };
    const text = await usageAfter((round) => (round === 1 ? call : { ...call, cost_usd: 0.5 }), 2);
    expect(text).toContain("10 out, at least $0.50");
  });

  it("`/agent usage` says so when nothing was used yet", async () => {
    expect(await usageAfter({ input_tokens: 1, output_tokens: 1 }, 0)).toBe(
      "Today (UTC):\n- this channel: 0 tokens in, 0 out\n- you, everywhere: 0 tokens in, 0 out",
    );
  });
});

describe("a turn of a model without a price", () => {
  const unpriced = { input_tokens: 600, cached_tokens: 500, output_tokens: 400 };

  it("a turn of a model without a price is recorded without a cost", async () => {
    const { ask, app } = appUsing(unpriced);
    const { turnId, events } = await ask("hi");
    expect(events.find((event) => event.type === "usage")).toMatchObject({ cached_tokens: 500 });
    const turn = await app.turn(turnId);
    expect(turn).toMatchObject({ cached_tokens: 500, unpriced_tokens: 1_000 });
    expect(turn?.cost_usd).toBeUndefined();
  });

  it("a turn of a model without a price uses up no dollars, but its tokens count", async () => {
    const caps = { per_channel_day_usd: 0.000001, per_channel_day_tokens: 2_000 };
    const { ask } = appUsing(unpriced, { spending: caps });
    await ask("one");
    expect((await ask("two")).end.outcome).toBe("completed");
    const { end } = await ask("three");
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toContain("this channel has used 2,000 of 2,000 tokens");
  });

  it("a turn of a model without a price leaves known dollars counted, even across a restart", async () => {
    const log = createMemoryTurnLog();
    await appUsing(unpriced, { log }).ask("one");
    await appUsing({ ...unpriced, cost_usd: 0.5 }, { log }).ask("two");
    const { end } = await appUsing(unpriced, { log, spending: { per_user_day_usd: 0.4 } }).ask("three");
    expect(end.text).toContain("you have spent at least $0.50 of $0.40");
  });
});
