import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeBot, problem } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

const usage = {
  input_tokens: 900,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 100,
  unpriced_tokens: 0,
};
const look = { tool: "look", arguments: { text: "rain" } };
const recorded = {
  ...{ model: "openai/big", text: "Take an umbrella.", rounds: 2, duration_ms: 4_000 },
  ...{ calls: [{ ...look, recorded: true }], usage: { ...usage, cost_usd: 0.02 } },
};
const replayed = {
  ...{ model: "openai/small", text: "Yes, an Umbrella.", rounds: 1, duration_ms: 1_000 },
  ...{ calls: [{ ...look, recorded: false }], usage: { ...usage, cost_usd: 0.001 } },
};
const made = (more: object = {}) => ({
  ...{ turn_id: "t1", question: "umbrella?", recorded, notes: ["The picture a.png is no longer stored."] },
  replayed: { ...replayed, ...more },
});

async function run(argv: string[], { suite, answers = {} }: { suite?: string; answers?: object } = {}) {
  const cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  if (suite !== undefined) {
    await mkdir(path.join(cwd, "config", "replays"), { recursive: true });
    await writeFile(path.join(cwd, "config", "replays", "smoke.yaml"), suite);
  }
  const asked: unknown[] = [];
  const bot = fakeBot({
    "POST /turns/t1/replay": async (request) => {
      asked.push(await request.json());
      return made(answers);
    },
    "POST /turns/gone/replay": () => problem(409, "This turn cannot be replayed. It was deleted."),
  });
  const knack = runKnack(["replay", ...argv], { bot, cwd });
  return { code: await knack.code, out: knack.out.text(), err: knack.err.text(), asked };
}

const onSmall = ["--model", "openai/small"];

describe("knack replay", () => {
  it("shows both answers with their calls, price and time, and marks a call without a result", async () => {
    const { code, out, asked } = await run(["t1", ...onSmall]);
    expect(code).toBe(0);
    expect(asked).toEqual([{ model: "openai/small" }]);
    for (const part of [
      "umbrella?",
      "recorded openai/big",
      "replayed openai/small",
      "2 rounds, 1,000 tokens, $0.02",
      "$0.0010",
    ])
      expect(out).toContain(part);
    expect(out).toContain("not recorded");
    expect(out).toContain("a.png");
  });

  it.each([
    ["a refusal", ["gone", ...onSmall], {}, 1, /deleted/],
    [
      "no answer",
      ["t1", ...onSmall],
      { error: { code: "overloaded", message: "Too much." } },
      1,
      /No answer: Too much/,
    ],
    ["neither turn nor suite", [...onSmall], {}, 2, /Give the id of a turn/],
    ["both", ["t1", "--all", "smoke", ...onSmall], {}, 2, /Give the id of a turn/],
    ["no model", ["t1"], {}, 2, /--model/],
    [
      "a suite that does not exist",
      ["--all", "none", ...onSmall],
      {},
      1,
      /none\.yaml: there is no such file\. docs\/watching/,
    ],
  ])("exits with the matching code for %s", async (_what, argv, answers, exit, says) => {
    const { code, out, err } = await run(argv, { answers });
    expect(code).toBe(exit);
    expect(out + err).toMatch(says);
  });

  const suiteOf = (check: string, id = "t1") =>
    `turns:\n  - id: ${id}\n    checks:\n      it is so: ${check}\n`;
  it.each([
    ["{called: look}", true],
    ["{called: send}", false],
    ["{not_called: send}", true],
    ["{not_called: look}", false],
    ["{contains: umbrella}", true],
    ["{contains: sunshine}", false],
    ['{matches: "^Yes, an \\\\w+\\\\.$"}', true],
    ["{matches: ^No}", false],
    ["{cost_below_usd: 0.002}", true],
    ["{cost_below_usd: 0.001}", false],
  ])("a suite checks %s", async (check, passes) => {
    const { code, out } = await run(["--all", "smoke", ...onSmall], { suite: suiteOf(check) });
    expect(code).toBe(passes ? 0 : 1);
    expect(out).toMatch(passes ? /✓ it is so\n1 of 1 turns passed/ : /✗ it is so: .*\n0 of 1 turns passed/);
  });

  it("a suite goes on after a turn that cannot be replayed, and fails", async () => {
    const suite = `${suiteOf("{called: look}", "gone")}  - id: t1\n`;
    const { code, out } = await run(["--all", "smoke", ...onSmall, "--json"], { suite });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      passed: false,
      turns: [
        { turn_id: "gone", passed: false, error: expect.stringContaining("deleted") },
        { turn_id: "t1", passed: true },
      ],
    });
  });

  it.each([
    ["an unknown check", suiteOf("{says: x}")],
    ["a pattern that is none", suiteOf("{matches: '('}")],
    ["no turns", "turns: []\n"],
    ["no YAML", "turns: [\n"],
  ])("refuses a suite with %s, and names the file", async (_what, suite) => {
    const { code, err, asked } = await run(["--all", "smoke", ...onSmall], { suite });
    expect(code).toBe(1);
    expect(err).toContain("smoke.yaml");
    expect(asked).toEqual([]);
  });
});
