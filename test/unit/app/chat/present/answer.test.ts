import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import { stopTurn } from "../../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { ben } from "../../../../support/test-app.ts";
import { logLeftBehind, manualClock, pass, presentedApp, seen, stagedModel } from "./presented-app.ts";

const sentences = (count: number) =>
  Array.from({ length: count }, (_, i) => `Sentence ${i} is here.`).join(" ");
const types = (events: readonly { type: string }[]) => events.map((event) => event.type);

describe("an answer on a chat platform", () => {
  it("a quick answer is one message with its buttons, most behind a menu, and nothing else", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["It is noon."]));
    platform.seen.add("x");
    const turnId = await ask("What time is it?");
    const events = await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: It is noon."]);
    expect(platform.shown[0]).toMatchObject({
      edits: 0,
      to: { person: "ada" },
      message: { tag: { turn_id: turnId, purpose: "answer", part: 0 } },
    });
    expect(platform.shown[0]?.message.buttons?.map(({ id, menu }) => [id, menu])).toEqual([
      [`good:${turnId}`, undefined],
      [`bad:${turnId}`, undefined],
      [`again:${turnId}`, true],
      [`details:${turnId}`, true],
      [`forget:${turnId}`, true],
    ]);
    expect(types(events).slice(-3)).toEqual(["answer_ready", "message_posted", "turn_finished"]);
    expect(platform.working).toEqual(["", undefined]);
  });

  it.each([
    ["hi", "Hello Ada.", 0],
    ["thank you so much!", "You are welcome.", 0],
    ["what is new?", "Nothing.", 5],
    ["tell me about the office of Paris", "It is closed.", 5],
    ["hi", "word ".repeat(80), 5],
  ])("an answer to %j has buttons unless it is small talk", async (said, text, count) => {
    const { ask, reach, platform } = presentedApp(stagedModel([text]));
    await reach(await ask(said), "turn_finished");
    expect(platform.shown[0]?.message.buttons ?? []).toHaveLength(count);
  });

  it("an answer that took a quick step offers its details and is not small talk", async () => {
    const skill = testSkill("look", [{ name: "look" }], { active: true });
    const { ask, reach, platform } = presentedApp(stagedModel([{ call: "look" }], ["Found."]), {
      skills: [skill],
    });
    const turnId = await ask("hi");
    await reach(turnId, "turn_finished");
    expect(platform.shown[0]?.message.progress).toBeUndefined();
    expect(platform.shown[0]?.message.buttons?.map(({ id }) => id)).toContain(`details:${turnId}`);
  });

  it("an answer to an API request is not posted", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["one"]));
    const events = await reach(await ask("hi", { shown: false }), "turn_finished");
    expect(types(events)).not.toContain("answer_ready");
    expect(platform.calls).toEqual([]);
    expect(platform.working).toEqual([]);
  });

  it("an answer for a platform this process does not serve waits for a bot that serves it", async () => {
    const clock = manualClock();
    const log = await logLeftBehind("left", [], clock);
    const beside = presentedApp(stagedModel(["unseen"]), {
      clock,
      log,
      platform: createFakePlatform({ id: "other" }),
    });
    await beside.reach("left", "turn_waiting");
    await beside.stop(0);
    const { reach, platform } = presentedApp(stagedModel(["Hello."]), { clock, log });
    expect((await reach("left", "turn_finished")).at(-1)).toMatchObject({ text: "Hello." });
    expect(seen(platform)).toEqual(["answer: Hello."]);
  });

  it("an answer that was ready a day ago ends its turn unseen if its platform was removed from the configuration", async () => {
    const clock = manualClock();
    const ready = { type: "answer_ready" as const, outcome: "completed" as const, text: "Hello." };
    const log = await logLeftBehind("left", [ready], clock, { ago: 25 * 3_600_000 });
    const model = stagedModel(["again"]);
    const { reach } = presentedApp(model, { clock, log, platform: createFakePlatform({ id: "other" }) });
    expect((await reach("left", "turn_finished")).at(-1)).toMatchObject({ text: "Hello." });
    expect(model.asked).toBe(0);
  });

  it("an answer takes the mark off the message it answers", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["Hello."]));
    platform.seen.add("message-1");
    await reach(await ask("hi", { said: "message-1" }), "turn_finished");
    expect([...platform.seen]).toEqual([]);
  });

  it("an answer without text says so", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel([""]));
    await reach(await ask("hi"), "turn_finished");
    expect(seen(platform)[0]).toMatch(/no text in this answer/);
  });

  it("an answer of several messages is split, with buttons on the last", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({ message_characters: 300, now: clock.now });
    const { ask, reach } = presentedApp(stagedModel([`\`\`\`ts\n${"const a = 1;\n".repeat(50)}\`\`\``]), {
      platform,
      clock,
    });
    const events = await reach(await ask("hi"), "turn_finished");
    const shown = platform.visible();
    expect(shown.length).toBeGreaterThan(1);
    for (const { message } of shown) expect(message.markdown).toMatch(/^```ts\n[\s\S]*\n```$/);
    expect(shown.map(({ message }) => message.buttons !== undefined)).toEqual(
      shown.map((_, index) => index === shown.length - 1),
    );
    expect(events.filter((event) => event.type === "message_posted")).toMatchObject(
      shown.map((message, part) => ({ purpose: "answer", part, reference: message.reference })),
    );
  });

  it("an answer has secrets removed, even while it grows", async () => {
    const gate = Promise.withResolvers<void>();
    const { ask, reach, platform, clock } = presentedApp(
      stagedModel([`${sentences(20)} The key is sec`, gate.promise, "ret-123456 and more."]),
      { secrets: ["secret-123456"] },
    );
    const turnId = await ask("hi");
    await pass(clock, 3_000);
    expect(platform.visible()[0]?.message.markdown).toMatch(/The key is$/);
    gate.resolve();
    await reach(turnId, "turn_finished");
    expect(seen(platform)[0]).toMatch(/The key is \[secret\] and more\.$/);
  });

  it("an answer of a failed turn says what failed and offers another try", async () => {
    const { ask, reach, platform } = presentedApp({
      ...stagedModel(),
      async *stream() {
        yield* [];
        throw new Error("a bug");
      },
    });
    const turnId = await ask("hi");
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringContaining("try again")]);
    expect(platform.shown[0]?.message.buttons?.map((button) => button.id)).toContain(`again:${turnId}`);
  });

  it("an answer is delivered when a person stops the turn", async () => {
    const { ask, platform, app, reach, clock } = presentedApp(stagedModel([new Promise(() => {})]));
    const turnId = await ask("hi");
    await pass(clock, 100);
    await stopTurn(app, turnId, { id: "ada", name: "Ada", trust: "operator" });
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Stopped."]);
  });

  it("an answer that fails does not disturb the answer of another turn", async () => {
    const { ask, reach, platform } = presentedApp(stagedModel(["first"], ["second"]));
    platform.fail("post", new PlatformError("gone", "The channel is gone."));
    const first = await ask("one");
    await reach(first, "turn_finished");
    const second = await ask("two", { author: ben, thread: "t2" });
    await reach(second, "turn_finished");
    expect(seen(platform)).toEqual([expect.stringMatching(/^notice for ada/), "answer: second"]);
  });
});

describe("an answer that is very long", () => {
  it("a very long answer is attached to its first message even if that was already posted", async () => {
    const clock = manualClock();
    const gate = Promise.withResolvers<void>();
    const long = Array.from({ length: 60 }, (_, i) => `Paragraph ${i}: ${sentences(8)}`).join("\n\n");
    const { ask, reach, platform } = presentedApp(stagedModel([long, gate.promise, " End."]), { clock });
    const turnId = await ask("hi");
    await pass(clock, 2_000);
    gate.resolve();
    await reach(turnId, "turn_finished");
    expect(platform.visible().map(({ message }) => message.files?.length)).toEqual([1, undefined, undefined]);
  });
});

describe("an answer while it is written", () => {
  const hold = () => Promise.withResolvers<void>();

  it.each([true, false])(
    "an answer grows in one message and is finished there (native: %s)",
    async (streams) => {
      const clock = manualClock();
      const gate = hold();
      const platform = createFakePlatform({ streams, edit_interval_ms: 1_000, now: clock.now });
      const { ask, reach } = presentedApp(
        stagedModel([sentences(10), "\n\n```js\ncode ", gate.promise, "more\n```\n\nEnd."]),
        { platform, clock },
      );
      const turnId = await ask("Write a little program for me, please.");
      await pass(clock, 2_500);
      expect(platform.visible()).toHaveLength(1);
      expect(platform.visible()[0]).toMatchObject({ streamed: streams });
      const live = platform.visible()[0]?.message.markdown;
      expect(live).toContain("code");
      if (!streams) {
        expect(live).toMatch(/code\n```$/);
        expect(platform.visible()[0]?.message.buttons).toEqual([
          { id: `stop-answer:${turnId}`, label: "Stop" },
        ]);
      }
      gate.resolve();
      const events = await reach(turnId, "turn_finished");
      expect(platform.shown).toHaveLength(1);
      expect(platform.visible()[0]?.message.markdown).toMatch(/^Sentence 0[\s\S]*code more\n```\n\nEnd\.$/);
      expect(platform.visible()[0]?.message.buttons).toHaveLength(5);
      const posted = events.filter((event) => event.type === "message_posted");
      expect(new Set(posted.map((event) => event.reference)).size).toBe(1);
      expect(types(events).indexOf("message_posted")).toBeLessThan(types(events).indexOf("answer_ready"));
    },
  );

  it("a growing answer is edited no faster than the platform allows", async () => {
    const clock = manualClock();
    const platform = createFakePlatform({
      edit_interval_ms: 1_000,
      message_characters: 20_000,
      now: clock.now,
    });
    const gates = Array.from({ length: 40 }, hold);
    const pieces = gates.flatMap((gate) => [sentences(4), gate.promise]);
    const { ask, reach } = presentedApp(stagedModel(pieces), { platform, clock });
    const turnId = await ask("hi");
    for (const gate of gates) {
      gate.resolve();
      await pass(clock, 100);
    }
    await reach(turnId, "turn_finished");
    const at = platform.calls.filter(({ call }) => call === "post" || call === "edit").map((call) => call.at);
    expect(at.length).toBeGreaterThan(3);
    for (const [index, time] of at.slice(1).entries())
      expect(time - (at[index] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it("a growing answer rolls over into further messages", async () => {
    const clock = manualClock();
    const gate = hold();
    const platform = createFakePlatform({ message_characters: 300, now: clock.now });
    const { ask, reach } = presentedApp(stagedModel([sentences(20), gate.promise, " End."]), {
      platform,
      clock,
    });
    const turnId = await ask("hi");
    await pass(clock, 2_000);
    expect(platform.visible().length).toBeGreaterThan(1);
    gate.resolve();
    await reach(turnId, "turn_finished");
    const text = platform
      .visible()
      .map(({ message }) => message.markdown)
      .join(" ");
    expect(text).toBe(`${sentences(20)} End.`);
  });

  it.each([true, false])(
    "a growing answer becomes the title of progress when it was only a remark (native: %s)",
    async (streams) => {
      const clock = manualClock();
      const gate = hold();
      const second = hold();
      const platform = createFakePlatform({ streams, now: clock.now });
      const skill = testSkill("look", [{ name: "look" }], { active: true });
      const { ask, reach } = presentedApp(
        stagedModel(
          [`I will look. ${sentences(10)}`, gate.promise, { call: "look" }],
          [second.promise, "Found."],
        ),
        { platform, clock, skills: [skill] },
      );
      const turnId = await ask("hi");
      await pass(clock, 2_000);
      expect(platform.visible()).toHaveLength(1);
      gate.resolve();
      await pass(clock, 2_000);
      expect(platform.visible()[0]?.message).toMatchObject({
        markdown: "",
        progress: { title: expect.stringMatching(/^I will look\. Sentence 0/), steps: [{ state: "ok" }] },
      });
      second.resolve();
      await reach(turnId, "turn_finished");
      expect(seen(platform)).toEqual([expect.stringMatching(/^answer: \*1 step, .*\*\n\nFound\.$/)]);
      expect(platform.shown).toHaveLength(1);
    },
  );

  it("a growing answer leaves no further messages when it was only a remark", async () => {
    const clock = manualClock();
    const [gate, second] = [hold(), hold()];
    const platform = createFakePlatform({ message_characters: 400, now: clock.now });
    const skill = testSkill("look", [{ name: "look" }], { active: true });
    const remark = [sentences(30), gate.promise, { call: "look" }];
    const { ask } = presentedApp(stagedModel(remark, [second.promise, "Found."]), {
      ...{ platform, clock, skills: [skill] },
    });
    await ask("hi");
    await pass(clock, 3_000);
    expect(platform.visible().length).toBeGreaterThan(1);
    gate.resolve();
    await pass(clock, 3_000);
    expect(platform.visible().map(({ message }) => message.markdown)).toEqual([""]);
  });

  it("a growing answer is taken away when the model begins again", async () => {
    const clock = manualClock();
    const gate = hold();
    const { ask, reach, platform } = presentedApp(
      stagedModel([`Wrong. ${sentences(10)} `, gate.promise, { type: "reset" }, "Right."]),
      { clock },
    );
    const turnId = await ask("hi");
    await pass(clock, 2_000);
    gate.resolve();
    await reach(turnId, "turn_finished");
    expect(seen(platform)).toEqual(["answer: Right."]);
  });

  it.each(["openStream", "append", "finish"] as const)(
    "a growing answer survives a stream that dies in %s",
    async (call) => {
      const clock = manualClock();
      const gate = hold();
      const platform = createFakePlatform({ streams: true, now: clock.now });
      if (call === "openStream")
        platform.fail(call, new PlatformError("unavailable", "cut"), { after: true });
      else platform.fail(call, new PlatformError("invalid", "not streaming"));
      const { ask, reach, errors } = presentedApp(stagedModel([sentences(10), gate.promise, " End."]), {
        platform,
        clock,
      });
      const turnId = await ask("hi");
      await pass(clock, 4_000);
      gate.resolve();
      await reach(turnId, "turn_finished");
      expect(platform.visible()).toHaveLength(1);
      expect(seen(platform)).toEqual([`answer: ${sentences(10)} End.`]);
      expect(errors).toEqual([]);
    },
  );
});
