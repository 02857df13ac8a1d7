import { describe, expect, it } from "vitest";
import { meteredPlatform } from "../../../src/app/chat/chat-hub.ts";
import { PlatformError } from "../../../src/core/ports/chat-platform.ts";
import { createMetrics, type Gauges, type Metrics } from "../../../src/telemetry/metrics.ts";
import { createFakePlatform } from "../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { ben, createTestApp, home } from "../../support/test-app.ts";

const idle: Gauges = {
  backlog: async () => ({ queued: 0, running: 0, waiting: 0 }),
  now: () => 0,
  platforms: () => [],
};

/** The value of one series, e.g. `knack_rounds_total` or `knack_turns_total{kind="message"}`. */
async function seriesOf(metrics: Metrics, series: string, gauges = idle): Promise<number | undefined> {
  const { text } = await metrics.read(gauges);
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

const count = testSkill("count", [
  { name: "count_words", run: () => 3 },
  {
    name: "count_lines",
    run: () => ({ status: "error", code: "not_isolated", message: "No sandbox here." }),
  },
]);

describe("metrics", () => {
  it("metrics count turns, rounds, tools, refusals of the sandbox and tokens", async () => {
    const meter = await createMetrics();
    const model = scriptedModel([[{ call: "count_words" }, { call: "count_lines" }], "Three."], {
      usage: { input_tokens: 100, cached_tokens: 60, output_tokens: 7, cost_usd: 0.5 },
    });
    const { ask } = createTestApp(model, { meter, skills: [count] });
    await ask("how many?");
    await ask("/skill list");
    expect(await seriesOf(meter, 'knack_turns_total{kind="message",outcome="completed"}')).toBe(1);
    expect(await seriesOf(meter, 'knack_turns_total{kind="command",outcome="completed"}')).toBe(1);
    expect(await seriesOf(meter, 'knack_turn_duration_seconds_count{kind="message"}')).toBe(1);
    expect(await seriesOf(meter, "knack_rounds_total")).toBe(2);
    expect(await seriesOf(meter, 'knack_tool_calls_total{skill="count",outcome="ok"}')).toBe(1);
    expect(await seriesOf(meter, 'knack_tool_calls_total{skill="count",outcome="not_isolated"}')).toBe(1);
    expect(await seriesOf(meter, 'knack_sandbox_refusals_total{reason="not_isolated"}')).toBe(1);
    const of = 'provider="scripted",model="model"';
    expect(await seriesOf(meter, `knack_model_tokens_total{${of},kind="input"}`)).toBe(200);
    expect(await seriesOf(meter, `knack_model_tokens_total{${of},kind="cached"}`)).toBe(120);
    expect(await seriesOf(meter, `knack_model_cache_share{${of}}`)).toBe(0.6);
    expect(await seriesOf(meter, `knack_model_cost_usd_total{${of}}`)).toBe(1);
  });

  it("metrics tell how much waits, how old it is, and which platforms are connected", async () => {
    const meter = await createMetrics();
    const gauges: Gauges = {
      backlog: async () => ({ queued: 4, running: 2, waiting: 1, oldest_at: 7_000 }),
      now: () => 10_000,
      platforms: () => [
        { name: "slack", ok: true },
        { name: "discord", ok: false },
      ],
      processes: async () => [{ role: "worker" }, { role: "gateway" }, { role: "worker" }],
    };
    expect(await seriesOf(meter, 'knack_queue_turns{state="queued"}', gauges)).toBe(4);
    expect(await seriesOf(meter, 'knack_queue_turns{state="waiting"}', gauges)).toBe(1);
    expect(await seriesOf(meter, "knack_queue_oldest_seconds", gauges)).toBe(3);
    expect(await seriesOf(meter, 'knack_platform_up{platform="slack"}', gauges)).toBe(1);
    expect(await seriesOf(meter, 'knack_platform_up{platform="discord"}', gauges)).toBe(0);
    expect(await seriesOf(meter, 'knack_processes{role="worker"}', gauges)).toBe(2);
  });

  it("metrics name nobody and nothing that was said", async () => {
    const meter = await createMetrics();
    const { ask } = createTestApp(scriptedModel(["The code is marigold."]), { meter });
    await ask("what is the secret code?", { by: ben });
    const { text } = await meter.read(idle);
    for (const word of ["ben", "Ben", home.namespace, home.thread, "secret", "marigold"])
      expect(text).not.toContain(word);
  });

  it("metrics count what a platform does not do, and the error is passed on", async () => {
    const meter = await createMetrics();
    const platform = createFakePlatform();
    platform.fail("post", new PlatformError("rate_limited", "Too fast."));
    const metered = meteredPlatform(platform, meter);
    await expect(metered.post(home, { markdown: "hello" })).rejects.toThrow("Too fast.");
    await metered.post(home, { markdown: "hello" });
    expect(await seriesOf(meter, 'knack_platform_errors_total{platform="fake",code="rate_limited"}')).toBe(1);
  });
});

describe("the log line of a turn", () => {
  const lines: { fields: object; message: string }[] = [];
  const logged = (fields: object, message: string) => void lines.push({ fields, message });

  it("the log line of a turn has ids, outcome, times and tokens, and not a word of what was said", async () => {
    lines.length = 0;
    const model = scriptedModel([[{ call: "count_words" }, { call: "count_lines" }], "A secret answer."]);
    const { ask } = createTestApp(model, { logged, skills: [count] });
    const { turnId } = await ask("a secret question", { by: ben });
    expect(lines).toEqual([
      {
        message: "A turn ended",
        fields: {
          turn_id: turnId,
          ...home,
          kind: "message",
          user: "ben",
          agent: "chat",
          model: "scripted/model",
          outcome: "completed",
          error: undefined,
          queued_ms: expect.any(Number),
          duration_ms: expect.any(Number),
          resumed: 0,
          rounds: 2,
          tool_calls: 2,
          tool_errors: 1,
          input_tokens: 20,
          cached_tokens: 0,
          output_tokens: 10,
          cost_usd: undefined,
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("the log line of a failed turn is a warning with the code", async () => {
    lines.length = 0;
    const { ask } = createTestApp(scriptedModel([new Error("boom")]), { logged });
    await ask("hello");
    expect(lines).toMatchObject([
      { message: "A turn failed", fields: { outcome: "failed", error: "internal" } },
    ]);
  });

  it("a log line is written for a message that joined a running turn, too", async () => {
    lines.length = 0;
    const open = Promise.withResolvers<void>();
    const model = scriptedModel([[{ call: "count_words" }], "Both."], { gate: () => open.promise });
    const { say, events, until } = createTestApp(model, { logged, skills: [count] });
    const first = await say("one");
    await until(first, "turn_started");
    const second = await say("and two");
    open.resolve();
    await events(first);
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { turn_id: second, outcome: "merged" },
      { turn_id: first, outcome: "completed" },
    ]);
  });
});
