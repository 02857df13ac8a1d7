import { expect, test } from "vitest";
import { type ConfigSkill, createConfigSource } from "../../../src/skills/config-source.ts";

const load = (skills: Record<string, ConfigSkill>) =>
  createConfigSource({ source: "config", precedence: 4, path: "/etc/knack.yaml" }, skills).load();

const search: ConfigSkill = {
  desc: "Searches",
  usage: "Search first.",
  tool_list: { web: [], git: ["log"] },
};

test("a configured entry becomes a config skill with guide and tool list", async () => {
  const { skills, diagnostics } = await load({ search: { ...search, name: "Search", active: true } });
  expect(diagnostics).toEqual([]);
  expect(skills).toMatchObject([
    {
      ...{
        id: "search",
        name: "Search",
        kind: "config",
        description: "Searches",
        instructions: "Search first.",
      },
      ...{ active: true, tool_list: { web: [], git: ["log"] }, tools: [] },
      origin: { source: "config", precedence: 4, path: "/etc/knack.yaml" },
    },
  ]);
});

test("the name of a configured skill is its id, and the skill is inactive by default", async () => {
  expect((await load({ search })).skills).toMatchObject([{ name: "search", active: false }]);
});

test("a configured skill's hash follows its entry, whatever the order of its keys", async () => {
  const hashOf = async (entry: ConfigSkill) => (await load({ search: entry })).skills[0]?.hash;
  const { desc, usage, tool_list } = search;
  expect(await hashOf({ tool_list, usage, desc })).toBe(await hashOf(search));
  expect(await hashOf({ ...search, usage: "Other" })).not.toBe(await hashOf(search));
});

test("a tool list may be JSON text", async () => {
  const { skills, diagnostics } = await load({ search: { ...search, tool_list: '{"web": []}' } });
  expect(diagnostics).toEqual([]);
  expect(skills[0]?.tool_list).toEqual({ web: [] });
});

test.each(["web: []", '["web"]', '{"web": "log"}', "null"])(
  "the tool list %j is reported, not lost silently",
  async (text) => {
    const { skills, diagnostics } = await load({ search: { ...search, tool_list: text } });
    expect(skills).toMatchObject([{ id: "search", tool_list: {} }]);
    expect(diagnostics).toMatchObject([{ path: "/etc/knack.yaml", code: "invalid_tool_list" }]);
  },
);

test("a configured entry without a description is left out and hides no other", async () => {
  const { skills, diagnostics } = await load({ empty: { ...search, desc: " " }, search });
  expect(skills.map((skill) => skill.id)).toEqual(["search"]);
  expect(diagnostics).toMatchObject([
    { code: "invalid_skill", message: expect.stringContaining("Skill empty") },
  ]);
});

test("the config source answers the same object every time", async () => {
  const source = createConfigSource({ source: "config", precedence: 4, path: "x" }, { search });
  expect(await source.load()).toBe(await source.load());
});
