import { describe, expect, it } from "vitest";
import type { App } from "../../../../src/app/app.ts";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import type { ToolResult } from "../../../../src/core/skill/tool.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { createAdHocFlows } from "../../../../src/flows/ad-hoc-flows.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { skillRunsOf } from "../../../support/skills/skill-runs.ts";
import { type TestTool, testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home, type TestAppOptions } from "../../../support/test-app.ts";

const done = {
  success: true,
  results: [{ success: true, result: 1 }],
  variables: { city: "Oslo" },
  directOutput: null,
};
const flow = (id: string, tool: Partial<TestTool>, more: Partial<Skill> = {}) =>
  testSkill(id, [{ name: id, ...tool }], { kind: "flow", ...more });

const vars = { city: "Oslo" };
const asker = (by: Author) => ({ by, namespace: home.namespace });
const { namespace } = home;

function run(app: App, id: string, dry_run = false) {
  return app.run("flow.run", { input: { id, vars, dry_run, namespace }, asker: asker(ada) });
}

function runText(app: App, flow: string, by: Author = ada) {
  return app.run("flow.run_text", { input: { flow, name: "mine.json", vars, namespace }, asker: asker(by) });
}

async function listedIn(app: App): Promise<string[]> {
  const outcome = await app.run("flow.list", { input: { namespace }, asker: asker(ada) });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value.flows.map(({ id }) => id);
}

const failure: ToolResult = {
  status: "error",
  code: "http_error",
  message: "Step 2 failed.",
  hint: "Check the address.",
  details: {
    success: false,
    results: [{ success: true, result: 1 }],
    variables: { a: 1 },
    directOutput: null,
  },
};

function newApp(skills: Skill[], more: TestAppOptions = {}) {
  return createTestApp(scriptedModel([]), { skills, ...more }).app;
}

describe("a flow that is run", () => {
  it("a flow is run by id or name, answers with its steps, and is among the runs", async () => {
    const app = newApp([flow("weather", { run: () => done }, { name: "Weather report" })]);
    for (const name of ["weather", "weather report"]) {
      expect(await run(app, name)).toEqual({ ok: true, value: done });
    }
    const [last] = await skillRunsOf(app);
    expect(last).toMatchObject({
      skill_id: "weather",
      user: "ada",
      namespace: home.namespace,
      input: vars,
      output: done,
    });
    expect(last?.finished_at).toBeGreaterThanOrEqual(last?.started_at ?? Number.NaN);
  });

  it("a flow with a direct answer also returns its step results, falsy ones included", async () => {
    const tool: Partial<TestTool> = {
      run: async (_input, context) => {
        const output: Json = await context.step("1 apiCall", () => "");
        const details = { results: [{ success: true, result: "" }], variables: { city: "Oslo" } };
        return { status: "ok", output, direct: true, details };
      },
    };
    const outcome = await run(newApp([flow("direct", tool)]), "direct");
    expect(outcome).toMatchObject({
      value: {
        success: true,
        results: [{ success: true, result: "" }],
        variables: { city: "Oslo" },
        directOutput: "",
      },
    });
  });

  it("a flow that fails is answered with the steps before, and the reason is among the runs", async () => {
    const app = newApp([flow("bad", { run: () => failure })]);
    expect(await run(app, "bad")).toEqual({
      ok: true,
      value: {
        success: false,
        results: [{ success: true, result: 1 }],
        variables: { a: 1 },
        directOutput: null,
        error: "Step 2 failed.",
        code: "http_error",
        hint: "Check the address.",
      },
    });
    expect(await skillRunsOf(app)).toMatchObject([{ status: "failed", error: "Step 2 failed." }]);
  });

  it("a flow with an unknown name is answered with similar names, and a skill is not a flow", async () => {
    const app = newApp([flow("weather", {}), testSkill("memory", [{ name: "memory" }])]);
    expect(await run(app, "wether")).toMatchObject({
      status: 404,
      message: expect.stringContaining("Did you mean weather?"),
    });
    expect(await run(app, "memory")).toMatchObject({ status: 404 });
    expect(await listedIn(app)).toEqual(["weather"]);
  });
});

describe("a flow whose file could not be loaded", () => {
  it("a flow whose file could not be loaded is answered with the reason, by the name of its file", async () => {
    const diagnostic = { severity: "error" as const, code: "no_steps", message: "It has no steps. Add one." };
    const load = async () => ({ skills: [], diagnostics: [{ ...diagnostic, path: "/flows/own.json" }] });
    const { app } = createTestApp(scriptedModel([]), { sources: [{ ...testSource([]), load }] });
    for (const name of ["own", "own.json"]) {
      expect(await run(app, name)).toEqual({
        ok: false,
        status: 404,
        message: `${name} could not be loaded: It has no steps. Add one.`,
      });
    }
  });
});

describe("a dry run", () => {
  it("a dry run tells what would be done, and does nothing", async () => {
    let runs = 0;
    const tool: Partial<TestTool> = { run: () => ++runs, dryRun: async (input) => ({ requests: [], input }) };
    const app = newApp([flow("weather", tool), flow("blind", {})]);
    expect(await run(app, "weather", true)).toEqual({
      ok: true,
      value: {
        success: true,
        results: [],
        variables: {},
        directOutput: null,
        dry_run: { requests: [], input: vars },
      },
    });
    expect(await run(app, "blind", true)).toMatchObject({ status: 409 });
    expect([runs, await skillRunsOf(app)]).toEqual([0, []]);
  });

  it("a dry run is refused for invalid variables", async () => {
    const tool: Partial<TestTool> = {
      dryRun: async () => null,
      validate: () => ({ ok: false, message: "city is missing" }),
    };
    const outcome = await run(newApp([flow("weather", tool)]), "weather", true);
    expect(outcome).toMatchObject({ status: 400, message: expect.stringContaining("city is missing") });
  });
});

describe("a flow from a text", () => {
  const source = testSource([]);
  const addFlow: TestAppOptions["addFlow"] = async (text) => {
    if (text === "{]") return { ok: false, reason: "it is not JSON." };
    source.skills = [flow("mine", { run: () => done })];
    return { ok: true, id: "mine" };
  };

  it("a flow from a text is in no list and no completion, and runs again by its id", async () => {
    const added = createAdHocFlows();
    const text = JSON.stringify({
      name: "Mine",
      steps: [{ type: "start", config: { variables: [{ name: "city", value: "" }] } }],
    });
    const { app } = createTestApp(scriptedModel([]), { sources: [added.source], addFlow: added.add });
    expect(await runText(app, text)).toMatchObject({
      ok: true,
      value: { success: true },
    });
    const listed = await app.skills.list(home.namespace);
    expect(listed.skills).toEqual([]);
    expect(await listedIn(app)).toEqual([]);
    expect(await app.complete("/flow run ", home.namespace)).toEqual([]);
    const [{ skill_id = "" } = {}] = await skillRunsOf(app);
    expect(await run(app, skill_id)).toMatchObject({ ok: true });
  });

  it("a flow from a text runs, is refused with the reason, and is for operators only", async () => {
    const { app } = createTestApp(scriptedModel([]), { sources: [source], addFlow });
    expect(await runText(app, "{}")).toEqual({ ok: true, value: done });
    const broken = await runText(app, "{]");
    expect(broken).toMatchObject({
      status: 400,
      message: "mine.json is not a flow that can run: it is not JSON.",
    });
    expect(await runText(app, "{}", ben)).toMatchObject({ status: 403 });
    expect(await runText(newApp([]), "{}")).toMatchObject({ status: 409 });
  });
});
