import { expect, it } from "vitest";
import { type Json, maxJsonDepth, parseJson } from "../../../../src/core/values/json.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

it("JSON is read down to the nesting limit, not counting brackets in texts", () => {
  expect(() => parseJson(nested(maxJsonDepth))).not.toThrow();
  expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(SyntaxError);
  expect(parseJson(`["${"[".repeat(500)}\\"${"{".repeat(500)}"]`)).toHaveLength(1);
});

it("a call with too deeply nested arguments is refused, and the call next to it finishes once", async () => {
  const model = scriptedModel([
    [{ call: "deep", raw: `{"a": ${nested(50_000)}}` }, { call: "fine" }],
    "Done.",
  ]);
  const skill = testSkill("s", [{ name: "deep" }, { name: "fine", run: () => "fine" }], { active: true });
  const { events, end } = await createTestApp(model, { skills: [skill] }).ask("go");
  expect(end).toMatchObject({ outcome: "completed", text: "Done." });
  expect(toolResults(model.requests.at(-1)?.messages ?? [])).toEqual([
    expect.stringContaining("nested more than 100 levels deep"),
    "fine",
  ]);
  expect(events.filter(({ type }) => type === "tool_finished")).toHaveLength(2);
});

it("numbers keep their digits: as arguments, in the log, in a result, and in what the model is sent", async () => {
  const sent = '{"id":1175013331821920257,"rate":0.1000000000000000055}';
  const model = scriptedModel([[{ call: "echo", raw: sent }], "Done."]);
  const echo = { name: "echo", run: (input: Json) => ({ got: input }) };
  const skill = testSkill("s", [echo], { active: true });
  const { events } = await createTestApp(model, { skills: [skill] }).ask("go");
  expect(toolResults(model.requests.at(-1)?.messages ?? [])).toEqual([`{"got":${sent}}`]);
  const told = JSON.stringify(events.filter(({ type }) => type.startsWith("tool_")));
  expect(told).toContain(`"input":${sent}`);
  expect(told).toContain(`"got":${sent}`);
});

it("an argument check that throws refuses the arguments, and ends neither the turn nor other calls", async () => {
  const validate = () => {
    throw new RangeError("Maximum call stack size exceeded");
  };
  const skill = testSkill(
    "s",
    [
      { name: "odd", validate },
      { name: "fine", run: () => "fine" },
    ],
    { active: true },
  );
  const model = scriptedModel([[{ call: "odd" }, { call: "fine" }], "Done."]);
  const { events, end } = await createTestApp(model, { skills: [skill] }).ask("go");
  expect(end).toMatchObject({ outcome: "completed", text: "Done." });
  expect(toolResults(model.requests.at(-1)?.messages ?? [])).toEqual([
    expect.stringContaining("Invalid arguments: Maximum call stack size exceeded"),
    "fine",
  ]);
  expect(events.filter(({ type }) => type === "tool_finished")).toHaveLength(2);
});
