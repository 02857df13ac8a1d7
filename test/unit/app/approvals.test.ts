import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/core/inbound.ts";
import type { Json } from "../../../src/core/json.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { type Line, scriptedModel, toolResults } from "../../support/scripted-model.ts";
import { ada, ben, createTestApp, type TestAppOptions } from "../../support/test-app.ts";
import { type TestTool, testSkill } from "../../support/test-skill.ts";

const mia: Author = { id: "mia", name: "Mia", trust: "manager" };

/** A skill whose tool `send` changes something; what it ran with is kept. */
function sender(tool: Partial<TestTool> = {}, risk: "low" | "medium" | "high" = "high") {
  const ran: Json[] = [];
  const run = (input: Json) => {
    ran.push(input);
    return "sent";
  };
  const skill = testSkill("mail", [{ name: "send", effect: "side_effect", run, ...tool }], {
    active: true,
    risk,
  });
  return { ran, skill };
}

const script = (...calls: { text: string }[]): Line[] => [
  calls.map((each) => ({ call: "send", with: each })),
  "Done.",
];

function waitingApp(
  options: { tool?: Partial<TestTool>; risk?: "low" | "medium" | "high" } & TestAppOptions,
) {
  const { tool, risk, ...more } = options;
  const { ran, skill } = sender(tool, risk);
  const model = scriptedModel(script({ text: "hello" }));
  const test = createTestApp(model, { skills: [skill], ...more });
  const results = () => toolResults(model.requests.at(-1)?.messages ?? []);
  return { ...test, model, ran, skill, results };
}

describe("who has to approve", () => {
  it("is an operator for what a skill of high risk changes, and nobody for what it only reads", async () => {
    const changing = waitingApp({ clock: createFakeClock() });
    const asked = await changing.until(await changing.say("go", { by: ben }), "approval_requested");
    expect(asked).toMatchObject({
      tool: "send",
      skill_id: "mail",
      input: { text: "hello" },
      approver: "operator",
    });
    expect(asked.approval_id).toBe(`${asked.turn_id}:1`);
    expect(asked.expires_at).toBe(asked.at + 60_000);
    const reading = waitingApp({ tool: { effect: "read_only" } });
    expect((await reading.ask("go", { by: ben })).end.outcome).toBe("completed");
    expect(reading.ran).toEqual([{ text: "hello" }]);
  });

  it("is nobody at medium risk, unless the tool asks for somebody", async () => {
    const free = waitingApp({ risk: "medium" });
    await free.ask("go", { by: ben });
    expect(free.ran).toHaveLength(1);
    const asking = waitingApp({ risk: "low", tool: { approval: () => "manager" } });
    const asked = await asking.until(await asking.say("go", { by: ben }), "approval_requested");
    expect(asked.approver).toBe("manager");
    expect(asking.ran).toEqual([]);
  });

  it("stays an operator when the tool of a skill of high risk asks for less", async () => {
    const { say, until } = waitingApp({ tool: { approval: () => "manager" } });
    expect((await until(await say("go"), "approval_requested")).approver).toBe("operator");
  });

  it("is nobody else when who may decide wrote the very call as a command", async () => {
    const { ask, ran, say, until } = waitingApp({});
    await ask("/skill run mail text=hi", { by: ada });
    expect(ran).toEqual([{ text: "hi" }]);
    await until(await say("/skill run mail text=hi", { by: mia }), "approval_requested");
    expect(ran).toHaveLength(1);
  });
});

describe("an approval", () => {
  it("runs the call once with exactly what was shown", async () => {
    const { app, say, until, events, ran, results } = waitingApp({});
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    expect(await app.approve(approval_id, true, ada)).toEqual({ ok: true, value: { decided: true } });
    const all = await events(turnId);
    expect(ran).toEqual([{ text: "hello" }]);
    expect(results()).toEqual(["sent"]);
    const types = all.map((event) => event.type);
    expect(types.indexOf("approval_decided")).toBeLessThan(types.indexOf("tool_started"));
    expect(all.find((event) => event.type === "approval_decided")).toMatchObject({
      approved: true,
      by: "ada",
    });
  });

  it("runs a nested call with what was shown, whatever the skill would pass the second time", async () => {
    const { ran, skill } = sender();
    let count = 0;
    const caller = testSkill(
      "caller",
      [
        {
          name: "caller",
          effect: "side_effect",
          run: async (_input, context) => {
            count += 1;
            return context.invoke("mail", { text: `number ${count}` });
          },
        },
      ],
      { active: true },
    );
    const model = scriptedModel([[{ call: "caller" }], "Done."]);
    const { app, say, until, events } = createTestApp(model, { skills: [skill, caller] });
    const turnId = await say("go");
    const asked = await until(turnId, "approval_requested");
    expect(asked.input).toEqual({ text: "number 1" });
    await app.approve(asked.approval_id, true, ada);
    await events(turnId);
    expect(count).toBe(2);
    expect(ran).toEqual([{ text: "number 1" }]);
  });

  it("is asked of who asked too, in a turn that frees its worker meanwhile", async () => {
    const { app, say, until, ask, events, ran } = waitingApp({ concurrent: 1 });
    const turnId = await say("go", { by: ada });
    const { approval_id } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    expect((await app.turn(turnId))?.status).toBe("waiting");
    await ask("another matter", { thread: "t2" });
    await app.approve(approval_id, true, ada);
    await events(turnId);
    expect(ran).toHaveLength(1);
  });

  it("survives a restart between request and decision", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const before = waitingApp({ log, store });
    const turnId = await before.say("go", { by: ben });
    const { approval_id } = await before
      .until(turnId, "turn_waiting")
      .then(() => before.until(turnId, "approval_requested"));
    await before.stop(0);
    const after = createTestApp(before.model, { log, store, skills: [before.skill] });
    await after.app.approve(approval_id, true, ada);
    const all = await after.events(turnId);
    expect(before.ran).toEqual([{ text: "hello" }]);
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
  });

  it("is decided for each of several calls by itself", async () => {
    const { ran, skill } = sender();
    const model = scriptedModel(script({ text: "one" }, { text: "two" }));
    const { app, say, until, events } = createTestApp(model, { skills: [skill] });
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    await app.approve(`${turnId}:2`, true, ada);
    await until(turnId, "tool_finished");
    expect(ran).toEqual([{ text: "two" }]);
    await app.approve(`${turnId}:1`, false, ada);
    await events(turnId);
    expect(ran).toHaveLength(1);
    const [first, second] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(first).toContain("Ada refused send");
    expect(second).toBe("sent");
  });
});

describe("a refusal", () => {
  it("is a result the model reads, and the same call is not asked about again", async () => {
    const { ran, skill } = sender();
    const call = [{ call: "send", with: { text: "hello" } }];
    const model = scriptedModel([call, call, "I did not send it."]);
    const { app, say, until, events } = createTestApp(model, { skills: [skill] });
    const turnId = await say("go");
    await until(turnId, "approval_requested");
    await app.approve(`${turnId}:1`, false, ada);
    const all = await events(turnId);
    expect(ran).toEqual([]);
    expect(all.at(-1)).toMatchObject({ outcome: "completed", text: "I did not send it." });
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
    const [first, second] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(first).toMatch(/Ada refused send.*unless the person asks/s);
    expect(second).toContain("refused earlier in this turn");
  });

  it("comes by itself when nobody decides in time", async () => {
    const clock = createFakeClock();
    const { app, say, until, events, ran, results } = waitingApp({ clock, max_duration_ms: 600_000 });
    const turnId = await say("go");
    const { approval_id, expires_at } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    const all = await clock.advanceUntil(events(turnId), 10_000);
    expect(clock.now()).toBeGreaterThanOrEqual(expires_at);
    expect(ran).toEqual([]);
    expect(all.find((event) => event.type === "approval_decided")).toMatchObject({ approved: false, by: "" });
    expect(results()[0]).toMatch(/Nobody approved send in time.*run again/s);
    expect(await app.approve(approval_id, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });
});

describe("a decision", () => {
  it("counts only from people with the trust, and is not stored from others", async () => {
    const { app, log, say, until } = waitingApp({});
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    for (const by of [ben, mia])
      expect(await app.approve(approval_id, true, by)).toMatchObject({ ok: false, status: 403 });
    expect(await log.signals(turnId)).toEqual([]);
  });

  it("is made once: the first one counts", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("go");
    const { approval_id } = await until(turnId, "approval_requested");
    const eve: Author = { id: "eve", name: "Eve", trust: "operator" };
    const both = await Promise.all([
      app.approve(approval_id, false, eve),
      app.approve(approval_id, true, ada),
    ]);
    expect(both.map((each) => each.ok && each.value.decided)).toEqual([true, false]);
    await events(turnId);
    expect(ran).toEqual([]);
    expect(await app.approve(approval_id, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });

  it("is refused for what nobody asked", async () => {
    const { app, say, until } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "approval_requested");
    for (const id of [`${turnId}:2`, turnId, "none:1", ":", ""])
      expect(await app.approve(id, true, ada)).toMatchObject({ ok: false, status: 404 });
  });

  it("is not made by a message", async () => {
    const { app, say, until, events, ran, log } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    const message = await say("yes, do it, approved");
    expect(ran).toEqual([]);
    expect((await app.turn(message))?.status).toBe("queued");
    await app.approve(`${turnId}:1`, false, ada);
    await events(turnId);
    expect(ran).toEqual([]);
    expect((await log.get(message))?.merged_into).toBe(turnId);
  });

  it("is for a member in their own direct message where a manager would decide, not where an operator would", async () => {
    const namespace = "console:local:dm-ben";
    const low = waitingApp({ risk: "low", tool: { approval: () => "manager" } });
    const turnId = await low.say("go", { by: ben, namespace });
    const { approval_id } = await low.until(turnId, "approval_requested");
    expect(await low.app.approve(approval_id, true, ben)).toMatchObject({ ok: true });
    const high = waitingApp({});
    const asked = await high.until(await high.say("go", { by: ben, namespace }), "approval_requested");
    expect(await high.app.approve(asked.approval_id, true, ben)).toMatchObject({ ok: false, status: 403 });
  });
});

describe("a turn that waits for approval", () => {
  it("can be stopped, and nothing runs", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    await app.stop(turnId, ada);
    const all = await events(turnId);
    expect(all.at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
    expect(ran).toEqual([]);
    expect(await app.approve(`${turnId}:1`, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });

  it("does not ask about what the channel has disabled meanwhile, and does not run it", async () => {
    const { app, say, until, events, ran, results } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    await app.setSkill("console:local:general", "mail", "blocked", ada);
    await app.approve(`${turnId}:1`, true, ada);
    await events(turnId);
    expect(ran).toEqual([]);
    expect(results()[0]).toContain("not found");
  });

  it("may be a command, which goes on where it was", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("/skill run mail text=hi", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    await app.approve(approval_id, true, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "completed", text: "sent" });
    expect(ran).toEqual([{ text: "hi" }]);
  });
});
