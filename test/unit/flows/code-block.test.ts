import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";
import { run, start, variablesOf } from "./flow-app.ts";

const code = (text: string, more: object = {}) => ({
  type: "code",
  config: { code: text, resultVariable: "r", ...more },
});

async function sandbox() {
  const dataDir = path.join(temporaryFolder({ "private.txt": "of the bot" }), "data");
  mkdirSync(dataDir);
  const { programs } = await createSandbox({ dataDir });
  return { ports: { programs } };
}

it("a code block gets the variables and returns JSON, and each block has its own globals", async () => {
  const variables = start([
    { name: "list", value: [3, 1, 2] },
    { name: "key", value: "s3cret-value", category: "static" },
  ]);
  const steps = [
    variables,
    code("globalThis.left = 1; console.log('sorting'); return variables.list.toSorted()"),
    code("return { before: variables.r, keys: Object.keys(variables), left: typeof left }", {
      resultVariable: "s",
    }),
  ];
  const { output, events } = await run(steps, {}, await sandbox());
  expect(output).toMatchObject({
    output: { variables: { r: [1, 2, 3], s: { before: [1, 2, 3], keys: ["list", "r"], left: "undefined" } } },
  });
  expect(events).toContainEqual(expect.objectContaining({ type: "tool_progress", note: "sorting" }));
});

it.each([
  ["throw new Error('no such order')", "The code failed: Error: no such order"],
  ["return (", "The code failed: SyntaxError"],
  ["return 1n", "The code failed: TypeError"],
  ["return 'x'.repeat(3_000_000)", "more than 2000000 characters"],
  ["const { process } = globalThis; process.exit(3)", "The code failed: TypeError"],
])("code that fails stops the flow with its reason: %s", async (text, reason) => {
  const { output, text: told } = await run([code(text)], {}, await sandbox());
  expect(told).toContain(reason);
  expect(output).toMatchObject({ code: "code_failed", step: 1 });
});

it("code that hangs is killed, even if it breaks out of its globals, and code after it runs", async () => {
  const settings = await sandbox();
  const hung = await run([code("for (;;) {}", { timeout_ms: 300 })], {}, settings);
  expect(hung.output).toMatchObject({ code: "step_timed_out" });
  const exits = "URL.constructor('return process')().exit(3)";
  expect((await run([code(exits)], {}, settings)).output).toMatchObject({ code: "code_failed" });
  expect(await variablesOf([code("return 1")], {}, settings)).toEqual({ r: 1 });
});

it("a value returned by code cannot change the bot", async () => {
  const text = 'return JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": 2}\')';
  const variables = await variablesOf([code(text)], {}, await sandbox());
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(JSON.stringify(variables)).toContain('"constructor":2');
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
