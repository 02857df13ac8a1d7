import { expect, test } from "vitest";
import { resolveSkillId, toToolName, uniqueToolNames } from "../../../../src/core/skill/skill-identifier.ts";
import type { Tool } from "../../../../src/core/skill/tool.ts";

const known = [
  "web-search",
  "memory",
  "memory#remember",
  "my-hub-skill",
  "flow_7f3a",
  "9b2c",
  "mcp_github",
  "slack",
];
const servers = [...known, "github#create_issue", "slack#post-message", "Mixed"];

test.each([
  ["web-search", "web-search"],
  [" web-search ", "web-search"],
  ["@@my-hub-skill", "my-hub-skill"],
  ["@@flow_7f3a", "flow_7f3a"],
  ["flow_7f3a", "flow_7f3a"],
  ["7f3a", "flow_7f3a"],
  ["@@flow_9b2c", "9b2c"],
  ["flow_9b2c", "9b2c"],
  ["@@mcp_github", "mcp_github"],
  ["github", "mcp_github"],
  ["@@mcp_slack", "slack"],
  ["memory#remember", "memory#remember"],
  ["memory-remember", "memory#remember"],
  ["github#create_issue", "github#create_issue"],
  ["github-create_issue", "github#create_issue"],
  ["slack-post-message", "slack#post-message"],
  ["@@mcp_github#create_issue", "github#create_issue"],
  ["WEB-SEARCH", "web-search"],
  ["@@FLOW_7F3A", "flow_7f3a"],
  ["mixed", "Mixed"],
  ["Memory#Remember", "memory#remember"],
])("the skill id %j means %s", (text, id) => {
  expect(resolveSkillId(text, servers)).toEqual({ status: "found", id });
});

test("a literal skill id wins over every other reading", () => {
  expect(resolveSkillId("a-b", ["a#b", "a-b"])).toEqual({ status: "found", id: "a-b" });
  expect(resolveSkillId("@@x", ["x", "@@x"])).toEqual({ status: "found", id: "@@x" });
});

test("two ids that differ in case are not guessed between", () => {
  expect(resolveSkillId("NOTES", ["Notes", "notes"])).toEqual({
    status: "unknown",
    nearest: ["Notes", "notes"],
  });
});

test.each([
  ["web-serch", ["web-search"]],
  ["ebw-search", ["web-search"]],
  ["@@search", ["web-search"]],
  ["memry", ["memory"]],
  ["memory#forget", ["memory"]],
  ["zzzzzzzz", []],
  ["", []],
])("the unknown skill id %j is answered with the nearest ids", (text, ids) => {
  expect(resolveSkillId(text, known)).toEqual({ status: "unknown", nearest: ids });
});

test("a very long text is not a skill id and is rejected quickly", () => {
  expect(resolveSkillId("x-".repeat(50_000), known)).toEqual({ status: "unknown", nearest: [] });
});

const tool = (name: string, skillId = name) => ({ name, skill_id: skillId }) as Tool;
const namesOf = (...args: Parameters<typeof uniqueToolNames>) =>
  uniqueToolNames(...args).map((each) => each.name);
const pattern = /^[a-zA-Z0-9_-]{1,64}$/;

test.each([
  ["memory#remember", "memory_remember"],
  ["web-search", "web-search"],
  ["a b.c:d", "a_b_c_d"],
])("the tool name of %j is %s", (text, name) => {
  expect(toToolName(text)).toBe(name);
});

test.each(["", "天気", "#".repeat(100), "x".repeat(65), "é".repeat(200)])(
  "%j becomes a name a model may call",
  (text) => {
    expect(toToolName(text)).toMatch(pattern);
  },
);

test("two long tool names with the same beginning stay different", () => {
  expect(toToolName(`${"x".repeat(70)}a`)).not.toBe(toToolName(`${"x".repeat(70)}b`));
});

test("different names are left as they are", () => {
  const tools = [tool("one"), tool("two")];
  expect(uniqueToolNames(tools.map((each) => ({ tool: each, source: "bundled" })))).toEqual(tools);
});

const rivals = [
  { tool: tool("search", "web"), source: "bundled" },
  { tool: tool("search", "docs"), source: "bundled" },
  { tool: tool("search", "web"), source: "workspace" },
  { tool: tool("other"), source: "bundled" },
];

test("all tools of one name get different suffixes, and none is lost", () => {
  const names = namesOf(rivals);
  expect(new Set(names).size).toBe(4);
  expect(names.slice(0, 3).every((name) => /^search_[0-9a-f]{8}$/.test(name))).toBe(true);
  expect(names[3]).toBe("other");
});

test("a tool name's suffix does not depend on the order", () => {
  expect(namesOf(rivals.toReversed())).toEqual(namesOf(rivals).toReversed());
});

test("names that become equal by cleaning are told apart", () => {
  const names = namesOf(["a.b", "a_b", "a b"].map((name) => ({ tool: tool(name), source: "s" })));
  expect(new Set(names).size).toBe(3);
});

test("a reserved tool name is never taken", () => {
  const [name] = namesOf([{ tool: tool("list_skills"), source: "s" }], new Set(["list_skills"]));
  expect(name).toMatch(/^list_skills_[0-9a-f]{8}$/);
});

test("a suffixed name does not take the place of a tool that has that very name", () => {
  const [suffixed] = namesOf(rivals);
  const names = namesOf([...rivals, { tool: tool(suffixed ?? ""), source: "s" }]);
  expect(new Set(names).size).toBe(5);
  expect(names[4]).toBe(suffixed);
});

test("long tool names that collide stay within 64 characters", () => {
  const long = "y".repeat(64);
  const names = namesOf(["one", "two"].map((source) => ({ tool: tool(long), source })));
  expect(new Set(names).size).toBe(2);
  expect(names.every((name) => pattern.test(name))).toBe(true);
});
