import { describe, expect, it } from "vitest";
import { createSkillForm } from "../../../../../src/app/chat/create-chat-intake.ts";
import { type Parameter, parameterSchema } from "../../../../../src/core/skill/skill.ts";
import { testSkill } from "../../../../support/skills/test-skill.ts";
import { channel, createIntake } from "../intake/fixture.ts";

const parameter = (name: string, more: Partial<Parameter> = {}) =>
  parameterSchema.parse({ name, type: "string", ...more });

function formOf(...parameters: Parameter[]) {
  const form = createSkillForm({ id: "notes", name: "Notes", summary: "Keeps notes", parameters });
  if (form === undefined) throw new Error("There is no form");
  return form;
}

describe("the form of a skill", () => {
  it.each([
    ["text", parameter("title")],
    ["long_text", parameter("body", { description: "The whole document." })],
    ["long_text", parameter("text", { description: "what to look at, exactly as it was given" })],
    ["number", parameter("count", { type: "number" })],
    ["boolean", parameter("loud", { type: "boolean" })],
    ["choice", parameter("mode", { enum: ["fast", "slow"] })],
    ["json", parameter("map", { type: "object" })],
    ["json", parameter("list", { type: "array" })],
  ] as const)("the form of a skill asks for %s", (kind, asked) => {
    expect(formOf(asked).fields[0]).toMatchObject({ name: asked.name, kind, required: true });
  });

  it("the form of a skill labels fields in words that fit, and requires only those without a default", () => {
    const long = parameter("a_very_long_name_that_does_not_fit_into_any_label_of_discord");
    const { fields, title, skill_id } = formOf(
      parameter("max_results", { default: 5, type: "number" }),
      parameter("maxResults", { required: false }),
      long,
    );
    expect([skill_id, title]).toEqual(["notes", "Notes"]);
    expect(fields.map((field) => field.label.length <= 45)).toEqual([true, true, true]);
    expect(fields[0]).toMatchObject({ label: "Max results", required: false, default: 5 });
    expect(fields[1]).toMatchObject({ label: "Max results", required: false });
  });

  it("the form of a skill becomes the command with typed values, without empty fields", () => {
    const form = formOf(
      parameter("text"),
      parameter("count", { type: "number" }),
      parameter("loud", { type: "boolean" }),
      parameter("level", { type: "number", enum: [1, 2] }),
      parameter("tags", { type: "array" }),
      parameter("note", { required: false }),
    );
    const values = { text: 'say "hi"\nnow', count: " 3 ", loud: "yes", level: "2", tags: '["a"]', note: " " };
    const params = { text: 'say "hi"\nnow', count: 3, loud: true, level: 2, tags: ["a"] };
    expect(form.command(values)).toEqual({
      ok: true,
      text: `/skill run notes ${JSON.stringify(params)}`,
      command: { name: "skill run", operation: "skill.run", input: { id: "notes", params } },
    });
  });

  it.each([
    ["required", parameter("text"), ""],
    ["a number", parameter("count", { type: "number" }), "three"],
    ["yes or no", parameter("loud", { type: "boolean" }), "perhaps"],
    ["one of: fast, slow", parameter("mode", { enum: ["fast", "slow"] }), "medium"],
    ["JSON", parameter("list", { type: "array" }), "[1,"],
    ["JSON", parameter("list", { type: "array" }), "{}"],
    ["JSON", parameter("map", { type: "object" }), "null"],
  ])("the form of a skill says what is wrong with a field: %s", (problem, asked, text) => {
    const outcome = formOf(asked).command({ [asked.name]: text });
    expect(outcome).toEqual({ ok: false, problems: { [asked.name]: expect.stringContaining(problem) } });
  });

  it("the form of a skill exists for skills with parameters only", async () => {
    const skills = [testSkill("echo", [{ name: "echo" }]), testSkill("guide")];
    const { intake } = createIntake({ skills });
    const place = { namespace: channel, thread: "t" };
    expect((await intake.form("echo", place, "ada"))?.fields.map((field) => field.name)).toEqual(["text"]);
    expect(await intake.form("guide", place, "ada")).toBeUndefined();
    expect(await intake.form("unheard-of", place, "ada")).toBeUndefined();
  });
});
