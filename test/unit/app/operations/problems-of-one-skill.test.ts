import { expect, it, onTestFinished } from "vitest";
import { createConfigSource } from "../../../../src/skills/config-source.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { openBench, testServer } from "../../../support/skills/mcp-bench.ts";
import { createTestApp } from "../../../support/test-app.ts";

async function problemsOf(app: ReturnType<typeof createTestApp>["app"], id: string) {
  const detail = await app.skills.detail(id, "console:local:general");
  return detail?.problems.map(({ message }) => message);
}

it("each server in a file of servers tells its own problems, and all tell those of the whole", async () => {
  const bench = await openBench({});
  onTestFinished(() => bench.close());
  const server = JSON.stringify(testServer).slice(1, -1);
  await bench.write(`{"mcpServers": {
    "one": {${server}, "autostart": true}, // not known
    "two": {${server}, "patience": 3},
    "three": {}
  }}`);
  await bench.servers.start("one");
  const { app, ask } = createTestApp(scriptedModel([]), { sources: [bench.source] });
  const whole = expect.stringContaining("comments");
  const ofOne = [whole, expect.stringContaining("Server one: autostart is unknown")];
  expect(await problemsOf(app, "mcp_one")).toEqual(ofOne);
  expect(await problemsOf(app, "mcp_one#pid")).toEqual(ofOne);
  expect(await problemsOf(app, "mcp_two")).toEqual([whole, expect.stringContaining("Server two: patience")]);
  expect((await ask("/skill list")).end.text).toContain("Server three is left out");
});

it("each skill in the configuration tells only its own problems", async () => {
  const entry = { desc: "Searches", usage: "Search first." };
  const skills = {
    lost: { ...entry, tool_list: { nowhere: [] } },
    broken: { ...entry, tool_list: "web" },
    empty: { ...entry, desc: "", tool_list: {} },
    good: { ...entry, tool_list: {} },
  };
  const source = createConfigSource({ source: "config", precedence: 4, path: "/etc/knack.yaml" }, skills);
  const { app } = createTestApp(scriptedModel([]), { sources: [source] });
  expect(await problemsOf(app, "lost")).toEqual([
    expect.stringContaining("skill lost names the server nowhere"),
  ]);
  expect(await problemsOf(app, "broken")).toEqual([expect.stringContaining("tool_list of skill broken")]);
  expect(await problemsOf(app, "good")).toEqual([]);
  const { diagnostics } = await app.skills.list("console:local:general");
  expect(diagnostics.map(({ skill_id }) => skill_id)).toEqual(["broken", "empty", "lost"]);
});
