import { expect, test } from "vitest";
import { z } from "zod";
import { ModelError } from "../../../src/core/ports/model.ts";
import {
  definePart,
  defineSkill,
  defineSkillParts,
  SkillFailure,
} from "../../../src/core/skill/define-skill.ts";
import type { Tool, ToolContext } from "../../../src/core/skill/tool.ts";
import { checkArguments } from "../../../src/core/turn/check-call.ts";
import { createSkillTools } from "../../../src/skills/skill-tools.ts";

const skill = { id: "web-search", description: "Searches", max_execution_seconds: 30, max_iterations: 4 };
const context = {} as ToolContext;

const parameters = z.object({
  words: z.string().optional().meta({ deprecated: true, stands_for: "query" }),
  query: z.string(),
  limit: z.number().int().min(1).default(5),
  kind: z.enum(["news", "pages"]).optional(),
  filter: z.object({ since: z.string() }).optional(),
  tags: z.array(z.string()).optional(),
});

function toolThat(run: () => unknown, output: z.ZodType = z.object({ summary: z.string() })): Tool {
  const module = defineSkill({ title: "Searching", parameters, output, run: async () => run() as never });
  const [tool] = createSkillTools(skill, module);
  if (tool === undefined) throw new Error("no tool was made");
  return tool;
}

const tool = toolThat(() => ({ summary: "found" }));

test("a tool takes its name, description and limits from the skill", () => {
  expect(tool).toMatchObject({
    ...{ name: "web-search", title: "Searching", description: "Searches", skill_id: "web-search" },
    ...{ max_execution_ms: 30_000, max_iterations: 4 },
  });
  expect(tool.parameters).toMatchObject({ type: "object", required: ["query"] });
  expect(tool.effect({})).toBe("read_only");
});

test("a result of a million characters fits into a tool's limit in any script", () => {
  const output = JSON.stringify({ summary: "日".repeat(999_000) });
  expect(tool.max_output_bytes).toBeGreaterThan(new TextEncoder().encode(output).byteLength);
});

test("defaults are applied and a parameter with a default is not required", () => {
  expect(tool.validate({ query: "tea" })).toEqual({ ok: true, value: { query: "tea", limit: 5 } });
});

test("another name of a parameter is accepted in its place, and models are not told it", () => {
  expect(tool.validate({ words: "tea" })).toEqual({ ok: true, value: { query: "tea", limit: 5 } });
  expect(tool.validate({ words: "tea", query: "cake" })).toMatchObject({
    ok: true,
    value: { query: "cake" },
  });
  expect(JSON.stringify(tool.parameters)).not.toContain("words");
  expect(tool.validate({ limits: 1 })).toMatchObject({ message: expect.not.stringContaining("words") });
});

test.each([
  [undefined, "query is required (string)"],
  [{}, "query is required (string)"],
  [{ query: true }, "query must be a string, not a boolean"],
  [{ query: null }, "query must be a string, not null"],
  [{ query: "tea", limit: "9" }, "limit must be a number, not a string"],
  [{ query: "tea", kind: "books" }, 'kind must be one of "news", "pages"'],
  [{ query: "tea", filter: {} }, "filter.since is required (string)"],
  [{ query: "tea", tags: ["a", true] }, "tags[1] must be a string, not a boolean"],
  [
    { query: "tea", qerry: 1 },
    "unknown parameter qerry, did you mean query? (known: query, limit, kind, filter, tags)",
  ],
  [
    { limt: 1 },
    "query is required (string); unknown parameter limt, did you mean limit? (known: query, limit, kind, filter, tags)",
  ],
  ["tea", "the arguments must be an object, not a string"],
  [[], "the arguments must be an object, not an array"],
])("the arguments %j are refused by name", (input, message) => {
  expect(tool.validate(input)).toEqual({ ok: false, message });
});

test("a number is taken as its text wherever a text is required", async () => {
  const input = { query: 4711, limit: 3, filter: { since: 2026 }, tags: ["a", 2] };
  const value = { query: "4711", limit: 3, filter: { since: "2026" }, tags: ["a", "2"] };
  expect(await checkArguments(tool, input)).toEqual({ ok: true, value });
});

test("a limit of a parameter is told with its name", () => {
  expect(tool.validate({ query: "tea", limit: 0 })).toMatchObject({
    message: expect.stringMatching(/^limit: .*1/),
  });
});

test("an output that fits is the result, without fields its schema does not name", async () => {
  const talkative = toolThat(() => ({ summary: "found", secret: 1 }));
  expect(await talkative.run({}, context)).toEqual({ status: "ok", output: { summary: "found" } });
});

test("false, 0 and an empty text are outputs, and no output is null", async () => {
  for (const value of [false, 0, ""]) {
    expect(await toolThat(() => value, z.any()).run({}, context)).toEqual({ status: "ok", output: value });
  }
  expect(await toolThat(() => undefined, z.any()).run({}, context)).toEqual({ status: "ok", output: null });
});

test.each([
  ["has another type", () => ({ summary: 7 }), undefined, "summary must be a string, not a number"],
  ["lacks a field", () => ({}), undefined, "summary is required (string)"],
  ["is no JSON", () => 10n, z.any(), "it is not JSON"],
])("an output that %s is an error", async (_, run, output, reason) => {
  const result = await toolThat(run, output).run({}, context);
  expect(result).toMatchObject({ status: "error", code: "invalid_output" });
  expect(result).toMatchObject({ message: expect.stringContaining(reason) });
});

test("expected failures become results", async () => {
  const refused = toolThat(() => {
    throw new SkillFailure("no_results", "Nothing was found.", "Use fewer words.");
  });
  const modelless = toolThat(() => {
    throw new ModelError("not_configured", "No model is configured.");
  });
  expect(await refused.run({}, context)).toEqual({
    ...{ status: "error", code: "no_results", message: "Nothing was found.", hint: "Use fewer words." },
  });
  expect(await modelless.run({}, context)).toEqual({
    ...{ status: "error", code: "not_configured", message: "No model is configured." },
  });
});

test("any other error is passed on to the loop", async () => {
  const bug = new TypeError("a bug");
  const broken = toolThat(() => {
    throw bug;
  });
  await expect(broken.run({}, context)).rejects.toBe(bug);
});

test("parts become tools named after skill and part, each with its own properties", () => {
  const part = (effect: "idempotent" | "side_effect") =>
    definePart({
      title: "t",
      effect,
      repeatable: true,
      cooldown_ms: 5,
      parameters,
      output: z.any(),
      run: async () => 1,
    });
  const tools = createSkillTools(
    { ...skill, id: "memory" },
    defineSkillParts({ remember: part("idempotent"), forget: part("side_effect") }),
  );
  expect(tools.map((each) => [each.name, each.skill_id, each.effect({})])).toEqual([
    ["memory_remember", "memory#remember", "idempotent"],
    ["memory_forget", "memory#forget", "side_effect"],
  ]);
  expect(tools[0]).toMatchObject({ repeatable: true, cooldown_ms: 5 });
});
