import { expect, it } from "vitest";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { type TestTool, testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const strict = testSkill(
  "strict",
  [{ name: "strict", validate: () => ({ ok: false, message: "text is required" }) }],
  { active: true },
);
const calls = (request: { tools: readonly unknown[] }, line: Line) =>
  request.tools.length === 0 ? "This is what I have." : line;

it.each<[string, Line, string]>([
  ["an unknown tool", [{ call: "strikt", with: { a: 1, b: 2 } }], "Function 'strikt' not found."],
  ["broken JSON", [{ call: "strict", raw: "{not json" }], "not valid JSON"],
  ["invalid arguments", [{ call: "strict", with: { a: 1 } }], "text is required"],
])(
  "a model that repeats a refused call is told so, and then the turn ends with its answer: %s",
  async (_, line, reason) => {
    const model = scriptedModel((request) => calls(request, line));
    const { ask } = createTestApp(model, { skills: [strict] });
    const { end } = await ask("go");
    expect(model.requests).toHaveLength(7);
    const results = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(results.map((text) => /refused (\d) times/.exec(text)?.[1])).toEqual([
      ...[undefined, undefined, "3", "4", "5", "6"],
    ]);
    expect(results.every((text) => text.includes(reason))).toBe(true);
    expect(results.at(-1)).toContain("change the arguments, or answer without the tool");
    expect(end.outcome).toBe("limit_reached");
    expect(end.text).toMatch(/This is what I have\.[\s\S]*refused 6 times/);
  },
);

it("a model that tries other arguments each time continues", async () => {
  let tries = 0;
  const model = scriptedModel(() => {
    tries += 1;
    return tries > 8 ? "done" : [{ call: "strict", with: { tries } }];
  });
  const { ask } = createTestApp(model, { skills: [strict] });
  expect((await ask("go")).end).toMatchObject({ outcome: "completed", text: "done" });
  expect(toolResults(model.requests.at(-1)?.messages ?? []).join("\n")).not.toMatch(/refused \d times/);
});

it("a tool that fails in the same way again does not count as a refused call", async () => {
  const failing = { status: "error" as const, code: "failed", message: "no answer" };
  const flaky = testSkill("flaky", [{ name: "flaky", effect: "side_effect", run: () => failing }], {
    active: true,
  });
  let tries = 0;
  const model = scriptedModel(() => {
    tries += 1;
    return tries > 7 ? "done" : [{ call: "flaky" }];
  });
  const { ask } = createTestApp(model, { skills: [flaky] });
  expect((await ask("go")).end.text).toBe("done");
});

it("a skill whose calls of another skill are refused answers for them itself, and the turn continues", async () => {
  const refused = { status: "error" as const, code: "invalid_arguments", message: "no such page" };
  const inner = testSkill("inner", [{ name: "inner", repeatable: true, run: () => refused }]);
  const run: TestTool["run"] = async (_, context) => {
    const codes = [];
    for (let at = 0; at < 7; at += 1) codes.push((await context.invoke("inner", { page: 1 })).status);
    return codes.join(" ");
  };
  const outer = testSkill("outer", [{ name: "outer", run }], { active: true });
  const model = scriptedModel([[{ call: "outer" }], "Seven pages are missing."]);
  const { ask } = createTestApp(model, { skills: [inner, outer] });
  const { end } = await ask("go");
  expect(toolResults(model.requests.at(-1)?.messages ?? [])[0]).toContain("error ".repeat(6));
  expect(end).toMatchObject({ outcome: "completed", text: "Seven pages are missing." });
});
