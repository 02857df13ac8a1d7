import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCodeRunner, type RunCode } from "../../../src/flows/code-runner.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { run, start } from "./flow-app.ts";

const code = (text: string, more: object = {}) => ({
  type: "code",
  config: { code: text, resultVariable: "r", ...more },
});

const dataDir = mkdtempSync(path.join(tmpdir(), "knack-code-"));
let ports: { programs: Sandbox["programs"] };
/** For tests of the code alone. */
let runner: RunCode;
beforeAll(async () => {
  ports = await createSandbox({ dataDir });
  runner = createCodeRunner(ports.programs, testSkill("f"));
});
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});
const runCode = (text: string) =>
  runner(text, { variables: {}, signal: new AbortController().signal, onText: () => {} });

it("a code block gets the variables and returns JSON that cannot change the bot; each has its own globals", async () => {
  const variables = start([
    { name: "list", value: [3, 1, 2] },
    { name: "key", value: "s3cret-value", category: "static" },
  ]);
  const hostile = '{"__proto__": {"polluted": 1}, "constructor": 2}';
  const steps = [
    variables,
    code("globalThis.left = 1; console.log('sorting'); return variables.list.toSorted()"),
    code("return { before: variables.r, keys: Object.keys(variables), left: typeof left }", {
      resultVariable: "s",
    }),
    code(`return JSON.parse('${hostile}')`, { resultVariable: "t" }),
  ];
  const { output, events } = await run(steps, {}, { ports });
  expect(output).toMatchObject({
    output: { variables: { r: [1, 2, 3], s: { before: [1, 2, 3], keys: ["list", "r"], left: "undefined" } } },
  });
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_progress", note: "sorting" }));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(JSON.stringify(output)).toContain('"constructor":2');
});

it.each([
  ["throw new Error('no such order')", "The code failed: Error: no such order"],
  ["return (", "The code failed: SyntaxError"],
  ["return 1n", "The code failed: TypeError"],
  ["return 'x'.repeat(3_000_000)", "more than 2000000 characters"],
  ["const { process } = globalThis; process.exit(3)", "The code failed: TypeError"],
])("code fails with its reason: %s", async (text, reason) => {
  await expect(runCode(text)).rejects.toMatchObject({
    code: "code_failed",
    message: expect.stringContaining(reason),
  });
});

it("code that fails or hangs stops the flow, and its process is killed", async () => {
  const failed = await run([code("throw new Error('no such order')")], {}, { ports });
  expect(failed.text).toContain("The code failed: Error: no such order");
  expect(failed.output).toMatchObject({ code: "code_failed", step: 1 });
  const hung = await run([code("for (;;) {}", { timeout_ms: 300 })], {}, { ports });
  expect(hung.output).toMatchObject({ code: "step_timed_out" });
});

it("code that breaks out of its globals ends only its process, and code after it runs", async () => {
  const exits = "URL.constructor('return process')().exit(3)";
  await expect(runCode(exits)).rejects.toMatchObject({ code: "code_failed" });
  expect(await runCode("return 1")).toBe(1);
});

it("code does not run without a sandbox or where it refuses the flow, and says why", async () => {
  expect((await run([code("return 1")])).output).toMatchObject({
    code: "code_refused",
    error: expect.stringContaining("there is no sandbox"),
  });
  const programs = {
    allows: async () => ({ ok: false as const, reason: "bubblewrap is missing." }),
    start: () => Promise.reject(new Error("not to be started")),
  };
  const { text } = await run([code("return 1")], {}, { ports: { programs } });
  expect(text).toContain("bubblewrap is missing.");
});
