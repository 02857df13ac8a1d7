import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";
import { mia } from "./approval-fixture.ts";

type Run = (context: ToolContext) => Promise<string>;

/** Calls `worker` and then says what it answered. */
const repeating = () =>
  scriptedModel(({ messages }) => toolResults(messages).at(-1) ?? [{ call: "worker", with: {} }]);

/** An app whose model calls `worker` once and then repeats what it answered. */
function workerApp(run: Run, more: Partial<Parameters<typeof createTestApp>[1]> = {}) {
  const skill = testSkill(
    "worker",
    [{ name: "worker", effect: "side_effect", run: (_input, context) => run(context) }],
    { active: true, kind: "imported" },
  );
  const model = repeating();
  return createTestApp(model, { skills: [skill], ...more });
}

const asking: Run = async (context) => {
  const { approved, by } = await context.approve({
    action: "send_mail",
    question: "May I send this mail?",
    input: { to: "all@example.com" },
  });
  return approved ? `sent, says ${by}` : `not sent (${by || "nobody"})`;
};

describe("an approval in the middle of a call", () => {
  it("an approval in the middle of a call shows the question and its exact subject, and the call continues once given", async () => {
    const { app, say, until, events } = workerApp(asking);
    const turnId = await say("go", { by: ben });
    expect(await until(turnId, "approval_requested")).toMatchObject({
      tool: "send_mail",
      skill_id: "worker",
      question: "May I send this mail?",
      input: { to: "all@example.com" },
      approver: "manager",
    });
    const { approval_id } = await until(turnId, "approval_requested");
    expect((await approve(app, approval_id, true, ben)).ok).toBe(false);
    expect((await approve(app, approval_id, true, mia)).ok).toBe(true);
    expect((await events(turnId)).at(-1)).toMatchObject({ text: "sent, says mia" });
  });

  it("a refusal in the middle of a call gives no approval", async () => {
    const { app, say, until, events } = workerApp(asking);
    const turnId = await say("go", { by: ben });
    const { approval_id } = await until(turnId, "approval_requested");
    await approve(app, approval_id, false, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ text: "not sent (ada)" });
  });

  it("an approval in the middle of a call is not given when its time runs out", async () => {
    const clock = createFakeClock();
    const { say, until, events } = workerApp(asking, { clock, max_duration_ms: 300_000 });
    const turnId = await say("go", { by: ben });
    await until(turnId, "approval_requested");
    const all = await clock.advanceUntil(events(turnId), 10_000);
    expect(all.at(-1)).toMatchObject({ text: "not sent (nobody)" });
  });

  it("an approval is asked once for each place in the call", async () => {
    const { app, say, until, events } = workerApp(async (context) => {
      const first = await context.approve({ action: "one", input: 1 });
      const second = await context.approve({ action: "two", input: 2 });
      return `${first.approved} ${second.approved}`;
    });
    const turnId = await say("go", { by: ben });
    await approve(app, (await until(turnId, "approval_requested")).approval_id, true, mia);
    for await (const event of follow(app, turnId)) {
      if (event.type === "approval_requested" && event.tool === "two") break;
    }
    await approve(app, `${turnId}:2`, false, mia);
    const all = await events(turnId);
    expect(all.filter((event) => event.type === "approval_requested")).toHaveLength(2);
    expect(all.at(-1)).toMatchObject({ text: "true false" });
  });
});

const reaching: Run = async ({ network }) => {
  const may = await network.request(["api.example.com"]);
  return `${may}: ${(await network.hosts()).join(", ")}`;
};

describe("hosts that a skill's code asks for", () => {
  it("operators allow the hosts that a skill's code asks for, and they stay allowed", async () => {
    const store = createMemoryKeyValue();
    const first = workerApp(reaching, { store });
    const turnId = await first.say("go", { by: ben });
    const asked = await first.until(turnId, "approval_requested");
    expect(asked).toMatchObject({
      tool: "reach_hosts",
      approver: "operator",
      input: { hosts: ["api.example.com"] },
    });
    expect(asked.question).toContain("worker reach api.example.com");
    expect((await approve(first.app, asked.approval_id, true, mia)).ok).toBe(false);
    await approve(first.app, asked.approval_id, true, ada);
    expect((await first.events(turnId)).at(-1)).toMatchObject({ text: "true: api.example.com" });
    const again = await workerApp(reaching, { store }).ask("go", { by: ben });
    expect(again.end.text).toBe("true: api.example.com");
    expect(again.events.some((event) => event.type === "approval_requested")).toBe(false);
  });

  it("allowed hosts are not granted to another skill that takes over the id [host-2]", async () => {
    const store = createMemoryKeyValue();
    const first = workerApp(reaching, { store });
    const turnId = await first.say("go", { by: ben });
    const { approval_id } = await first.until(turnId, "approval_requested");
    await approve(first.app, approval_id, true, ada);
    await first.events(turnId);
    const shadow = testSkill(
      "worker",
      [{ name: "worker", run: (_input, { network }) => network.hosts() as Promise<string[]> }],
      { active: true, origin: { source: "workspace", precedence: 4, path: "/elsewhere/worker" } },
    );
    const model = repeating();
    const { ask } = createTestApp(model, { skills: [shadow], store });
    expect((await ask("go", { by: ben })).end.text).toBe("[]");
  });

  it("hosts are refused when nobody allows them, and the call continues without them", async () => {
    const { app, say, until, events } = workerApp(reaching);
    const turnId = await say("go", { by: ben });
    await approve(app, (await until(turnId, "approval_requested")).approval_id, false, ada);
    expect((await events(turnId)).at(-1)).toMatchObject({ text: "false: " });
  });
});
