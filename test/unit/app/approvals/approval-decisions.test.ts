import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { approve, stopTurn } from "../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";

import { mia, sender, waitingApp } from "./approval-fixture.ts";

describe("a decision", () => {
  it("a decision counts only from people with the required trust, and is not stored from others [asks-5]", async () => {
    const { app, log, say, until } = waitingApp({});
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    for (const by of [ben, mia])
      expect(await approve(app, approval_id, true, by)).toMatchObject({ ok: false, status: 403 });
    expect(await log.signals(turnId)).toEqual([]);
  });

  it("a refused decision names those who may decide, as far as they are known", async () => {
    const platform = createFakePlatform();
    const { app, chat, say, until } = waitingApp({});
    chat.connect(platform);
    const namespace = "fake:team:general";
    const { approval_id } = await until(await say("go", { by: ben, namespace }), "approval_requested");
    const refusal = async () => {
      const outcome = await approve(app, approval_id, true, mia);
      return outcome.ok ? "" : outcome.message;
    };
    expect(await refusal()).toBe(
      "An operator of the bot has to decide whether to run “send” of the skill “mail”. Ask one of them.",
    );
    platform.deciding.operator.push({ id: "ol*ga", here: true }, { id: "pat", here: false });
    expect(await refusal()).toBe(
      "An operator of the bot has to decide whether to run “send” of the skill “mail”. Ask ol\\*ga or pat.",
    );
    for (const id of ["rob", "sue", "tim"]) platform.deciding.operator.push({ id, here: false });
    expect(await refusal()).toMatch(/ Ask ol\\\*ga, pat, rob or 2 others\.$/);
  });

  it("a decision is made once: the first one counts", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("go");
    const { approval_id } = await until(turnId, "approval_requested");
    const eve: Author = { id: "eve", name: "Eve", trust: "operator" };
    const both = await Promise.all([
      approve(app, approval_id, false, eve),
      approve(app, approval_id, true, ada),
    ]);
    expect(both.map((each) => each.ok && each.value.decided)).toEqual([true, false]);
    await events(turnId);
    expect(ran).toEqual([]);
    expect(await approve(app, approval_id, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });

  it("a decision that says both yes and never is refused", async () => {
    const { app, log, say, until } = waitingApp({});
    const turnId = await say("go");
    const { approval_id } = await until(turnId, "approval_requested");
    const input = { id: approval_id, approve: true, never: true };
    const asker = { by: ada, namespace: home.namespace };
    expect(await app.run("approval.decide", { input, asker })).toMatchObject({ ok: false, status: 400 });
    expect(await log.signals(turnId)).toEqual([]);
  });

  it("a decision is refused when nothing was asked", async () => {
    const { app, say, until } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "approval_requested");
    for (const id of [`${turnId}:2`, turnId, "none:1", ":"])
      expect(await approve(app, id, true, ada)).toMatchObject({ ok: false, status: 404 });
  });

  it("a message does not decide an approval", async () => {
    const { app, say, until, events, ran, log } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    const message = await say("yes, do it, approved");
    expect(ran).toEqual([]);
    expect((await app.turn(message))?.status).toBe("queued");
    await approve(app, `${turnId}:1`, false, ada);
    await events(turnId);
    expect(ran).toEqual([]);
    expect((await log.get(message))?.merged_into).toBe(turnId);
  });

  it("members decide in their own direct messages where a manager would, but not where an operator would [asks-5]", async () => {
    const namespace = "console:local:dm-ben";
    const low = waitingApp({ risk: "low", tool: { approval: () => "manager" } });
    const turnId = await low.say("go", { by: ben, namespace });
    const { approval_id } = await low.until(turnId, "approval_requested");
    expect(await approve(low.app, approval_id, true, ben)).toMatchObject({ ok: true });
    const high = waitingApp({});
    const asked = await high.until(await high.say("go", { by: ben, namespace }), "approval_requested");
    expect(await approve(high.app, asked.approval_id, true, ben)).toMatchObject({ ok: false, status: 403 });
  });
});

describe("a turn that waits for approval", () => {
  it("a turn that waits for approval can be stopped, and nothing runs", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    await stopTurn(app, turnId, ada);
    const all = await events(turnId);
    expect(all.at(-1)).toMatchObject({ type: "turn_finished", outcome: "stopped" });
    expect(ran).toEqual([]);
    expect(await approve(app, `${turnId}:1`, true, ada)).toEqual({ ok: true, value: { decided: false } });
  });

  it("a turn that waits for approval neither asks about nor runs what the channel has since disabled [asks-11]", async () => {
    const { app, say, until, events, ran, results } = waitingApp({});
    const turnId = await say("go");
    await until(turnId, "turn_waiting");
    await app.run("skill.set", {
      input: { ns: "console:local:general", id: "mail", state: "blocked" },
      asker: { by: ada, namespace: "console:local:general" },
    });
    await approve(app, `${turnId}:1`, true, ada);
    await events(turnId);
    expect(ran).toEqual([]);
    expect(results()[0]).toContain("not found");
  });

  it("a command that waits for approval continues where it was", async () => {
    const { app, say, until, events, ran } = waitingApp({});
    const turnId = await say("/skill run mail text=hi", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    await until(turnId, "turn_waiting");
    await approve(app, approval_id, true, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "completed", text: "sent" });
    expect(ran).toEqual([{ text: "hi" }]);
  });
});

describe("a crash after the decision", () => {
  const call = { call_id: "c1", tool: "send", skill_id: "mail", input: { text: "shown" } };
  const decided: TurnEventBody[] = [
    { type: "turn_started", profile: "chat", model: "scripted/model" },
    { type: "round_started", round: 1 },
    {
      type: "model_message",
      round: 1,
      model: "scripted/model",
      message: { role: "assistant", text: "", tool_calls: [{ id: "c1", name: "send", arguments: "{}" }] },
    },
    { type: "approval_requested", approval_id: "left:1", ...call, approver: "operator", expires_at: 1 },
    { type: "turn_waiting", until: 1 },
    { type: "turn_resumed" },
    { type: "approval_decided", approval_id: "left:1", approved: true, by: "ada" },
  ];

  async function resumed(events: readonly TurnEventBody[]) {
    const log = createMemoryTurnLog();
    const inbound = { key: "k", ...home, author: ben, kind: "message" as const, text: "go" };
    await log.accept(inbound, "left", 1);
    await log.claim("dead worker", 60_000);
    const stamped = events.map((event, at) => ({ ...event, turn_id: "left", seq: at + 1, at: Date.now() }));
    for (const event of stamped) {
      await log.append("left", "dead worker", [event]);
      if (event.type === "turn_waiting") await log.claim("dead worker", 60_000);
    }
    await log.reclaim();
    const { skill, ran } = sender();
    const model = scriptedModel(["Done."]);
    const test = createTestApp(model, { log, skills: [skill] });
    const all = await test.events("left");
    return { all, ran, results: toolResults(model.requests.at(-1)?.messages ?? []) };
  }

  it("after a crash, a decided call that had not started runs with the approved arguments", async () => {
    const { all, ran } = await resumed(decided);
    expect(ran).toEqual([{ text: "shown" }]);
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
  });

  it("after a crash, a decided call that had started neither runs again nor asks again", async () => {
    const { all, ran, results } = await resumed([
      ...decided,
      { type: "tool_started", ...call, title: "Sending", effect: "side_effect" },
    ]);
    expect(ran).toEqual([]);
    expect(results[0]).toContain("outcome_unknown");
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(1);
  });
});
