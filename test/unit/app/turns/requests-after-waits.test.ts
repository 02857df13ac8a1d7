import { describe, expect, it } from "vitest";
import type { ToolContext } from "../../../../src/core/skill/tool.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { follow } from "../../../support/follow.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp } from "../../../support/test-app.ts";

function workerApp(run: (context: ToolContext) => Promise<string>) {
  const skill = testSkill(
    "worker",
    [{ name: "worker", effect: "side_effect", run: (_input, context) => run(context) }],
    { active: true, kind: "imported" },
  );
  const model = scriptedModel(
    ({ messages }) => toolResults(messages).at(-1) ?? [{ call: "worker", with: {} }],
  );
  return createTestApp(model, { skills: [skill] });
}

/** Decides every request of a turn in order, and answers what was asked. */
async function decideAll({ app, say }: ReturnType<typeof workerApp>, decisions: readonly boolean[]) {
  const turnId = await say("go", { by: ben });
  const asked: string[] = [];
  let end: unknown;
  for await (const event of follow(app, turnId)) {
    if (event.type === "turn_finished") end = event.text;
    if (event.type !== "approval_requested") continue;
    await approve(app, event.approval_id, decisions[asked.length] ?? false, ada);
    asked.push(event.tool);
  }
  return { asked, end };
}

describe("what a call asks after it waited", () => {
  it("a call that waited is not answered by the operator who allowed hosts before", async () => {
    const app = workerApp(async (context) => {
      await context.network.request(["api.example.com"]);
      const { approved } = await context.approve({ action: "send_mail", input: {} });
      return `sent: ${approved}`;
    });
    expect(await decideAll(app, [true, false])).toEqual({
      asked: ["reach_hosts", "send_mail"],
      end: "sent: false",
    });
  });

  it("a continued call is not answered by an earlier answer", async () => {
    const served = new Map<string, boolean>();
    const app = workerApp(async (context) => {
      for (const key of ["first", "second"].filter((each) => !served.has(each))) {
        served.set(key, (await context.approve({ action: key, input: {}, key })).approved);
      }
      return [...served.values()].join(" ");
    });
    expect(await decideAll(app, [true, false])).toEqual({ asked: ["first", "second"], end: "true false" });
  });
});
