import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

import { mia, script, sender, waitingApp } from "./approval-fixture.ts";

describe("who has to approve", () => {
  it("an operator approves the changes of a high-risk skill, and nobody its reads [asks-1]", async () => {
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

  it("a medium-risk skill needs no approval unless its tool asks for one", async () => {
    const free = waitingApp({ risk: "medium" });
    await free.ask("go", { by: ben });
    expect(free.ran).toHaveLength(1);
    const asking = waitingApp({ risk: "low", tool: { approval: () => "manager" } });
    const asked = await asking.until(await asking.say("go", { by: ben }), "approval_requested");
    expect(asked.approver).toBe("manager");
    expect(asking.ran).toEqual([]);
  });

  it("an operator still approves when the tool of a high-risk skill asks for less", async () => {
    const { say, until } = waitingApp({ tool: { approval: () => "manager" } });
    expect((await until(await say("go"), "approval_requested")).approver).toBe("operator");
  });

  it("nobody else approves when a person who may decide wrote the very call as a command [asks-4]", async () => {
    const { ask, ran, say, until } = waitingApp({});
    await ask("/skill run mail text=hi", { by: ada });
    expect(ran).toEqual([{ text: "hi" }]);
    await until(await say("/skill run mail text=hi", { by: mia }), "approval_requested");
    expect(ran).toHaveLength(1);
  });
});

describe("an approval", () => {
  it("an approved call runs once with exactly the arguments that were shown [asks-3]", async () => {
    const { app, say, until, events, ran, results } = waitingApp({});
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    expect(await approve(app, approval_id, true, ada)).toEqual({ ok: true, value: { decided: true } });
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

  it("an approved nested call runs with the arguments shown, whatever the skill would pass the second time [asks-3]", async () => {
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
    await approve(app, asked.approval_id, true, ada);
    await events(turnId);
    expect(count).toBe(2);
    expect(ran).toEqual([{ text: "number 1" }]);
  });

  it("the asker may give an approval, too, in a turn that has freed its worker", async () => {
    const { app, say, until, ask, events, ran } = waitingApp({ concurrent: 1 });
    const turnId = await say("go", { by: ada });
    const { approval_id } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    expect((await app.turn(turnId))?.status).toBe("waiting");
    await ask("another matter", { thread: "t2" });
    await approve(app, approval_id, true, ada);
    await events(turnId);
    expect(ran).toHaveLength(1);
  });

  it("an approval survives a restart between request and decision", async () => {
    const log = createMemoryTurnLog();
    const store = createMemoryKeyValue();
    const before = waitingApp({ log, store });
    const turnId = await before.say("go", { by: ben });
    const { approval_id } = await before
      .until(turnId, "turn_waiting")
      .then(() => before.until(turnId, "approval_requested"));
    await before.stop(0);
    const after = createTestApp(before.model, { log, store, skills: [before.skill] });
    await approve(after.app, approval_id, true, ada);
    const all = await after.events(turnId);
    expect(before.ran).toEqual([{ text: "hello" }]);
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
  });

  it("each of several calls is approved separately", async () => {
    const { ran, skill } = sender();
    const model = scriptedModel(script({ text: "one" }, { text: "two" }));
    const { app, say, until, events, log } = createTestApp(model, { skills: [skill] });
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    const asked = (await log.read(turnId)).filter((event) => event.type === "approval_requested");
    const idOf = (text: string) =>
      asked.find(({ input }) => isDeepStrictEqual(input, { text }))?.approval_id ?? "none";
    await approve(app, idOf("two"), true, ada);
    await until(turnId, "tool_finished");
    expect(ran).toEqual([{ text: "two" }]);
    await approve(app, idOf("one"), false, ada);
    await events(turnId);
    expect(ran).toHaveLength(1);
    const [first, second] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(first).toContain(String.raw`\"Ada\" (ada) refused send`);
    expect(second).toBe("sent");
  });
});

describe("a refusal", () => {
  it("a refusal is a result the model reads, and the same call is not asked about again", async () => {
    const { ran, skill } = sender();
    const call = [{ call: "send", with: { text: "hello" } }];
    const model = scriptedModel([call, call, "I did not send it."]);
    const { app, say, until, events } = createTestApp(model, { skills: [skill] });
    const turnId = await say("go");
    await until(turnId, "approval_requested");
    await approve(app, `${turnId}:1`, false, ada);
    const all = await events(turnId);
    expect(ran).toEqual([]);
    expect(all.at(-1)).toMatchObject({ outcome: "completed", text: "I did not send it." });
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
    const [first, second] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(first).toMatch(/Ada\\" \(ada\) refused send.*unless the person asks/s);
    expect(second).toContain("refused earlier in this turn");
  });

  it("an approval is refused automatically when nobody decides in time [asks-6]", async () => {
    const clock = createFakeClock();
    const { app, say, until, events, ran, results } = waitingApp({ clock, max_duration_ms: 600_000 });
    const turnId = await say("go");
    const { approval_id, expires_at } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    const all = await clock.advanceUntil(events(turnId), 10_000);
    expect(clock.now()).toBeGreaterThanOrEqual(expires_at);
    expect(ran).toEqual([]);
    expect(all.find((event) => event.type === "approval_decided")).toMatchObject({ approved: false, by: "" });
    expect(results()[0]).toMatch(/Nobody approved send in time.*ask for it again/s);
    expect(await approve(app, approval_id, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });
});
