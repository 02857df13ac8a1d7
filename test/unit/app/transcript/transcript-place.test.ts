import { describe, expect, it } from "vitest";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import type { KeyValue } from "../../../../src/core/ports/storage.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { callable, directMessage } from "../../../support/bot/called-bot.ts";
import { expectPrefixes, recordingModel, systemTexts } from "../../../support/models/recording-model.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";

const minute = 60_000;

/** A bot in a channel of a chat platform, at a time that a test moves. */
function inChannel(
  shared: { log: TurnLog; store: KeyValue; instructions?: string } = {
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
  },
) {
  const scripted = scriptedModel(["ok"]);
  const model = recordingModel(scripted);
  const time = { now: Date.UTC(2026, 10, 22, 13) };
  const clock = { ...systemClock, now: () => time.now };
  const made = callable({ ...shared, clock }, Object.assign(model, { requests: scripted.requests }));
  return { ...made, model, time };
}

describe("the place of a thread", () => {
  it("the place of a thread is told by its name and never by its topic, and once more when its name changes [name-3]", async () => {
    const { platform, call, model, time } = inChannel();
    await call("hi", { in_thread: false });
    expect(model.asked[0]?.system).toContain('the channel "general" (fake:team:general) on Fake');
    platform.describe = async () => ({ name: "payments", topic: "Money" });
    for (const text of ["before it is looked up again", "after", "and later"]) {
      await call(text, { in_thread: false });
      time.now += 11 * minute;
    }
    expect(systemTexts(model.asked.at(-1))).toEqual([
      'This place is now the channel "payments" (fake:team:general) on Fake.',
    ]);
    expectPrefixes(model.asked);
  });

  it("the place of a thread stays unchanged while the platform cannot tell it, even after a restart", async () => {
    const shared = { log: createMemoryTurnLog(), store: createMemoryKeyValue() };
    const first = inChannel(shared);
    await first.call("hi", { in_thread: false });
    await first.app.stop(0);
    const second = inChannel(shared);
    second.platform.describe = () => Promise.reject(new Error("down"));
    await second.app.ask("still there?", { namespace: "fake:team:general", thread: "t1" });
    expect(systemTexts(second.model.asked.at(-1))).toEqual([]);
  });
});

describe("a place that the instructions leave out", () => {
  const shared = () => ({
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
    instructions: "You are {{name}}.",
  });
  const inGeneral = /^You are in the channel "general" \(fake:team:general\) on Fake\. .*You cannot .*\.$/s;

  it("the openings of all places are the same, and each thread is told its place with its first message", async () => {
    const { call, model } = inChannel(shared());
    await call("hi", { in_thread: false });
    await call("hello", { in_thread: false, namespace: directMessage });
    const [channel, direct] = model.asked;
    expect(channel?.system).toContain("You are Knack.");
    expect(channel?.system).not.toContain('"general"');
    expect([direct?.system, direct?.tools]).toEqual([channel?.system, channel?.tools]);
    expect(channel?.messages.map(({ role }) => role)).toEqual(["user", "system"]);
    expect(systemTexts(channel)).toEqual([expect.stringMatching(inGeneral)]);
    expect(systemTexts(direct)).toEqual([
      expect.stringContaining('You are in a direct message with "Ada" (ada) on Fake.'),
    ]);
  });

  it("the place is told once, and a new name as a change", async () => {
    const { platform, call, model, time } = inChannel(shared());
    await call("hi", { in_thread: false });
    platform.describe = async () => ({ name: "payments", topic: "Money" });
    for (const text of ["before it is looked up again", "after", "and later"]) {
      await call(text, { in_thread: false });
      time.now += 11 * minute;
    }
    expect(systemTexts(model.asked.at(-1))).toEqual([
      expect.stringMatching(inGeneral),
      'This place is now the channel "payments" (fake:team:general) on Fake.',
    ]);
    expectPrefixes(model.asked);
  });

  it("a place without a name is told all the same, and its name once it is known", async () => {
    const { platform, call, model, time } = inChannel(shared());
    const { describe: tell } = platform;
    platform.describe = () => Promise.reject(new Error("down"));
    await call("hi", { in_thread: false });
    platform.describe = tell;
    time.now += 11 * minute;
    await call("and now", { in_thread: false });
    expect(systemTexts(model.asked.at(-1))).toEqual([
      expect.stringContaining("You are in a channel on Fake."),
      'This place is now the channel "general" (fake:team:general) on Fake.',
    ]);
  });

  it("a thread whose opening names the place keeps it, and is told nothing twice", async () => {
    const { instructions, ...stores } = shared();
    const before = inChannel(stores);
    await before.call("hi", { in_thread: false });
    await before.app.stop(0);
    const after = inChannel({ ...stores, instructions });
    await after.call("and on", { in_thread: false });
    expectPrefixes([...before.model.asked, ...after.model.asked]);
    expect(systemTexts(after.model.asked.at(-1))).toEqual([]);
  });
});
