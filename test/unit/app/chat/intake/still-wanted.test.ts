import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../../src/core/log/turn-event.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { answerTurn } from "../../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { ada } from "../../../../support/test-app.ts";
import { logLeftBehind, manualClock, presentedApp, seen, stagedModel } from "../present/presented-app.ts";

const started: TurnEventBody = { type: "turn_started", profile: "chat", model: "staged/model" };
const minutes = 60_000;

/** A bot that comes back after so long; its turn had begun. */
async function downFor(ms: number, events: TurnEventBody[] = [started]) {
  const clock = manualClock();
  const platform = createFakePlatform({ now: clock.now });
  const log = await logLeftBehind("left", events, clock);
  clock.advance(ms);
  const model = stagedModel(["The answer."]);
  const bot = presentedApp(model, {
    platform,
    clock,
    log,
    max_duration_ms: 30 * minutes,
    limits: { question_ms: 15 * minutes },
  });
  return { ...bot, model };
}

async function asked() {
  const bot = await downFor(40 * minutes);
  const events = await bot.reach("left", "turn_waiting");
  const question = events.find((event) => event.type === "question_asked");
  return { ...bot, questionId: question?.question_id ?? "" };
}

describe("a turn on a chat platform that was interrupted", () => {
  it("a turn interrupted for a short while continues without asking", async () => {
    const { reach, platform } = await downFor(10 * minutes);
    await reach("left", "turn_finished");
    expect(seen(platform)).toEqual(["answer: The answer."]);
  });

  it("a turn interrupted for long asks whether it is still wanted, and nothing of it runs until then", async () => {
    const { platform, model } = await asked();
    expect(seen(platform)).toEqual([expect.stringContaining("interrupted 40 minutes ago")]);
    expect(platform.visible()[0]?.message.buttons?.map(({ label }) => label)).toEqual(["Yes, go on", "No"]);
    expect(model.asked).toBe(0);
  });

  it("an interrupted turn continues after a yes", async () => {
    const { app, reach, platform, questionId } = await asked();
    await answerTurn(app, "left", questionId, "Yes, go on", ada);
    await reach("left", "turn_finished");
    expect(seen(platform)).toEqual([expect.stringContaining("**Ada:** Yes, go on"), "answer: The answer."]);
  });

  it("an interrupted turn is stopped by a no", async () => {
    const { app, reach, model, questionId } = await asked();
    await answerTurn(app, "left", questionId, "No", ada);
    const events = await reach("left", "turn_finished");
    expect(events.at(-1)).toMatchObject({ outcome: "stopped" });
    expect(model.asked).toBe(0);
  });

  it("an interrupted turn continues with a further message of its asker, which the model gets too", async () => {
    const { ask, reach, model } = await asked();
    await ask("yes please");
    const events = await reach("left", "turn_finished");
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "The answer." });
    expect(model.asked).toBeGreaterThan(0);
  });

  it("an interrupted turn is stopped when nobody answers in time, and says so", async () => {
    const { reach, platform, model } = await asked();
    const events = await reach("left", "turn_finished");
    expect(events.at(-1)).toMatchObject({ outcome: "stopped" });
    expect(seen(platform).at(-1)).toContain("nobody confirmed that it is still wanted");
    expect(model.asked).toBe(0);
  });

  it("a turn interrupted while waiting for a person is not asked about", async () => {
    const clock = manualClock();
    const { reach, platform } = await downFor(40 * minutes, [
      started,
      { type: "turn_waiting", until: clock.now() + 15 * minutes },
    ]);
    await reach("left", "turn_finished");
    expect(seen(platform)).toEqual(["answer: The answer."]);
  });

  it("an interrupted turn that came through the API continues without asking", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const log = createMemoryTurnLog(clock);
    const before = presentedApp(stagedModel([new Promise(() => {})]), { platform, clock, log });
    const turnId = await before.ask("go", { shown: false });
    await before.reach(turnId, "round_started");
    await clock.advanceUntil(before.stop(0), 100);
    clock.advance(40 * minutes);
    const after = presentedApp(stagedModel(["The answer."]), { platform, clock, log });
    const events = await after.reach(turnId, "turn_finished");
    expect(events.at(-1)).toMatchObject({ outcome: "completed", text: "The answer." });
    expect(events.map(({ type }) => type)).not.toContain("question_asked");
  });
});
