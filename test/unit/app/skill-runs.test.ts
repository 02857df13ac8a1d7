import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../support/scripted-model.ts";
import { createTestApp, home } from "../../support/test-app.ts";
import { testSkill } from "../../support/test-skill.ts";

describe("the run of a skill", () => {
  it("that was stopped has an end, and says so", async () => {
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
    await expect.poll(() => app.runs({})).toMatchObject([{ status: "running", skill_id: "slow" }]);
    await app.stop(turnId, { id: "ada", name: "Ada", trust: "operator" });
    await events(turnId);
    const [run] = await app.runs({});
    expect(run).toMatchObject({ status: "failed", user: "ada", namespace: home.namespace, input: {} });
    expect(run?.error).toBeTruthy();
    expect(run?.finished_at).toBeGreaterThanOrEqual(run?.started_at ?? Number.NaN);
    expect((await ask("/skill runs")).end.text).toContain(`**slow** failed`);
  });

  it("that failed says why wherever runs are listed", async () => {
    const bad = testSkill("bad", [
      { name: "bad", run: () => ({ status: "error", code: "gone", message: "The page is gone." }) },
    ]);
    const { app, ask } = createTestApp(scriptedModel([]), { skills: [bad] });
    await ask("/skill run bad");
    expect(await app.runs({})).toMatchObject([{ status: "failed", error: "The page is gone." }]);
    expect((await ask("/skill runs")).end.text).toContain("The page is gone.");
  });
});
