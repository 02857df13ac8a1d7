import { describe, expect, it } from "vitest";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { callable } from "../../../support/bot/called-bot.ts";
import { expectPrefixes, recordingModel, systemTexts } from "../../../support/models/recording-model.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";

const minute = 60_000;

/** A bot in a channel of a chat platform, at a time that a test moves. */
function inChannel(shared = { log: createMemoryTurnLog(), store: createMemoryKeyValue() }) {
  const scripted = scriptedModel(["ok"]);
  const model = recordingModel(scripted);
  const time = { now: Date.UTC(2026, 10, 22, 13) };
  const clock = { ...systemClock, now: () => time.now };
  const made = callable({ ...shared, clock }, Object.assign(model, { requests: scripted.requests }));
  return { ...made, model, time };
}

describe("the place of a thread", () => {
  it("the place of a thread is told by its name, and once more when its name or topic changes", async () => {
    const { platform, call, model, time } = inChannel();
    await call("hi", { in_thread: false });
    expect(model.asked[0]?.system).toContain('#general on Fake (topic: "Everything")');
    platform.describe = async () => ({ name: "payments", topic: "Money" });
    for (const text of ["before it is looked up again", "after", "and later"]) {
      await call(text, { in_thread: false });
      time.now += 11 * minute;
    }
    expect(systemTexts(model.asked.at(-1))).toEqual([
      'This place is now #payments on Fake (topic: "Money").',
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
