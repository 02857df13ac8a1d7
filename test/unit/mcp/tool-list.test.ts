import { describe, expect, it } from "vitest";
import { createCatalogueLoader, serverSkillId, serverToolName } from "../../../src/core/skill/catalogue.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { createMiniSearchIndex } from "../../../src/search/minisearch-index.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../support/skills/test-skill.ts";
import { ada, createTestApp } from "../../support/test-app.ts";

/** A server's skill as the real source makes it: one part for each tool. */
function serverSkill(server: string, tools: readonly string[], more: Partial<Skill> = {}): Skill[] {
  const id = serverSkillId(server);
  const origin = { source: "mcp", precedence: 2, path: "/config/mcp.json" };
  const parts = tools.map((tool) =>
    testSkill(`${id}#${tool}`, [{ name: serverToolName(server, tool) }], {
      kind: "mcp",
      parent: id,
      origin,
      ...more,
    }),
  );
  const skill = { ...testSkill(id, [], { kind: "mcp", name: server, origin, ...more }) };
  return [{ ...skill, tools: parts.flatMap((part) => part.tools) }, ...parts];
}

const opener = (id: string, tool_list: Skill["tool_list"], more: Partial<Skill> = {}) =>
  testSkill(id, [], { kind: "config", tool_list, active: true, ...more });

const names = (names: readonly string[]) => names.filter((name) => name.includes("__"));

/** The server tools a model is offered in each of its calls. */
async function offered(skills: readonly Skill[], script: string[][] = [], optIn: string[] = []) {
  const seen: string[][] = [];
  const model = scriptedModel(({ tools }) => {
    seen.push(names(tools.map(({ name }) => name)));
    const [call, skill_name] = script[seen.length - 1] ?? [];
    return call === undefined ? "Done." : [{ call, with: { skill_name } }];
  });
  const app = createTestApp(model, { skills, optIn });
  await app.ask("go");
  return seen;
}

const files = serverSkill("files", ["read", "write", "move"]);
const notes = serverSkill("notes", ["read"]);

describe("what tool_list opens", () => {
  it.each([
    ["bare names", { files: ["read"] }, ["files__read"]],
    ["server__tool", { files: ["files__read"] }, ["files__read"]],
    ["server-tool", { files: ["files-write"] }, ["files__write"]],
    ["server#tool", { files: ["files#move"] }, ["files__move"]],
    ["an empty list", { files: [] }, ["files__read", "files__write", "files__move"]],
    ["a tool that is not there", { files: ["delete"] }, []],
    ["a tool of another server", { files: ["notes__read"] }, []],
    ["a server that is not there", { cloud: [] }, []],
    ["two servers", { notes: [], files: ["write"] }, ["files__write", "notes__read"]],
  ])("tool_list takes %s", async (_what, toolList, tools) => {
    expect(await offered([...files, ...notes, opener("work", toolList)])).toEqual([tools]);
  });

  it.each([
    [[], ["read"]],
    [["read"], []],
  ])(
    "tool_list opens everything when one of two active skills says so, in any order",
    async (first, second) => {
      const skills = [...files, opener("one", { files: first }), opener("two", { files: second })];
      const [tools] = await offered(skills);
      expect(tools?.toSorted()).toEqual(["files__move", "files__read", "files__write"]);
    },
  );

  it("tool_list opens nothing while no skill is active, and a server's tools once its own skill is", async () => {
    const calls = await offered([...files], [["activate_skill", "files"]]);
    expect(calls).toEqual([[], ["files__read", "files__write", "files__move"]]);
  });

  it("tool_list takes effect with activation and ends with offloading, from the next model call on", async () => {
    const skills = [...files, opener("work", { files: ["read"] }, { active: false })];
    const calls = await offered(skills, [
      ["activate_skill", "work"],
      ["offload_skill", "work"],
    ]);
    expect(calls).toEqual([[], ["files__read"], []]);
  });

  it("tool_list is not widened by required_tools", async () => {
    const skills = [...files, opener("work", { files: ["read"] }, { required_tools: ["files__write"] })];
    expect(await offered(skills)).toEqual([["files__read"]]);
  });

  it("tool_list leaves out servers that cannot work or that people have to enable", async () => {
    const broken = serverSkill("files", ["read"], { problems: ["It is starting."] });
    expect(await offered([...broken, opener("work", { files: [] })])).toEqual([[]]);
    expect(await offered([...files, opener("work", { files: [] })], [], ["mcp_files"])).toEqual([[]]);
  });

  it("a tool opened by tool_list runs although its server's skill is inactive, but not once a person blocked it", async () => {
    const model = scriptedModel(({ messages }) =>
      toolResults(messages).length === 0 ? [{ call: "files__read", with: { text: "x" } }] : "Done.",
    );
    const app = createTestApp(model, { skills: [...files, opener("work", { files: ["read"] })] });
    const { events } = await app.ask("go");
    expect(events.find((event) => event.type === "tool_finished")).toMatchObject({ status: "ok" });
    await app.app.run("skill.set", {
      input: { ns: "api:test:ns", id: "mcp_files", state: "blocked" },
      asker: { by: ada, namespace: "api:test:ns" },
    });
    const { events: later } = await app.ask("go", { namespace: "api:test:ns" });
    expect(later.find((event) => event.type === "tool_finished")).toMatchObject({ status: "error" });
  });
});

it("tools that a tool_list requests in vain are named", async () => {
  const skills = [...files, opener("work", { flies: [], files: ["raed", "read"] })];
  const loader = createCatalogueLoader([testSource(skills)], createMiniSearchIndex);
  const { diagnostics } = await loader.current();
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      "unknown_server",
      "The tool_list of skill work names the server flies, which is not configured. Did you mean files?",
    ],
    [
      "unknown_tool",
      "The tool_list of skill work names raed, which the server files does not have. Did you mean read?",
    ],
  ]);
});
