import { describe, expect, it } from "vitest";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { runFlow } from "../../support/bot/ask-app.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { ada, createTestApp } from "../../support/test-app.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";
import { appWith, json, run, start, startApi } from "./flow-app.ts";

describe("a direct output", () => {
  it.each([
    ["text", "text"],
    ["", ""],
    [0, "0"],
    [false, "false"],
    [{ a: 1 }, '{"a":1}'],
  ])("a direct output %j is the answer, and ends flow and turn", async (value, answer) => {
    const api = await startApi(json(value));
    const config = { url: api.origin, directOutput: true };
    const steps = [
      { type: "apiCall", config },
      { type: "apiCall", config },
    ];
    const script = [
      [{ call: "activate_skill", with: { skill_name: "f" } }],
      [{ call: "f", with: {} }],
      "The model.",
    ];
    const { app, model } = appWith(steps, { script });
    const { end } = await app.ask("go");
    expect(end).toMatchObject({ outcome: "completed", text: answer });
    expect(api.received).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  });

  it("a direct output comes with results and variables for programs", async () => {
    const api = await startApi(json("Rain"));
    const config = { url: `${api.origin}/\${place}`, responseVariable: "sky", directOutput: true };
    const { app } = appWith([start([{ name: "place", value: "Oslo" }]), { type: "apiCall", config }]);
    expect(await runFlow(app.app, "f", {}, ada)).toMatchObject({
      ok: true,
      value: {
        success: true,
        results: [{ success: true }, { success: true, result: "Rain", type: "apiCall" }],
        variables: { place: "Oslo", sky: "Rain" },
        directOutput: "Rain",
      },
    });
  });

  it("a direct output is not taken from a response that claims to be one", async () => {
    const api = await startApi(json({ directOutput: "mine" }));
    const { output } = await run([{ type: "apiCall", config: { url: api.origin } }]);
    expect(output).toMatchObject({ output: { directOutput: null } });
  });
});

describe("in a channel", () => {
  const steps = (origin: string) => [start([{ name: "q" }]), { type: "apiCall", config: { url: origin } }];

  it("the model finds, activates and calls a flow in a channel, and its steps are shown", async () => {
    const api = await startApi(json({ answer: 42 }));
    const script = [
      [{ call: "activate_skill", with: { skill_name: "@@flow_7f3a" } }],
      [{ call: "f", with: { q: "x" } }],
      "It is 42.",
    ];
    const { app, model } = appWith(steps(api.origin), { script });
    const { events, end } = await app.ask("What is it?");
    expect(end).toMatchObject({ outcome: "completed", text: "It is 42." });
    expect(toolResults(model.requests.at(-1)?.messages ?? []).at(-1)).toContain('"answer":42');
    const stages = events.filter((event) => event.type === "stage" && event.status === "completed");
    expect(stages).toMatchObject([{ name: "1 start" }, { name: "2 apiCall" }, { name: "skill_f" }]);
  });

  it("commands in a channel list, show, run, disable and enable a flow", async () => {
    const api = await startApi(json("ok"));
    const { app } = appWith(steps(api.origin));
    const say = async (text: string) => (await app.ask(text)).end;
    expect((await say("/flow list")).text).toContain("**f** Execute agent flow: F");
    expect((await say("/flow show @@flow_7f3a")).text).toMatch(/`q` \(string\).*Its steps.*2\. Calling GET/s);
    expect((await say("/flow run f some words")).output).toMatchObject({
      output: { variables: { q: "some words" } },
    });
    expect((await say("/flow disable f")).text).toContain("disabled");
    expect((await say("/flow run f x")).outcome).toBe("failed");
    expect((await say("/flow enable f")).text).toContain("enabled");
    expect((await say("/flow run f x")).outcome).toBe("completed");
  });

  it("a flow that cannot be loaded is listed with the reason", async () => {
    const { app } = appWith(steps("https://x.test"), { files: { "bad.json": '{"name": "Bad"}' } });
    const { text } = (await app.ask("/flow list")).end;
    expect(text).toContain("**f**");
    expect(text).toContain("bad.json: It is not a flow: steps:");
  });

  it("defects in files of other kinds are not listed with flows", async () => {
    const diagnostics = ["/skills/a/plugin.json", "/bot/mcp.json", "/flows/b.json"].map((path) => ({
      ...{ path, severity: "error" as const, code: "invalid_json", message: "It is broken." },
    }));
    const source = { id: "broken", load: async () => loaded };
    const loaded = { skills: [], diagnostics };
    const { end } = await createTestApp(scriptedModel([]), { sources: [source] }).ask("/flow list");
    expect(end.text).toContain("b.json: It is broken.");
    expect(end.text).not.toMatch(/plugin\.json|mcp\.json/);
  });

  it("a flow that is switched off is listed with the reason and not run", async () => {
    const text = JSON.stringify({ name: "F", active: false, steps: steps("https://x.test") });
    const root = temporaryFolder({ "a.json": text });
    const sources = [createFlowSource({ source: "workspace", precedence: 4, root })];
    const app = createTestApp(scriptedModel(["Hi."]), { sources });
    expect((await app.ask("/flow list")).end.text).toContain(
      "switched off in its own file (active: false in",
    );
    expect((await app.ask("/flow run f x")).end.outcome).toBe("failed");
  });
});
