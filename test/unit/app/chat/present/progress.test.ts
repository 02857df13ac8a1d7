import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import type { ToolContext } from "../../../../../src/core/skill/tool.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { logLeftBehind, manualClock, pass, place, presentedApp, seen, stagedModel } from "./presented-app.ts";

/** A skill whose tool runs until its gate opens. */
function slowSkill() {
  const gate = Promise.withResolvers<void>();
  const run = async (_input: unknown, context: ToolContext) => {
    await context.step("read_pages", () => gate.promise.then(() => "read"));
    return { pages: [1, 2, 3] };
  };
  const tool = { name: "look", title: "Looking around", run, max_execution_ms: 1e9 };
  return { skill: testSkill("look", [tool], { active: true }), open: gate.resolve };
}

/** The message that shows progress and no answer yet. */
const progress = ({ visible }: FakePlatform) =>
  visible().find(({ message }) => message.progress !== undefined && message.markdown === "");

function slowTurn(options: { level?: "quiet" | "full"; interval?: number } = {}) {
  const { skill, open } = slowSkill();
  const clock = manualClock();
  const platform = createFakePlatform({ edit_interval_ms: options.interval ?? 1, now: clock.now });
  const store = createMemoryKeyValue();
  const model = stagedModel(["Let me see.", { call: "look", with: { text: "over there" } }], ["Found."]);
  const test = presentedApp(model, { platform, clock, store, skills: [skill], max_duration_ms: 1e9 });
  const begin = async () => {
    const { level } = options;
    if (level !== undefined)
      await updateNamespace(store, place.namespace, (draft) => {
        draft.settings.progress = level;
      });
    return test.ask("go");
  };
  return { ...test, platform, clock, open, begin };
}

describe("progress", () => {
  it("progress appears after the delay, continues in its message, and collapses", async () => {
    const { begin, reach, platform, clock, open } = slowTurn();
    const turnId = await begin();
    await pass(clock, 2_900);
    expect(seen(platform)).toEqual([]);
    await pass(clock, 500);
    const shown = progress(platform);
    expect(shown?.message.progress?.markdown).toBe("**Let me see.**\n⏳ Looking around: read pages");
    expect(shown?.message.progress).toMatchObject({
      title: "Let me see.",
      done: false,
      steps: [{ title: "Looking around", state: "running", note: "read pages" }],
    });
    expect(shown?.message.buttons).toEqual([{ id: `stop-answer:${turnId}`, label: "Stop" }]);
    open();
    const events = await reach(turnId, "turn_finished");
    expect(platform.shown).toHaveLength(1);
    expect(shown?.message).toMatchObject({
      markdown: "Found.",
      progress: { done: true, title: expect.stringMatching(/^1 step, 3\.\d s$/) },
    });
    expect(shown?.message.buttons?.map(({ id }) => id)).toContain(`details:${turnId}`);
    expect(events.filter((event) => event.type === "message_posted")).toMatchObject([
      { purpose: "answer", part: 0, reference: "m1" },
      { purpose: "answer", part: 0, reference: "m1" },
    ]);
  });

  it("progress reports slips of the model in plain words", async () => {
    const { skill } = slowSkill();
    const clock = manualClock();
    const other = testSkill("other", [{ name: "other" }]);
    const calls = [
      { call: "serach", with: {} },
      { call: "activate_skill", with: { wrong: 1 } },
    ];
    const model = stagedModel(calls, [{ call: "look", with: { text: "over there" } }], ["Found."]);
    const { ask, platform } = presentedApp(model, {
      clock,
      skills: [skill, other],
      max_duration_ms: 1e9,
    });
    await ask("go");
    await pass(clock, 4_000);
    const shown = progress(platform)?.message.progress?.markdown;
    expect(shown).toMatch(/serach.*: there is no such tool/);
    expect(shown).toMatch(/activate.*: called in a wrong way/);
  });

  it("the working indicator replaces progress where nothing else is shown, and is kept alive and ended", async () => {
    const { begin, reach, platform, clock, open } = slowTurn({ level: "quiet" });
    const turnId = await begin();
    await pass(clock, 20_000);
    const looking = "Looking around";
    expect(platform.working).toEqual(["", looking, looking, looking]);
    open();
    await reach(turnId, "turn_finished");
    await pass(clock, 20_000);
    expect(platform.working).toEqual(["", looking, looking, looking, undefined]);
  });

  it("progress removes the working indicator when it is shown", async () => {
    const { begin, platform, clock } = slowTurn();
    await begin();
    await pass(clock, 20_000);
    expect(platform.working).toEqual(["", "Looking around", undefined]);
  });

  it("progress is not shown where the channel is quiet", async () => {
    const { begin, reach, platform, clock, open } = slowTurn({ level: "quiet" });
    const turnId = await begin();
    await pass(clock, 10_000);
    open();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Found."]);
    expect(platform.shown).toHaveLength(1);
  });

  it("progress shows input and output where the channel wants everything", async () => {
    const { begin, platform, clock } = slowTurn({ level: "full" });
    await begin();
    await pass(clock, 4_000);
    expect(progress(platform)?.message.progress?.steps[0]?.note).toBe(
      'read pages; in: {"text":"over there"}',
    );
  });

  it("progress never shows a part of a secret that a long result ends with", async () => {
    const secret = "hunter2-and-a-long-tail";
    const output = `${"x".repeat(150)} ${secret}`;
    const skill = testSkill("look", [{ name: "look", run: () => output }], { active: true });
    const gate = Promise.withResolvers<void>();
    const clock = manualClock();
    const store = createMemoryKeyValue();
    await updateNamespace(store, place.namespace, (draft) => {
      draft.settings.progress = "full";
    });
    const model = stagedModel([{ call: "look" }], [gate.promise, "Found."]);
    const { ask, platform } = presentedApp(model, { clock, store, skills: [skill], secrets: [secret] });
    await ask("go");
    await pass(clock, 4_000);
    expect(progress(platform)?.message.progress?.markdown).toContain("xxx");
    expect(JSON.stringify(platform.shown)).not.toContain("hunter");
  });

  it("progress is not shown for a quick turn", async () => {
    const { begin, reach, platform, clock, open } = slowTurn();
    const turnId = await begin();
    await pass(clock, 1_000);
    open();
    await reach(turnId, "turn_finished");
    await pass(clock, 10_000);
    expect(platform.shown).toHaveLength(1);
    expect(platform.shown[0]?.edits).toBe(0);
  });

  it("progress shows the newest state, no faster than the platform takes edits", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ edit_interval_ms: 1_000, now: clock.now });
    const run = async (_input: unknown, context: ToolContext) => {
      for (let count = 0; count < 100; count += 1) {
        context.progress(`page ${count}`);
        await new Promise<void>((resolve) => void clock.after(100, resolve));
      }
      return "all";
    };
    const skill = testSkill("look", [{ name: "look", run, max_execution_ms: 1e9 }], { active: true });
    const model = stagedModel([{ call: "look" }], ["Found."]);
    const { ask, reach } = presentedApp(model, { platform, clock, skills: [skill] });
    const turnId = await ask("go");
    await reach(turnId, "turn_finished");
    expect(platform.shown).toHaveLength(1);
    const edits = platform.calls.filter(({ call }) => call === "edit").map((call) => call.at);
    expect(edits.length).toBeGreaterThan(3);
    expect(edits.length).toBeLessThan(12);
    for (const [index, at] of edits.slice(1).entries())
      expect(at - (edits[index] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it("progress that cannot be shown does not disturb the turn", async () => {
    const { begin, reach, platform, clock, open, errors } = slowTurn();
    platform.fail("post", new PlatformError("rate_limited", "slow down", { retryAfterMs: 60_000 }));
    const turnId = await begin();
    await pass(clock, 5_000);
    open();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringMatching(/^answer: \*1 step, .*\n\nFound\.$/)]);
    expect(errors).toEqual([]);
  });

  it.each(["recorded", "not recorded"])(
    "progress continues in the same message after a crash (%s)",
    async (how) => {
      const { skill, open } = slowSkill();
      const clock = manualClock();
      const platform = createFakePlatform({ now: clock.now });
      const tag = { turn_id: "left", purpose: "answer" as const, part: 0 };
      const reference = await platform.post(place, { tag, markdown: "old" });
      const log = await logLeftBehind(
        "left",
        [
          { type: "turn_started", profile: "chat", model: "m" },
          ...(how === "recorded"
            ? [{ type: "message_posted" as const, purpose: "answer", part: 0, reference }]
            : []),
        ],
        clock,
      );
      const model = stagedModel([{ call: "look" }], ["Found."]);
      const { reach } = presentedApp(model, { platform, clock, log, skills: [skill], max_duration_ms: 1e9 });
      await pass(clock, 5_000);
      expect(progress(platform)?.message.progress?.markdown).toContain("Looking around");
      open();
      await reach("left", "turn_finished");
      expect(platform.shown).toHaveLength(1);
      expect(seen(platform)).toEqual([expect.stringMatching(/Found\.$/)]);
    },
  );
});

describe("progress on a platform that posts it quietly", () => {
  function quietly() {
    const { skill, open } = slowSkill();
    const clock = manualClock();
    const platform = createFakePlatform({ posts_quietly: true, now: clock.now });
    const gate = Promise.withResolvers<void>();
    const long = "The answer is here. ".repeat(12).trim();
    const model = stagedModel([{ call: "look" }], [long, gate.promise]);
    const log = createMemoryTurnLog(clock);
    const options = { platform, clock, log, skills: [skill], max_duration_ms: 1e9 };
    return { ...presentedApp(model, options), options, platform, clock, log, open, end: gate.resolve, long };
  }

  it("quiet progress is a message of its own, which disappears as soon as the answer begins in a new one", async () => {
    const { ask, reach, platform, clock, open, end, long } = quietly();
    const turnId = await ask("go");
    await pass(clock, 4_000);
    expect(seen(platform)).toEqual([expect.stringMatching(/^progress: .*Looking around/s)]);
    expect(platform.shown[0]?.message.buttons).toEqual([{ id: `stop:${turnId}`, label: "Stop" }]);
    open();
    await pass(clock, 3_000);
    expect(platform.visible().map(({ message }) => message.tag?.purpose)).toEqual(["answer"]);
    end();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringContaining(long)]);
    expect(platform.shown).toHaveLength(2);
  });

  it("quiet progress leaves one message after a crash, recorded or not", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ posts_quietly: true, now: clock.now });
    const old = { turn_id: "left", purpose: "progress" as const, part: 0 };
    await platform.post(place, { tag: old, markdown: "", progress: card });
    const call = { id: "c1", name: "look", arguments: "{}" };
    const left = [
      { type: "turn_started" as const, profile: "chat", model: "m" },
      {
        type: "model_message" as const,
        round: 1,
        model: "m",
        message: { role: "assistant" as const, text: "", tool_calls: [call] },
      },
    ];
    const log = await logLeftBehind("left", left, clock);
    const skill = testSkill("look", [{ name: "look" }], { active: true });
    const { reach } = presentedApp(stagedModel(["Found."]), { platform, clock, log, skills: [skill] });
    await reach("left", "turn_finished");
    expect(seen(platform)).toEqual([expect.stringMatching(/^answer: .*Found\.$/s)]);
  });
});

const card = { title: "Working", markdown: "**Working**", steps: [], done: false };

describe("what the model thinks", () => {
  it("the model's thinking is the progress line while nothing else happens, and disappears with the answer", async () => {
    const { gate, first, test, turnId, clock, platform } = await thinking({});
    await pass(clock, 4_000);
    expect(progress(platform)?.message.progress?.markdown).toBe("**Reading the minutes of March.**");
    first.resolve("");
    await pass(clock, 4_000);
    expect(progress(platform)?.message.progress?.markdown).toBe("**Comparing two budgets**");
    gate.resolve("");
    await test.reach(turnId, "turn_finished");
    expect(progress(platform)).toBeUndefined();
    expect(seen(platform)).toEqual(["answer: The second is cheaper."]);
    expect(JSON.stringify(await test.log.read(turnId))).not.toMatch(/minutes of March|two budgets/);
  });

  it("the model's thinking is not shown where the channel is quiet", async () => {
    const { first, clock, platform } = await thinking({ level: "quiet" });
    await pass(clock, 4_000);
    expect(progress(platform)).toBeUndefined();
    first.resolve("");
    await pass(clock, 4_000);
    expect(progress(platform)).toBeUndefined();
  });

  it("the model's thinking gives way to the reason for a delay and the time left", async () => {
    const gate = Promise.withResolvers<unknown>();
    const clock = manualClock();
    const until = clock.now() + 30_000;
    const delayed = { type: "delayed", text: "The model is overloaded.", until } as const;
    const model = stagedModel([{ type: "thought", text: "Reading it. " }, delayed, gate.promise, "Done."]);
    const platform = createFakePlatform({ now: clock.now });
    const test = presentedApp(model, { platform, clock, max_duration_ms: 1e9 });
    const turnId = await test.ask("go");
    await pass(clock, 3_500);
    expect(progress(platform)?.message.progress?.markdown).toMatch(
      /^\*\*The model is overloaded\. Trying again in 2\d s\.\*\*$/,
    );
    gate.resolve("");
    await test.reach(turnId, "turn_finished");
    expect(seen(platform)).toContain("answer: Done.");
  });
});

/** A turn whose model thinks, goes on thinking when `first` opens, and answers when `gate` does. */
async function thinking({ level }: { level?: "quiet" }) {
  const first = Promise.withResolvers<unknown>();
  const gate = Promise.withResolvers<unknown>();
  const clock = manualClock();
  const platform = createFakePlatform({ now: clock.now });
  const store = createMemoryKeyValue();
  if (level !== undefined)
    await updateNamespace(store, place.namespace, (draft) => {
      draft.settings.progress = level;
    });
  const model = stagedModel([
    { type: "thought", text: "Reading the minutes of March. " },
    first.promise,
    { type: "thought", text: "\n**Comparing two budgets**\n" },
    gate.promise,
    "The second is cheaper.",
  ]);
  const test = presentedApp(model, { platform, clock, store, max_duration_ms: 1e9 });
  return { first, gate, clock, platform, test, turnId: await test.ask("go") };
}
