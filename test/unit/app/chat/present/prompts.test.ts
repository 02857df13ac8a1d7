import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { answerTurn, stopTurn } from "../../../../support/bot/ask-app.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { ada } from "../../../../support/test-app.ts";
import { manualClock, pass, presentedApp, seen, stagedModel } from "./presented-app.ts";

const question = { call: "ask_user", with: { question: "Which one?", choices: ["A", "B"] } };
const asked = ({ visible }: FakePlatform) =>
  visible().find(({ message }) => message.tag?.purpose === "question");

describe("a question on a chat platform", () => {
  it("a question is posted before the turn waits, and finally says who chose what", async () => {
    const clock = manualClock();
    const log = createMemoryTurnLog(clock);
    const platform = createFakePlatform({ now: clock.now });
    const before = presentedApp(stagedModel([question]), { platform, clock, log });
    const turnId = await before.ask("choose");
    const events = await before.reach(turnId, "turn_waiting");
    expect(events.slice(-2).map((event) => event.type)).toEqual(["message_posted", "turn_waiting"]);
    expect(asked(platform)?.message).toMatchObject({
      markdown: "Which one?\n\n*Choose, or write your answer in this thread.*",
      buttons: [
        { id: `answer:${turnId}:0`, label: "A" },
        { id: `answer:${turnId}:1`, label: "B" },
      ],
    });
    await before.stop(0);
    const after = presentedApp(stagedModel(["You chose."]), { platform, clock, log });
    const open = events.find((event) => event.type === "question_asked");
    await answerTurn(after.app, turnId, open?.question_id ?? "", "B", ada);
    await after.reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["question: Which one?\n\n**Ada:** B", "answer: You chose."]);
    expect(asked(platform)?.message.buttons).toBeUndefined();
  });

  it("a question loses its buttons when its time is over", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel([question], ["Then not."]), {
      limits: { question_ms: 5_000, approval_ms: 5_000 },
    });
    await reach(await ask("choose"), "turn_finished");
    expect(seen(platform)[0]).toBe("question: Which one?\n\n*The time to answer has passed.*");
    expect(asked(platform)?.message.buttons).toBeUndefined();
  });

  it("a question that cannot be posted during an outage is posted afterwards", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    platform.fail("post", new PlatformError("unavailable", "out"), { times: 5 });
    const model = stagedModel([question]);
    const { ask } = presentedApp(model, {
      platform,
      clock,
      max_duration_ms: 1e9,
      limits: { question_ms: 1e8, approval_ms: 1e8 },
    });
    await ask("choose");
    await pass(clock, 20_000);
    expect(seen(platform)).toEqual([]);
    await pass(clock, 60_000);
    expect(seen(platform)).toEqual([expect.stringContaining("Which one?")]);
    expect(model.asked).toBe(1);
  });

  it.each([true, false])(
    "a question has the answer below it, in place of the progress above it (native: %s)",
    async (streams) => {
      const clock = manualClock();
      const platform = createFakePlatform({ streams, now: clock.now });
      const gate = Promise.withResolvers<void>();
      const look = testSkill(
        "look",
        [{ name: "look", run: () => gate.promise.then(() => "seen"), max_execution_ms: 1e9 }],
        {
          active: true,
        },
      );
      const model = stagedModel([{ call: "look" }], [question], ["You chose."]);
      const { ask, reach, app } = presentedApp(model, {
        platform,
        clock,
        skills: [look],
        max_duration_ms: 1e9,
      });
      const turnId = await ask("choose");
      await pass(clock, 4_000);
      gate.resolve();
      const events = await reach(turnId, "turn_waiting");
      expect(platform.visible().map(({ message }) => message.tag?.purpose)).toEqual(["answer", "question"]);
      expect(platform.visible()[0]?.message.progress?.steps).toHaveLength(2);
      const open = events.find((event) => event.type === "question_asked");
      await answerTurn(app, turnId, open?.question_id ?? "", "A", ada);
      await reach(turnId, "turn_finished");
      expect(platform.visible().map(({ message }) => message.tag?.purpose)).toEqual(["question", "answer"]);
      expect(seen(platform).at(-1)).toMatch(/^answer: \*2 steps, .*You chose\.$/s);
    },
  );

  it("a question does not keep the answer after it from streaming natively", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ streams: true, now: clock.now });
    const gate = Promise.withResolvers<void>();
    const long = "You chose, and this is what comes of it. ".repeat(6);
    const model = stagedModel([question], [long, gate.promise, "End."]);
    const { ask, reach, app } = presentedApp(model, { platform, clock });
    const turnId = await ask("choose");
    const events = await reach(turnId, "turn_waiting");
    const open = events.find((event) => event.type === "question_asked");
    await answerTurn(app, turnId, open?.question_id ?? "", "A", ada);
    await pass(clock, 2_000);
    gate.resolve();
    await reach(turnId, "turn_finished");
    expect(platform.calls.some(({ call }) => call === "openStream")).toBe(true);
    expect(seen(platform).at(-1)).toBe(`answer: ${long}End.`);
  });

  it("a question is closed when the turn is stopped", async () => {
    const { ask, reach, platform, app } = presentedApp(stagedModel([question]));
    const turnId = await ask("choose");
    await reach(turnId, "turn_waiting");
    await stopTurn(app, turnId, ada);
    await reach(turnId, "turn_finished");
    expect(seen(platform)[0]).toContain("No answer is needed any more");
  });
});
