import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../../src/core/log/turn-event.ts";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import {
  elapse,
  logLeftBehind,
  manualClock,
  pass,
  place,
  presentedApp,
  seen,
  stagedModel,
} from "./presented-app.ts";

const outage = new PlatformError("unavailable", "The platform does not answer.");
const forEver = { times: 1e9 };

const started: TurnEventBody = { type: "turn_started", profile: "chat", model: "m" };
const answered: TurnEventBody = {
  type: "model_message",
  round: 1,
  model: "m",
  message: { role: "assistant", text: "The answer.", tool_calls: [] },
};
const ready: TurnEventBody = { type: "answer_ready", outcome: "completed", text: "The answer." };
const part = (number: number) => ({ turn_id: "left", purpose: "answer" as const, part: number });

describe("delivery", () => {
  it("a delivery that is rate-limited is tried again and posts once", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]));
    platform.fail("post", new PlatformError("rate_limited", "slow down", { retryAfterMs: 2_000 }), {
      times: 2,
    });
    const events = await reach(await ask("hi"), "turn_finished");
    expect(seen(platform)).toEqual(["answer: Hello."]);
    expect(platform.shown).toHaveLength(1);
    expect(events.some((event) => event.type === "turn_waiting")).toBe(false);
    const [first, second] = platform.calls.filter(({ call }) => call === "post");
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it("a delivery with an unclear outcome looks for the post before posting again", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]));
    platform.fail("post", outage, { after: true });
    await reach(await ask("hi"), "turn_finished");
    expect(seen(platform)).toEqual(["answer: Hello."]);
    expect(platform.shown).toHaveLength(1);
  });

  it("a delivery during an outage frees its worker and is retried with growing pauses until it succeeds", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const model = stagedModel(["Hello."]);
    platform.fail("post", outage, { times: 18 });
    const { ask, reach } = presentedApp(model, { platform, clock, concurrent: 1 });
    const events = await reach(await ask("hi"), "turn_finished");
    const waits = events.filter((event) => event.type === "turn_waiting").map(({ until, at }) => until - at);
    expect(waits).toEqual([5_000, 10_000, 20_000]);
    expect(seen(platform)).toEqual(["answer: Hello."]);
    expect(model.asked).toBe(1);
  });

  it("a delivery continues after a restart during an outage without asking the model again", async () => {
    const clock = manualClock();
    const log = createMemoryTurnLog(clock);
    const broken = createFakePlatform({ now: clock.now });
    broken.fail("post", outage, forEver);
    const before = presentedApp(stagedModel(["Hello."]), { platform: broken, clock, log });
    const turnId = await before.ask("hi");
    await before.reach(turnId, "turn_waiting");
    await before.stop(0);
    const platform = createFakePlatform({ now: clock.now });
    const model = stagedModel(["again"]);
    const after = presentedApp(model, { platform, clock, log });
    await after.reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Hello."]);
    expect(model.asked).toBe(0);
  });

  it("a delivery interrupted by a shutdown is left to the next start", async () => {
    const clock = manualClock();
    const log = createMemoryTurnLog(clock);
    const broken = createFakePlatform({ now: clock.now });
    broken.fail("post", outage, forEver);
    const before = presentedApp(stagedModel(["Hello."]), { platform: broken, clock, log });
    const turnId = await before.ask("hi");
    await before.reach(turnId, "answer_ready");
    let stopped = false;
    const stopping = before.stop(0).then(() => {
      stopped = true;
    });
    const begun = clock.now();
    await elapse(clock, () => stopped, 1);
    await stopping;
    expect(clock.now() - begun).toBeLessThan(5_000);
    expect((await log.get(turnId))?.status).not.toBe("finished");
    await log.reclaim();
    const platform = createFakePlatform({ now: clock.now });
    const after = presentedApp(stagedModel(["again"]), { platform, clock, log });
    await after.reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Hello."]);
  });

  it("a delivery is given up after a day", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    platform.fail("post", outage, forEver);
    const log = await logLeftBehind("left", [started, ready], clock, { ago: 24 * 3_600_000 });
    const { reach } = presentedApp(stagedModel(), { platform, clock, log });
    const events = await reach("left", "turn_finished");
    expect(events.find((event) => event.type === "error")).toMatchObject({ code: "not_delivered" });
    expect((await log.get("left"))?.answer).toBe("The answer.");
  });

  it("a delivery that meets a defect again and again does not hold up its thread", async () => {
    const clock = manualClock();
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]), { clock });
    const begun = clock.now();
    platform.fail("post", new TypeError("undefined is not a function"), forEver);
    const events = await reach(await ask("hi"), "turn_finished");
    expect(events.find((event) => event.type === "error")).toMatchObject({ code: "not_delivered" });
    expect(clock.now() - begun).toBeLessThan(3 * 60_000);
  });
});

describe("delivery after a crash", () => {
  const crashed = async (events: readonly TurnEventBody[], model = stagedModel(["asked again"])) => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const log = await logLeftBehind("left", events, clock);
    const begin = async () => {
      const { reach } = presentedApp(model, { platform, clock, log });
      return reach("left", "turn_finished");
    };
    return { platform, begin, model };
  };

  it("delivery after a crash posts an answer that was ready", async () => {
    const { platform, begin, model } = await crashed([started, answered, ready]);
    const events = await begin();
    expect(seen(platform)).toEqual(["answer: The answer."]);
    expect(model.asked).toBe(0);
    expect(events.filter((event) => event.type === "answer_ready")).toHaveLength(1);
  });

  it("delivery after a crash does not repeat a post that was not recorded [post-1]", async () => {
    const { platform, begin } = await crashed([started, answered, ready]);
    await platform.post(place, { tag: part(0), markdown: "The answer." });
    await begin();
    expect(seen(platform)).toEqual(["answer: The answer."]);
    expect(platform.shown).toHaveLength(1);
  });

  it("delivery after a crash does not repeat a recorded post", async () => {
    const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference: "m1" };
    const { platform, begin } = await crashed([started, answered, ready, posted]);
    await begin();
    expect(platform.calls).toEqual([]);
  });

  it.each(["recorded", "not recorded"])(
    "delivery after a crash finishes the message that was growing (%s)",
    async (how) => {
      const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference: "m1" };
      const model = stagedModel(["The whole answer."]);
      const { platform, begin } = await crashed(how === "recorded" ? [started, posted] : [started], model);
      await platform.post(place, { tag: part(0), markdown: "The wh" });
      await begin();
      expect(seen(platform)).toEqual(["answer: The whole answer."]);
      expect(platform.shown).toHaveLength(1);
    },
  );

  it.each([true, false])(
    "delivery after a shutdown finishes the message that was growing (native: %s)",
    async (streams) => {
      const clock = manualClock();
      const log = createMemoryTurnLog(clock);
      const platform = createFakePlatform({ streams, now: clock.now });
      const begun = "It begins so, and goes on for a while. ".repeat(6);
      const before = presentedApp(stagedModel([begun, new Promise(() => {})]), { platform, clock, log });
      const turnId = await before.ask("hi");
      await pass(clock, 2_000);
      expect(platform.visible()).toHaveLength(1);
      let stopped = false;
      const stopping = before.stop(0).then(() => {
        stopped = true;
      });
      await elapse(clock, () => stopped);
      await stopping;
      await log.reclaim();
      const after = presentedApp(stagedModel(["The whole answer."]), { platform, clock, log });
      await after.reach(turnId, "turn_finished");
      expect(seen(platform)).toEqual(["answer: The whole answer."]);
      expect(platform.shown).toHaveLength(1);
      expect(platform.calls.filter(({ call }) => call === "finish")).toHaveLength(streams ? 1 : 0);
    },
  );

  it("delivery after a crash posts again when the growing message was deleted", async () => {
    const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference: "m1" };
    const { platform, begin } = await crashed([started, posted], stagedModel(["The whole answer."]));
    platform.fail("edit", new PlatformError("gone", "The message is deleted."));
    await begin();
    expect(seen(platform)).toEqual(["answer: The whole answer."]);
  });

  it("delivery after a crash removes what was posted before the turn waited, if only the answer was posted since", async () => {
    const posted = (reference: string): TurnEventBody => ({
      ...{ type: "message_posted", purpose: "answer", part: 0, reference },
    });
    const waited: TurnEventBody = { type: "turn_waiting", until: 1 };
    const left = [started, posted("m1"), waited, answered, ready, posted("m2")];
    const { platform, begin } = await crashed(left);
    await platform.post(place, { tag: part(0), markdown: "" });
    await platform.post(place, { tag: part(0), markdown: "The answer." });
    await begin();
    expect(seen(platform)).toEqual(["answer: The answer."]);
  });

  it("delivery after a crash does not take what was posted before the turn waited for its answer", async () => {
    const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference: "m1" };
    const waited: TurnEventBody = { type: "turn_waiting", until: 1 };
    const { platform, begin } = await crashed([started, posted, waited, answered, ready]);
    await platform.post(place, { tag: part(0), markdown: "" });
    await begin();
    expect(seen(platform)).toEqual(["answer: The answer."]);
    expect(platform.shown).toHaveLength(2);
  });

  it("delivery after a crash posts only the missing parts [post-2]", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ message_characters: 100, now: clock.now });
    const text = Array.from({ length: 3 }, (_, index) => `${index} `.repeat(45).trim()).join("\n\n");
    const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference: "m1" };
    const log = await logLeftBehind("left", [started, { ...ready, text }, posted], clock);
    await platform.post(place, { tag: part(1), markdown: "1 ".repeat(45).trim() });
    const { reach } = presentedApp(stagedModel(), { platform, clock, log });
    await reach("left", "turn_finished");
    expect(platform.shown.map(({ message }) => message.tag?.part)).toEqual([1, 2]);
  });
});

describe("a turn whose time is over", () => {
  it("a turn whose time is over still delivers its answer", async () => {
    const { ask, reach, platform, clock } = presentedApp(stagedModel([new Promise(() => {})]), {
      max_duration_ms: 10_000,
    });
    const turnId = await ask("hi");
    await pass(clock, 11_000);
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringContaining("time limit")]);
    expect(platform.shown[0]?.message.buttons?.map(({ id }) => id)).toContain(`continue:${turnId}`);
  });
});
