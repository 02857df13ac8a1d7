import { describe, expect, it } from "vitest";
import { toolsNow } from "../../../../src/core/transcript/keep-transcript.ts";
import { recordingModel, systemTexts } from "../../../support/models/recording-model.ts";
import { type ScriptedModel, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { isSummary, summarisingModel } from "../../../support/models/summarising-model.ts";
import { serverWithManyTools } from "../../../support/skills/many-tools.ts";
import { createTestApp } from "../../../support/test-app.ts";

/** The names of the tools in front of the model at each of its calls. */
const offeredIn = ({ requests }: ScriptedModel) =>
  requests.map(({ tools, messages }) => [
    ...tools.map(({ name }) => name),
    ...messages.flatMap((message) =>
      message.role === "system" ? (message.add ?? []).map(({ name }) => name) : [],
    ),
  ]);

const isOfServer = (name: string) => /_\d+$/.test(name);

describe("find_tools", () => {
  it("find_tools adds the few tools of a large server that fit, with its guide, and they run", async () => {
    const model = scriptedModel([
      [{ call: "find_tools", with: { words: "list issue" } }],
      [{ call: "list_issue_1", with: {} }],
      "Done.",
    ]);
    const { ask } = createTestApp(model, { skills: serverWithManyTools() });
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
    const few = serverWithManyTools().slice(0, 11);
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
    const { ask } = createTestApp(model, { skills: serverWithManyTools() });
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
    const { ask } = createTestApp(model, { skills: serverWithManyTools(100) });
    await ask("go");
    const [none, found] = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(none).toContain("No tool fits “zebra”.");
    expect(none).toContain("mcp_tracker has 2000.");
    expect(found).toContain("close_release_99");
  });

  const searched = [{ call: "find_tools", with: { words: "list issue" } }];
  const uses = Array.from({ length: 40 }, (_, at) => [{ call: "list_issue_1", with: { text: `${at}` } }]);
  const long = serverWithManyTools(1, () => "word ".repeat(600));

  it.each([
    ["between turns", uses.flatMap((use) => [use, "Done."]), 20],
    ["within a turn", [...uses, "Done."], 1],
  ])("tools that find_tools added stay while the thread is compacted %s", async (_when, lines, turns) => {
    const model = recordingModel(summarisingModel([searched, ...lines], "They spoke of issues."));
    const { ask } = createTestApp(model, { skills: long, limits: { transcript_tokens: 6_000 } });
    for (let at = 0; at < turns; at += 1) await ask(`question ${at}`);
    expect(model.asked.filter(isSummary).length).toBeGreaterThan(1);
    for (const request of model.ofTurns().slice(1)) {
      expect(toolsNow(request, "drop").map(({ name }) => name)).toContain("list_issue_1");
      expect(systemTexts(request).join()).not.toMatch(/Not active|are gone/);
    }
  });
});
