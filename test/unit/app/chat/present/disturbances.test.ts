import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { elapse, manualClock, pass, presentedApp, seen, stagedModel } from "./presented-app.ts";

/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const calls = ["post", "edit", "remove", "find", "openStream", "append", "finish", "cancel"] as const;
const sentences = (count: number) =>
  Array.from({ length: count }, (_, i) => `Sentence ${i} is here.`).join(" ");

describe("whatever goes wrong in passing, and with a restart in between", () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    "the answer is posted once whatever fails temporarily, with a restart in between (%s) [post-3]",
    async (seed) => {
      const random = randomFrom(seed);
      const clock = manualClock();
      const log = createMemoryTurnLog(clock);
      const platform = createFakePlatform({
        streams: random() < 0.5,
        message_characters: 300,
        edit_interval_ms: 500,
        now: clock.now,
      });
      for (let count = 0; count < 12; count += 1) {
        const call = calls[Math.floor(random() * calls.length)] ?? "post";
        const code = random() < 0.6 ? "unavailable" : "rate_limited";
        const after = code === "unavailable" && random() < 0.5;
        platform.fail(call, new PlatformError(code, "disturbed"), {
          times: 1 + Math.floor(random() * 3),
          after,
        });
      }
      const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
      const [first, second, third, fourth] = gates.map((gate) => gate.promise);
      if (!first || !second || !third || !fourth) throw new Error("there are four gates");
      const script = () =>
        stagedModel(
          [`I look. ${sentences(12)}`, first, { call: "look" }],
          [sentences(8), second, ` ${sentences(6)}`, third, ` ${sentences(6)}`, fourth, " End."],
        );
      const skills = [testSkill("look", [{ name: "look" }], { active: true })];
      const options = { platform, clock, log, skills, max_duration_ms: 1e9 };
      const before = presentedApp(script(), options);
      const turnId = await before.ask("go");
      for (const gate of gates) {
        await pass(clock, Math.floor(random() * 6_000) + 50);
        gate.resolve();
      }
      let stopped = false;
      const stopping = before.stop(0).then(() => {
        stopped = true;
      });
      await elapse(clock, () => stopped);
      await stopping;
      await log.reclaim();
      const after = presentedApp(script(), options);
      await after.reach(turnId, "turn_finished");
      const text = `${sentences(8)} ${sentences(6)} ${sentences(6)} End.`;
      const answers = platform.visible().filter(({ message }) => message.tag?.purpose === "answer");
      const parts = answers.toSorted((a, b) => (a.message.tag?.part ?? 0) - (b.message.tag?.part ?? 0));
      expect(parts.map(({ message }) => message.markdown).join(" "), JSON.stringify(seen(platform))).toBe(
        text,
      );
      expect([...before.errors, ...after.errors]).toEqual([]);
    },
  );
});
