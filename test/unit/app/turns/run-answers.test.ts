import { describe, expect, it } from "vitest";
import { emptyTurnView, foldTurn, ownSteps, summariseSteps } from "../../../../src/core/log/turn-view.ts";
import type { ToolResult } from "../../../../src/core/skill/tool.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { runSkillAs } from "../../../support/skills/skill-runs.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

function appWith(answer: Json | ToolResult) {
  return createTestApp(scriptedModel([]), {
    skills: [testSkill("measure", [{ name: "measure", run: () => answer }])],
  });
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `Row ${id}` }));

describe("what people read of a skill that they ran", () => {
  it.each<[string, Json, string]>([
    ["a text", "It is **3**.", "It is **3**."],
    ["nothing", "", "**measure** is done."],
    ["a finding and small data", { summary: "Two words.", words: 2 }, "Two words.\n\n- **Words:** 2"],
    ["a message", { message: "Sent.", id: 7 }, "Sent.\n\n- **Id:** 7"],
    ["flat data", { words: 2, lines: 1 }, "- **Words:** 2\n- **Lines:** 1"],
    [
      "a table",
      [
        { id: 1, name: "a" },
        { id: 2, name: "b" },
      ],
      "| Id | Name |\n| --- | --- |\n| 1 | a |\n| 2 | b |",
    ],
    [
      "the record of a flow",
      {
        success: true,
        results: [
          { success: true, result: "Oslo" },
          { success: true, result: { degrees: 3 } },
        ],
        variables: {},
        directOutput: null,
      },
      "- **Degrees:** 3",
    ],
  ])("a skill's output is readable for %s", async (_, output, text) => {
    const { end } = await appWith(output).ask("/skill run measure");
    expect(end).toMatchObject({
      outcome: "completed",
      text,
      output: { skill_id: "measure", output, success: true },
    });
  });

  it.each<[string, Json]>([
    ["large", { summary: "Many rows.", rows: rows(200) }],
    ["deeply nested", { summary: "Many rows.", a: { b: { c: { d: { e: 1 } } } } }],
  ])("a skill's output is the finding and a file for %s data", async (_, output) => {
    const app = appWith(output);
    const { turnId, end, events } = await app.ask("/skill run measure");
    expect(end.text).toMatch(/^Many rows\.\n\nThe whole result is in measure\.json \(\d+ k?B\)\.$/);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "file", name: "measure.json", media_type: "application/json" }),
    );
    const kept = await app.app.file(turnId, "measure.json");
    expect(JSON.parse(new TextDecoder().decode(kept?.data))).toEqual(output);
  });

  it("a failed skill's output is what went wrong, without the hint for models and the data for programs", async () => {
    const app = appWith({
      status: "error",
      code: "not_isolated",
      message: "No sandbox is here.",
      hint: "Tell the person. Go on without it.",
      details: { step: 1, results: [1] },
    });
    const { end } = await app.ask("/skill run measure");
    expect(end).toMatchObject({ outcome: "failed", text: "No sandbox is here.", private: true });
    expect(end.output).toMatchObject({ hint: "Tell the person. Go on without it.", results: [1] });
  });

  it("a skill run names its values when they do not fit, and its parts when it has several", async () => {
    const parameters = {
      type: "object" as const,
      properties: { city: { type: "string" as const, description: "where" } },
      required: ["city"],
    };
    const strict = testSkill("strict", [
      { name: "strict", parameters, validate: () => ({ ok: false, message: "city is missing" }) },
    ]);
    const parts = testSkill("parts", [
      { name: "a", skill_id: "parts#a" },
      { name: "b", skill_id: "parts#b" },
    ]);
    const app = createTestApp(scriptedModel([]), { skills: [strict, parts] });
    expect((await app.ask("/skill run strict")).end.text).toBe(
      "Invalid parameters: city is missing\n\nIt takes:\n- **city** (string): where",
    );
    expect((await app.ask("/skill run parts")).end.text).toBe("parts has several parts: parts#a, parts#b.");
    expect((await app.ask("/skill run stric")).end.text).toContain("Did you mean strict?");
  });

  it("a skill run counts as a step of its turn, as every surface shows it", async () => {
    const { events } = await appWith("done").ask("/skill run measure");
    const view = events.reduce(foldTurn, emptyTurnView("t"));
    expect(ownSteps(view).map(({ tool }) => tool)).toEqual(["measure"]);
    expect(summariseSteps(view)).toMatch(/^1 step(?:, \d|$)/);
  });
});

it("a guide without a model is refused with the reason, to people and to programs", async () => {
  const app = createTestApp(createOfflineModel(), { skills: [testSkill("greeter")] });
  const { end } = await app.ask("/skill run greeter greet Anna");
  expect(end).toMatchObject({
    outcome: "failed",
    text: expect.stringMatching(/guide that a language model follows.*ANTHROPIC_API_KEY/),
  });
  const ran = await runSkillAs(app.app, ada, "greeter", {});
  expect(ran).toMatchObject({
    error: expect.stringContaining("no model is configured"),
    code: "not_configured",
  });
});
