import { describe, expect, it } from "vitest";
import { type Model, ModelError, type ModelErrorCode } from "../../../../src/core/ports/model.ts";
import { createRetryingModel, defaultRetryPolicy } from "../../../../src/models/around/retrying-model.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { stopTurn } from "../../../support/bot/ask-app.ts";
import { createFakeClock, type FakeClock } from "../../../support/fakes/fake-clock.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp, type TestApp, type TestAppOptions } from "../../../support/test-app.ts";

const minute = 60_000;
const start = Date.UTC(2026, 10, 22, 14, 20);

/** A model that is away from the start of the clock for so long. */
function awayModel(clock: FakeClock, ms: number, code: ModelErrorCode = "overloaded"): ScriptedModel {
  return scriptedModel(() =>
    clock.now() - start < ms
      ? new ModelError(code, "m/x: host is overloaded (HTTP 529). Try again later.")
      : "Here I am.",
  );
}

function bot(model: Model, clock: FakeClock, more: TestAppOptions = {}) {
  return createTestApp(model, {
    clock,
    max_duration_ms: 30 * minute,
    limits: { away_retry_ms: 15 * minute, away_ask_ms: 24 * 60 * minute },
    ...more,
  });
}

/** The turn's events until it is finished, with time passing. */
const finished = async ({ events }: TestApp, clock: FakeClock, turnId: string) =>
  clock.advanceUntil(events(turnId), 1_000);

describe("a turn whose model is away", () => {
  it("a turn whose model is away waits without a worker, says so once in plain words, and is answered once when it is back", async () => {
    const clock = createFakeClock(start);
    const model = awayModel(clock, 5 * minute);
    const test = bot(model, clock);
    const turnId = await test.say("go");
    const away = await test.until(turnId, "model_away");
    expect(away.text).toBe("The model does not answer (it is overloaded). I'll keep trying until 14:35 UTC.");
    await test.until(turnId, "turn_waiting");
    expect((await test.app.turn(turnId))?.status).toBe("waiting");
    const events = await finished(test, clock, turnId);
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "Here I am." });
    const told = events.flatMap((event) => (event.type === "model_away" ? [event.text] : []));
    expect(new Set(told).size).toBe(1);
    expect(events.filter(({ type }) => type === "model_message")).toHaveLength(1);
    expect(events.filter((event) => event.type === "round_started").every(({ round }) => round === 1)).toBe(
      true,
    );
    expect(model.requests.length).toBeLessThan(15);
  });

  it("a turn whose model asks for a day of patience looks again each minute", async () => {
    const clock = createFakeClock(start);
    const limited = new ModelError("rate_limited", "m/x: no.", { retryAfterMs: 24 * 60 * minute });
    const model = scriptedModel(() => (clock.now() - start < 2 * minute ? limited : "Here I am."));
    const test = bot(model, clock);
    const events = await finished(test, clock, await test.say("go"));
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "Here I am." });
    expect(clock.now() - start).toBeLessThan(5 * minute);
  });

  it("a turn whose model is away frees its worker after the second try, and is tried again from the log", async () => {
    const clock = createFakeClock(start);
    let isBack = false;
    const outage = new ModelError("unavailable", "m/x: host had an error (HTTP 502).", {
      seen: "a web page comes in place of an answer: HTTP 502, text/html",
    });
    const script = scriptedModel(({ messages }) =>
      messages.at(-1)?.text === "other" || isBack ? "Here I am." : outage,
    );
    const logged: object[] = [];
    const model = createRetryingModel(script, { ...defaultRetryPolicy, attempts: 5 }, clock);
    const test = bot(model, clock, { concurrent: 1, logged: (fields) => void logged.push(fields) });
    const turnId = await test.say("go");
    const other = test.ask("other", { namespace: "console:local:other", thread: "t2" });
    await clock.advanceUntil(other, 50);
    expect(script.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(["go", "go", "other"]);
    const away = (await test.log.read(turnId)).find(({ type }) => type === "model_away");
    expect(away).toMatchObject({
      text: "The model does not answer (a web page comes in place of an answer: HTTP 502, text/html). I'll keep trying until 14:35 UTC.",
    });
    isBack = true;
    const events = await finished(test, clock, turnId);
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "Here I am." });
    const told = logged.filter((fields) => "reason" in fields);
    expect(told).toMatchObject([{ turn_id: turnId, reason: expect.stringContaining("HTTP 502") }]);
  });

  it("a turn whose model is away fails with clear words after its time where nobody is asked later", async () => {
    const clock = createFakeClock(start);
    const test = bot(awayModel(clock, 60 * minute), clock);
    const turnId = await test.say("go");
    const end = (await finished(test, clock, turnId)).at(-1);
    expect(end).toMatchObject({
      outcome: "failed",
      text: expect.stringContaining("did not answer for 15 minutes"),
    });
    expect(clock.now() - start).toBeLessThan(16 * minute);
  });

  it.each<ModelErrorCode>([
    "unauthorized",
    "invalid_request",
    "not_configured",
    "context_too_long",
    "bad_response",
  ])("a turn fails at once when the reason is permanent: %s", async (code) => {
    const clock = createFakeClock(start);
    const model = awayModel(clock, 5 * minute, code);
    const test = bot(model, clock);
    const { end } = await test.ask("go");
    expect(end).toMatchObject({ outcome: "failed" });
    expect(model.requests).toHaveLength(1);
  });

  it("a turn whose model is away can be stopped while it waits", async () => {
    const clock = createFakeClock(start);
    const test = bot(awayModel(clock, 60 * minute), clock);
    const turnId = await test.say("go");
    await test.until(turnId, "turn_waiting");
    await stopTurn(test.app, turnId, ada);
    expect((await test.events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
  });

  it("a turn whose model is away takes in what its author writes in between", async () => {
    const clock = createFakeClock(start);
    const model = awayModel(clock, 5 * minute);
    const test = bot(model, clock);
    const turnId = await test.say("go");
    await test.until(turnId, "turn_waiting");
    const more = await test.say("and make it short");
    const events = await finished(test, clock, turnId);
    expect(events.at(-1)).toMatchObject({ outcome: "completed" });
    expect((await test.log.get(more))?.merged_into).toBe(turnId);
    const [last] = model.requests.slice(-1);
    expect(last?.messages.map(({ text }) => text)).toEqual(["go", "and make it short"]);
  });

  it("a turn whose model is away continues to wait after a restart", async () => {
    const clock = createFakeClock(start);
    const log = createMemoryTurnLog(clock);
    const store = createMemoryKeyValue();
    const model = awayModel(clock, 5 * minute);
    const first = bot(model, clock, { log, store });
    const turnId = await first.say("go");
    await first.until(turnId, "turn_waiting");
    await first.stop(0);
    await log.reclaim();
    const second = bot(model, clock, { log, store });
    const events = await finished(second, clock, turnId);
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "Here I am." });
    expect(events.filter(({ type }) => type === "turn_started")).toHaveLength(1);
  });

  it("waiting for the model does not use up the time of the turn", async () => {
    const clock = createFakeClock(start);
    const test = bot(awayModel(clock, 12 * minute), clock, { max_duration_ms: 10 * minute });
    const turnId = await test.say("go");
    expect((await finished(test, clock, turnId)).at(-1)).toMatchObject({ outcome: "completed" });
  });
});
