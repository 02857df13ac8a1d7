import { expect, it } from "vitest";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

it("each skill that ships has a line for people, which no model reads", async () => {
  const model = scriptedModel(["ok"]);
  const bot = createTestApp(model, { sources: shippedSkills });
  await bot.ask("hi");
  const catalogue = JSON.stringify(model.requests);
  const asker = { by: ada, namespace: "console:local:dm" };
  const listed = await bot.app.run("skill.list", { input: { namespace: asker.namespace }, asker });
  if (!listed.ok) throw new Error(listed.message);
  const whole = listed.value.skills.filter(({ parent, kind }) => parent === undefined && kind !== "flow");
  expect(whole.length).toBeGreaterThan(15);
  for (const { id, summary, description } of whole) {
    expect(`${id}: ${summary}`).toMatch(/: [A-Z][^…]{20,99}$/);
    expect(description).not.toContain(summary);
    expect(catalogue).not.toContain(summary);
  }
});
