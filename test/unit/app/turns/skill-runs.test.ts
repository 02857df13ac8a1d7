import { describe, expect, it } from "vitest";
import { z } from "zod";
import { approve, stopTurn } from "../../../support/bot/ask-app.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { runSkillAs, skillRunsOf } from "../../../support/skills/skill-runs.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home } from "../../../support/test-app.ts";
import { sender } from "../approvals/approval-fixture.ts";

describe("the run of a skill", () => {
  it("a stopped skill run has an end and says so", async () => {
    const begun = Promise.withResolvers<void>();
    const slow = testSkill("slow", [
      {
        name: "slow",
        run: (_input, { signal }) => {
          begun.resolve();
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
          });
        },
      },
    ]);
    const { app, say, events, ask } = createTestApp(scriptedModel([]), { skills: [slow] });
    const turnId = await say("/skill run slow");
    await begun.promise;
    await expect.poll(() => skillRunsOf(app)).toMatchObject([{ status: "running", skill_id: "slow" }]);
    await stopTurn(app, turnId, { id: "ada", name: "Ada", trust: "operator" });
    await events(turnId);
    const [run] = await skillRunsOf(app);
    expect(run).toMatchObject({ status: "failed", user: "ada", namespace: home.namespace, input: {} });
    expect(run?.error).toBe("slow was stopped with the turn. What it had done by then stays done.");
    expect(run?.finished_at).toBeGreaterThanOrEqual(run?.started_at ?? Number.NaN);
    expect((await ask("/skill runs")).end.text).toContain(`**slow** failed`);
  });

  it("a failed skill run says why wherever runs are listed", async () => {
    const bad = testSkill("bad", [
      { name: "bad", run: () => ({ status: "error", code: "gone", message: "The page is gone." }) },
    ]);
    const { app, ask } = createTestApp(scriptedModel([]), { skills: [bad] });
    await ask("/skill run bad");
    expect(await skillRunsOf(app)).toMatchObject([{ status: "failed", error: "The page is gone." }]);
    expect((await ask("/skill runs")).end.text).toContain("The page is gone.");
  });
});

describe("a run by a program", () => {
  it("a program's skill run that asks a person says at once where to answer, and continues afterwards", async () => {
    const { skill, ran } = sender({ name: "mail" });
    const { app, events } = createTestApp(scriptedModel([]), { skills: [skill] });
    const output = await runSkillAs(app, ben, "mail", { text: "hello" });
    const asked = waitingSchema.parse(output);
    expect(asked.hint).toContain(`--namespace ${home.namespace} --thread test-runs`);
    expect(ran).toEqual([]);
    expect(await approve(app, asked.approval_id, true, ada)).toMatchObject({ ok: true });
    expect((await events(asked.turn_id)).at(-1)).toMatchObject({
      type: "turn_finished",
      output: { skill_id: "mail", output: "sent", success: true },
    });
  });

  it("a program's run of an installed skill that is not enabled says how to enable it", async () => {
    const origin = { source: "managed", precedence: 3, path: "/skills/fresh" };
    const fresh = testSkill("fresh", [{ name: "fresh" }], { origin });
    const { app, ask } = createTestApp(scriptedModel([]), { skills: [fresh] });
    const error = "fresh has to be enabled here first: /skill enable fresh.";
    expect(await runSkillAs(app, ada, "fresh", {})).toEqual({ error, code: "not_usable" });
    await ask("/skill enable fresh");
    expect(await runSkillAs(app, ada, "fresh", {})).toMatchObject({ success: true });
  });
});

const waitingSchema = z.object({
  code: z.literal("waiting_for_person"),
  hint: z.string(),
  turn_id: z.string(),
  approval_id: z.string(),
});
