import { describe, expect, it } from "vitest";
import { type ScriptedModel, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const deeds = ["create", "close", "list", "assign", "label"];
const things = ["issue", "branch", "release", "comment"];

/** A server with twenty tools for each hundred: `create_issue_1`, … */
function server(hundreds = 1) {
  const parts = Array.from({ length: hundreds }, (_, at) => at + 1).flatMap((at) =>
    deeds.flatMap((deed) =>
      things.map((thing) => {
        const name = `${deed}_${thing}_${at}`;
        const description = `${deed} a ${thing}, kind ${at}`;
        const id = `mcp_tracker#${name}`;
        const tool = { name, description, run: () => `${name} ran` };
        return testSkill(id, [tool], { kind: "mcp", origin, parent: "mcp_tracker", description });
      }),
    ),
  );
  const whole = testSkill("mcp_tracker", [], {
    kind: "mcp",
    origin,
    instructions: "Ask for issues by number.",
  });
  return [{ ...whole, tools: parts.flatMap(({ tools }) => tools) }, ...parts];
}

/** The names of the tools in front of the model at each of its calls. */
const offeredIn = ({ requests }: ScriptedModel) =>
  requests.map(({ tools, messages }) => [
    ...tools.map(({ name }) => name),
    ...messages.flatMap((message) =>
      message.role === "system" ? (message.add ?? []).map(({ name }) => name) : [],
    ),
  ]);

const origin = { source: "mcp" as const, precedence: 5, path: "mcp.json" };

const isOfServer = (name: string) => /_\d+$/.test(name);

describe("find_tools", () => {
  it("find_tools adds the few tools of a large server that fit, with its guide, and they run", async () => {
    const model = scriptedModel([
      [{ call: "find_tools", with: { words: "list issue" } }],
      [{ call: "list_issue_1", with: {} }],
      "Done.",
    ]);
    const { ask } = createTestApp(model, { skills: server() });
    await ask("which issues are there?");
    const [before = [], after = []] = offeredIn(model);
    expect(before).toContain("find_tools");
    expect(before.filter(isOfServer)).toEqual([]);
    expect(after.filter(isOfServer)).toContain("list_issue_1");
    expect(after.filter(isOfServer).length).toBeLessThanOrEqual(5);
    const [found = "", ran] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(found).toMatch(/^Tools that fit, there in your next step:\n- list_issue_1\n/);
    expect(JSON.stringify(model.requests)).not.toContain("Not active any more");
    expect(found).toContain("Ask for issues by number.");
    expect(ran).toBe("list_issue_1 ran");
  });

  it("find_tools is not there, and a server shows all its tools, while they are few", async () => {
    const few = server().slice(0, 11);
    const skills = few.map((skill) =>
      skill.parent === undefined ? { ...skill, tools: skill.tools.slice(0, 10) } : skill,
    );
    const model = scriptedModel([[{ call: "activate_skill", with: { skill_name: "mcp_tracker" } }], "Done."]);
    const { ask } = createTestApp(model, { skills });
    await ask("go");
    const [before = [], after = []] = offeredIn(model);
    expect(before).not.toContain("find_tools");
    expect(after.filter(isOfServer)).toHaveLength(10);
  });

  it("activate_skill of a large server gives its guide and says how to find its tools", async () => {
    const model = scriptedModel([[{ call: "activate_skill", with: { skill_name: "mcp_tracker" } }], "Done."]);
    const { ask } = createTestApp(model, { skills: server() });
    await ask("go");
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(
      /Ask for issues by number\.[\s\S]*It has 20 tools: find_tools\(words\) adds those that fit\.$/,
    );
    expect(offeredIn(model).flat().filter(isOfServer)).toEqual([]);
  });

  it("find_tools says what to do when nothing fits, and searches two thousand tools", async () => {
    const model = scriptedModel([
      [{ call: "find_tools", with: { words: "zebra" } }],
      [{ call: "find_tools", with: { words: "close release kind 99", server: "mcp_tracker" } }],
      "Done.",
    ]);
    const { ask } = createTestApp(model, { skills: server(100) });
    await ask("go");
    const [none, found] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(none).toContain("No tool fits “zebra”.");
    expect(none).toContain("mcp_tracker has 2000.");
    expect(found).toContain("close_release_99");
  });
});
