import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { encodedForms } from "../../../src/base/text/encoded-forms.ts";
import { createRedactor, mask } from "../../../src/core/values/redact.ts";
import { createTraces } from "../../../src/telemetry/traces.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { ada, createTestApp, home } from "../../support/test-app.ts";
import { startTraceCollector } from "../../support/trace-collector.ts";

const key = 'sk-live/9f"Zq+77';
const base64 = (before: string) => Buffer.from(`${before}${key}`).toString("base64");

/** The key as programs write it, each in a line of its own, and over two lines. */
const planted = [
  `https://user:${encodeURIComponent(key)}@host.example/?key=${encodeURI(key)}&k=${new URLSearchParams({ key })}`,
  ...["", "u", "u:"].map((before) => `Authorization: Basic ${base64(before)}`),
  Buffer.from(key).toString("base64url"),
  JSON.stringify({ headers: { "x-api-key": key } }),
  Buffer.from(key).toString("hex"),
  `Error: ${key}\n    at connect (file:///srv/${key}/index.js:1:1)`,
  `${key.slice(0, 7)}\n  ${key.slice(7)}`,
  `${base64("").slice(0, 9)}\r\n${base64("").slice(9)}`,
].join("\n");

/** The forms of the key that a text has, whatever JSON and line breaks do to it. */
function leaksIn(written: string): string[] {
  const plain = written.replaceAll("\\\\", "\\").replace(/(?:\\[nr]|[\r\n])+[ \t]*/g, "");
  return [key, ...encodedForms(key)].filter((form) => written.includes(form) || plain.includes(form));
}

it("planted keys are in no event, request to a model, export, audit, receipt, report and span", async () => {
  expect(leaksIn(planted).length).toBeGreaterThan(7);
  await using collector = await startTraceCollector();
  const logged: unknown[] = [];
  const log = (...line: unknown[]) => void logged.push(line);
  const redact = createRedactor([key]);
  const logger = { debug: log, info: log, warn: log, error: log };
  const traces = createTraces({ url: collector.url, version: "1", redact, clock: systemClock, logger });
  const skill = testSkill("leaky", [
    { name: "tell", effect: "side_effect", run: () => planted },
    { name: "fail", run: () => ({ status: "error", code: "broken", message: planted }) },
    {
      name: "crash",
      run: () => {
        throw new Error(planted);
      },
    },
  ]);
  const calls = ["tell", "fail", "crash"].map((call) => ({ call, with: { text: planted } }));
  const model = scriptedModel([calls, `Here it is: ${planted}`]);
  const bot = createTestApp(model, { skills: [skill], secrets: [key], tracer: traces.tracer });
  const { turnId } = await bot.ask(`Use ${planted}`);
  const asker = { by: ada, namespace: home.namespace };
  const exported = await bot.app.exportData();
  await traces.close();
  const ways: Record<string, unknown> = {
    events: (await bot.log.read(turnId)).slice(1),
    model: model.requests.map(({ system, messages, tools }) => [system, messages.slice(1), tools]),
    export: exported.ok && (await Array.fromAsync(exported.value)),
    audit: await bot.app.run("audit.list", { input: {}, asker }),
    receipt: await bot.app.run("turn.receipt", { input: { id: turnId }, asker }),
    runs: await bot.app.run("run.list", { input: {}, asker }).then((found) => found.ok && found.value.skills),
    spans: collector.spans(),
    logged,
  };
  expect(JSON.stringify(ways)).toContain(mask);
  for (const [way, written] of Object.entries(ways))
    expect([way, leaksIn(JSON.stringify(written))]).toEqual([way, []]);
});

it("planted keys are in no line of the log [secret-1]", () => {
  const from = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
  const program = `
    import { createLogger } from ${from("telemetry/logger.ts")};
    import { createRedactor } from ${from("core/values/redact.ts")};
    const logger = createLogger("debug", createRedactor([process.env.KEY]));
    const { PLANTED: planted } = process.env;
    const error = Object.assign(new Error(planted, { cause: new Error(planted) }), { config: { headers: { a: planted } } });
    logger.info(planted);
    logger.error({ err: error, [planted]: planted, deep: [{ url: planted }] }, planted);
    logger.warn("nothing secret");`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { KEY: key, PLANTED: planted },
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(stderr).toContain(mask);
  expect(
    stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).msg),
  ).toHaveLength(3);
  expect(stderr).toContain('"msg":"nothing secret"');
  expect(leaksIn(stderr)).toEqual([]);
});
