import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../src/core/chat-platform.ts";
import { updateNamespace } from "../../../../src/core/namespace-state.ts";
import type { ToolContext } from "../../../../src/core/tool.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakePlatform, type FakePlatform } from "../../../support/fake-platform.ts";
import { testSkill } from "../../../support/test-skill.ts";
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

const progress = ({ visible }: FakePlatform) =>
  visible().find(({ message }) => message.tag?.purpose === "progress");

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
  it("appears after the delay, goes on in its message, and collapses", async () => {
    const { begin, reach, platform, clock, open } = slowTurn();
    const turnId = await begin();
    await pass(clock, 2_900);
    expect(seen(platform)).toEqual([]);
    await pass(clock, 500);
    const shown = progress(platform);
    expect(shown?.message.markdown).toBe("**Let me see.**\n⏳ Looking around: read pages");
    expect(shown?.message.progress).toMatchObject({
      title: "Let me see.",
      done: false,
      steps: [{ title: "Looking around", state: "running", note: "read pages" }],
    });
    expect(shown?.message.buttons).toEqual([{ id: `stop:${turnId}`, label: "Stop" }]);
    open();
    const events = await reach(turnId, "turn_finished");
    expect(platform.shown).toHaveLength(2);
    expect(progress(platform)?.message).toMatchObject({
      markdown: expect.stringMatching(/^1 step, 3\.\d s$/),
      progress: { done: true },
      buttons: [{ id: `details:${turnId}`, label: "Details" }],
    });
    expect(events.filter((event) => event.type === "message_posted").map((event) => event.purpose)).toEqual([
      "progress",
      "answer",
    ]);
  });

  it("tells slips of the model in plain words", async () => {
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
    const shown = progress(platform)?.message.markdown;
    expect(shown).toMatch(/serach.*: there is no such tool/);
    expect(shown).toMatch(/activate.*: called in a wrong way/);
  });

  it("keeps the sign that the bot works alive, and ends it", async () => {
    const { begin, reach, platform, clock, open } = slowTurn();
    const turnId = await begin();
    await pass(clock, 20_000);
    expect(platform.working).toEqual(["is thinking…", "is thinking…", "is thinking…"]);
    open();
    await reach(turnId, "turn_finished");
    await pass(clock, 20_000);
    expect(platform.working).toEqual(["is thinking…", "is thinking…", "is thinking…", undefined]);
  });

  it("is not shown where the channel is quiet", async () => {
    const { begin, reach, platform, clock, open } = slowTurn({ level: "quiet" });
    const turnId = await begin();
    await pass(clock, 10_000);
    open();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Found."]);
    expect(platform.shown).toHaveLength(1);
  });

  it("shows input and output where the channel wants all", async () => {
    const { begin, platform, clock } = slowTurn({ level: "full" });
    await begin();
    await pass(clock, 4_000);
    expect(progress(platform)?.message.progress?.steps[0]?.note).toBe(
      'read pages; in: {"text":"over there"}',
    );
  });

  it("never shows a part of a secret that a long result ends with", async () => {
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
    expect(progress(platform)?.message.markdown).toContain("xxx");
    expect(JSON.stringify(platform.shown)).not.toContain("hunter");
  });

  it("is not shown of a turn that was quick", async () => {
    const { begin, reach, platform, clock, open } = slowTurn();
    const turnId = await begin();
    await pass(clock, 1_000);
    open();
    await reach(turnId, "turn_finished");
    await pass(clock, 10_000);
    expect(platform.shown).toHaveLength(1);
  });

  it("shows the newest state, no faster than the platform takes edits", async () => {
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
    const reference = progress(platform)?.reference;
    expect(reference).toBeDefined();
    const edits = platform.calls.filter(({ call }) => call === "edit").map((call) => call.at);
    expect(edits.length).toBeGreaterThan(3);
    expect(edits.length).toBeLessThan(12);
    for (const [index, at] of edits.slice(1).entries())
      expect(at - (edits[index] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it("that cannot be shown does not disturb the turn", async () => {
    const { begin, reach, platform, clock, open, errors } = slowTurn();
    platform.fail("post", new PlatformError("rate_limited", "slow down", { retryAfterMs: 60_000 }));
    const turnId = await begin();
    await pass(clock, 5_000);
    open();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Found."]);
    expect(errors).toEqual([]);
  });

  it.each(["recorded", "not recorded"])("goes on in the same message after a crash (%s)", async (how) => {
    const { skill, open } = slowSkill();
    const clock = manualClock();
    const platform = createFakePlatform({ now: clock.now });
    const tag = { turn_id: "left", purpose: "progress" as const, part: 0 };
    const reference = await platform.post(place, { tag, markdown: "old" });
    const log = await logLeftBehind(
      "left",
      [
        { type: "turn_started", profile: "chat", model: "m" },
        ...(how === "recorded"
          ? [{ type: "message_posted" as const, purpose: "progress", part: 0, reference }]
          : []),
      ],
      clock.now(),
    );
    const model = stagedModel([{ call: "look" }], ["Found."]);
    const { reach } = presentedApp(model, { platform, clock, log, skills: [skill], max_duration_ms: 1e9 });
    await pass(clock, 5_000);
    expect(progress(platform)?.message.markdown).toContain("Looking around");
    open();
    await reach("left", "turn_finished");
    expect(platform.shown.map(({ message }) => message.tag?.purpose)).toEqual(["progress", "answer"]);
  });
});

describe("what the model thinks", () => {
  it("is the progress line while nothing else is done, and is gone with the answer", async () => {
    const { gate, first, test, turnId, clock, platform } = await thinking({});
    await pass(clock, 4_000);
    expect(progress(platform)?.message.markdown).toBe("**Reading the minutes of March.**");
    first.resolve("");
    await pass(clock, 4_000);
    expect(progress(platform)?.message.markdown).toBe("**Comparing two budgets**");
    gate.resolve("");
    await test.reach(turnId, "turn_finished");
    expect(progress(platform)).toBeUndefined();
    expect(seen(platform)).toContain("answer: The second is cheaper.");
    expect(JSON.stringify(await test.log.read(turnId))).not.toMatch(/minutes of March|two budgets/);
  });

  it("is not shown where the channel is quiet", async () => {
    const { first, clock, platform } = await thinking({ level: "quiet" });
    await pass(clock, 4_000);
    expect(progress(platform)).toBeUndefined();
    first.resolve("");
    await pass(clock, 4_000);
    expect(progress(platform)).toBeUndefined();
  });

  it("gives way to the reason for a delay and the time left", async () => {
    const gate = Promise.withResolvers<unknown>();
    const clock = manualClock();
    const until = clock.now() + 30_000;
    const delayed = { type: "delayed", text: "The model is overloaded.", until } as const;
    const model = stagedModel([{ type: "thought", text: "Reading it. " }, delayed, gate.promise, "Done."]);
    const platform = createFakePlatform({ now: clock.now });
    const test = presentedApp(model, { platform, clock, max_duration_ms: 1e9 });
    const turnId = await test.ask("go");
    await pass(clock, 3_500);
    expect(progress(platform)?.message.markdown).toMatch(
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
