import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resolveSkill } from "../../../src/core/skill/skill-identifier.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { temporaryFolder, writeFiles } from "../skills/temporary-folder.ts";

const call = { type: "apiCall", config: { url: "https://x.test/${q}", method: "GET" } };
const send = (method: string) => ({ type: "apiCall", config: { url: "https://x.test", method } });
const approval = (otherwise?: object[]) => ({
  type: "approval",
  config: { question: "Go on?", else: otherwise },
});
const start = (...variables: unknown[]) => ({ type: "start", config: { variables } });
const flowText = (more: object = {}) =>
  JSON.stringify({ name: "Look up", steps: [start({ name: "q" }), call], ...more });
const sourceOf = (root: string) => createFlowSource({ source: "workspace", precedence: 4, root });
const load = (files: Record<string, string | Buffer>) => sourceOf(temporaryFolder(files)).load();

describe("a flow file", () => {
  it("a flow file is a skill with one tool whose parameters are the start variables", async () => {
    const variables = [
      { name: "q", value: "", description: "What to look for", category: "required" },
      { name: "limit", value: "5" },
      { name: "key", value: "s3cret-of-the-flow", type: "static" },
      { name: "", value: "" },
    ];
    const text = flowText({ description: "Looks things up.", steps: [start(...variables), call] });
    const { skills, diagnostics } = await load({ "7f3a.json": text });
    expect(diagnostics).toEqual([]);
    expect(skills).toMatchObject([{ id: "look_up", kind: "flow", description: "Looks things up." }]);
    const [tool] = skills[0]?.tools ?? [];
    expect(tool?.name).toBe("look_up");
    expect(tool?.parameters).toEqual({
      type: "object",
      properties: {
        q: { type: "string", description: "What to look for" },
        limit: { type: "string", description: "Value for variable limit", default: "5" },
      },
      required: ["q"],
      additionalProperties: false,
    });
    expect(JSON.stringify(skills)).not.toContain("s3cret");
    expect(tool?.validate({ q: 7, key: "x", limit: null })).toEqual({ ok: true, value: { q: "7" } });
    expect(tool?.validate({ limit: "1" })).toEqual({ ok: false, message: "q is required (string)" });
    expect(tool?.validate({ q: "a", limits: "1" })).toMatchObject({
      message: expect.stringContaining("limit?"),
    });
  });

  it("a flow file is found by the name hubs give it, but an id wins", async () => {
    const { skills } = await load({ "7f3a.json": flowText() });
    for (const text of ["@@flow_7f3a", "flow_7f3a", "look_up", "7f3a"]) {
      expect(resolveSkill(text, skills)).toEqual({ status: "found", id: "look_up" });
    }
    const rival = { id: "flow_7f3a" };
    expect(resolveSkill("flow_7f3a", [...skills, rival])).toEqual({ status: "found", id: "flow_7f3a" });
    expect(resolveSkill("lok_up", skills)).toEqual({ status: "unknown", nearest: ["look_up"] });
  });

  it.each([
    ["  Daily   Report! ", "daily_report"],
    ["--A__b--", "a_b"],
    ["天气预报", "flow_7f3a"],
    ["x".repeat(70), "x".repeat(64)],
  ])("a flow file called %j has the id %s", async (name, id) => {
    const { skills } = await load({ "7f3a.json": flowText({ name }) });
    expect(skills.map((skill) => skill.id)).toEqual([id]);
  });

  it("a flow file may be JSON with comments and trailing commas, and have blocks of the editor", async () => {
    const text = `{ // mine\n "name": "Look up", "steps": [{"type": "flowInfo"}, ${JSON.stringify(send("GET"))}, {"type": "finish"},],}`;
    const { skills, diagnostics } = await load({ "a.json": text });
    expect(diagnostics).toEqual([]);
    expect(skills[0]?.instructions).toContain("1. Calling GET x.test");
    expect(skills[0]?.instructions).not.toContain("2.");
  });

  it("a flow file is listed as switched off when it is not active", async () => {
    const { skills } = await load({ "a.json": flowText({ active: false }) });
    expect(skills).toMatchObject([{ id: "look_up", enabled: false }]);
  });

  it.each([
    ["reads", [send("GET")], false],
    ["changes something", [send("GET"), send("POST")], true],
    ["changes something in a loop", [{ type: "loop", config: { over: ["a"], steps: [send("PUT")] } }], true],
    ["leaves it to other tools", [{ type: "tool", config: { tool: "echo" } }], false],
    ["changes something after people allowed it", [approval(), send("POST")], false],
    ["changes something before people allow it", [send("POST"), approval()], true],
    ["changes something when people refuse", [approval([send("POST")])], true],
  ])("a flow file that %s needs approval before it runs, or not", async (_what, steps, asks) => {
    const { skills } = await load({ "a.json": flowText({ steps }) });
    expect(skills[0]?.tools[0]?.acts).toBe(asks);
  });

  it("a flow file is a side effect when it calls an API with another method than GET", async () => {
    const post = { type: "apiCall", config: { url: "https://x.test", method: "post" } };
    const effects = [];
    for (const steps of [[call], [call, post]]) {
      const { skills } = await load({ "a.json": flowText({ steps }) });
      effects.push(skills[0]?.tools[0]?.effect({}));
    }
    expect(effects).toEqual(["read_only", "side_effect"]);
  });
});

it("a flow in UTF-16, as Windows shells write it, is loaded", async () => {
  const { skills, diagnostics } = await load({ "a.json": Buffer.from(`\ufeff${flowText()}`, "utf16le") });
  expect(skills.map(({ id }) => id)).toEqual(["look_up"]);
  expect(diagnostics).toEqual([]);
});

describe("a defect", () => {
  it.each([
    ["invalid_json", ""],
    ["invalid_flow", "hello"],
    ["invalid_flow", flowText({ name: "" })],
    ["invalid_flow", flowText({ steps: {} })],
    ["no_steps", flowText({ steps: [] })],
    ["unsupported_block", flowText({ steps: [call, { type: "readFile", config: {} }] })],
    ["invalid_step", flowText({ steps: [{ type: "apiCall", config: { method: "GET" } }] })],
    ["invalid_step", flowText({ steps: [{ type: "llmInstruction", config: {} }] })],
    ["invalid_step", flowText({ steps: [{ type: "webScraping" }] })],
    ["invalid_step", flowText({ steps: [{ type: "start", config: { variables: "none" } }] })],
    ["not_text", Buffer.from([0x7b, 0xff, 0xfe])],
    ["too_large", Buffer.alloc(1_000_001, " ")],
  ])("the defect %s is reported with the file, and hides no other flow", async (code, bad) => {
    const root = temporaryFolder({ "bad.json": bad, "good.json": flowText(), "notes.txt": "no flow" });
    const { skills, diagnostics } = await sourceOf(root).load();
    expect(skills.map(({ id }) => id)).toEqual(["look_up"]);
    expect(diagnostics).toMatchObject([{ severity: "error", code, path: path.join(root, "bad.json") }]);
  });

  it("a defect is reported with the step and its mistake", async () => {
    const { diagnostics } = await load({ "a.json": flowText({ steps: [call, { type: "apiCall" }] }) });
    expect(diagnostics[0]?.message).toMatch(/^Step 2 \(apiCall\): url: /);
  });

  it.each([{ value: "${q}", equals: 5 }, { value: "${q}", is: "alike", to: 5 }, "${q} > 5"])(
    "a defect in the form of a condition names the expected one: %j",
    async (test) => {
      const steps = [call, { type: "condition", config: { if: test, else: [call] } }];
      const { diagnostics } = await load({ "a.json": flowText({ steps }) });
      expect(diagnostics[0]?.message).toMatch(
        /^Step 2 \(condition\): if: expected \{value: "\$\{name\}", is: equals, to: 5\}, .* one of equals, .*\.$/,
      );
    },
  );

  it("two flows with one id have the second reported", async () => {
    const root = temporaryFolder({ "a.json": flowText(), "b.json": flowText({ name: "look up" }) });
    const { skills, diagnostics } = await sourceOf(root).load();
    expect(skills.map(({ origin }) => path.basename(origin.path))).toEqual(["a.json"]);
    expect(diagnostics).toMatchObject([{ code: "duplicate_id", path: path.join(root, "b.json") }]);
  });

  it("a link out of the flow folder is not followed", async () => {
    const outside = temporaryFolder({ "a.json": flowText() });
    const root = temporaryFolder();
    symlinkSync(path.join(outside, "a.json"), path.join(root, "a.json"));
    const { skills, diagnostics } = await sourceOf(root).load();
    expect(skills).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: "link_outside" }]);
  });

  it("a missing flow folder is not a defect, but a file in its place is", async () => {
    const root = temporaryFolder({ file: "" });
    expect(await sourceOf(path.join(root, "none")).load()).toEqual({ skills: [], diagnostics: [] });
    expect((await sourceOf(path.join(root, "file")).load()).diagnostics).toMatchObject([
      { code: "unreadable" },
    ]);
  });
});

it("the flow source sees added, changed and removed files, and answers the same object while nothing changed", async () => {
  const root = temporaryFolder({ "a.json": flowText() });
  const source = sourceOf(root);
  const first = await source.load();
  expect(await source.load()).toBe(first);
  writeFiles(root, { "b.json": flowText({ name: "Other" }) });
  const second = await source.load();
  expect(second.skills.map(({ id }) => id)).toEqual(["look_up", "other"]);
  expect(second.skills[0]).toBe(first.skills[0]);
  writeFileSync(path.join(root, "a.json"), flowText({ description: "New" }));
  expect((await source.load()).skills[0]?.description).toBe("New");
  rmSync(path.join(root, "a.json"));
  expect((await source.load()).skills.map(({ id }) => id)).toEqual(["other"]);
});

it("the flows that ship load", async () => {
  const { skills, diagnostics } = await sourceOf(path.resolve(import.meta.dirname, "../../../flows")).load();
  expect(diagnostics).toEqual([]);
  expect(skills.map(({ id }) => id)).toEqual(["weather"]);
});

it("the examples of the documentation load", async () => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../../flows/README.md"), "utf8");
  const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => JSON.parse(json));
  const files = examples.map((example, at) => {
    const flow = "steps" in example ? example : { name: `Example ${at}`, steps: [example] };
    return [`${at}.json`, JSON.stringify(flow)] as const;
  });
  const { skills, diagnostics } = await load(Object.fromEntries(files));
  // One step alone has no step that sets its variables.
  expect(diagnostics.filter(({ code }) => code !== "stray_placeholder")).toEqual([]);
  expect(skills).toHaveLength(5);
});

it("placeholders that no run fills in are reported", async () => {
  const steps = [
    { type: "start", config: { variables: [{ name: "place", value: "{{not looked at}}" }] } },
    { type: "apiCall", config: { url: "https://a.example/${ place }/${plce}", responseVariable: "r" } },
    { type: "apiCall", config: { url: "https://a.example/{{place}}", body: "${r.x}" } },
    {
      type: "loop",
      config: {
        over: "${r}",
        steps: [{ type: "llmInstruction", config: { instruction: "${item} ${index} ${gone}" } }],
      },
    },
    { type: "code", config: { code: "return `${x}`" } },
  ];
  const { skills, diagnostics } = await load({ "a.json": flowText({ steps }) });
  expect(skills).toHaveLength(1);
  expect(diagnostics.map(({ severity, code }) => [severity, code])).toEqual(
    Array.from({ length: 3 }, () => ["warning", "stray_placeholder"]),
  );
  expect(diagnostics.map(({ message }) => message)).toEqual([
    "Step 2 (apiCall): No step sets the variable of ${plce}, so it is left unchanged. Did you mean ${place}?",
    "Step 3 (apiCall): {{place}} is not a placeholder, so it is left unchanged. Did you mean ${place}?",
    "Step 4.1 (llmInstruction): No step sets the variable of ${gone}, so it is left unchanged.",
  ]);
});
