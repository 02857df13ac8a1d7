import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Bot, RunningBot } from "../../src/cli/command-context.ts";
import { runKnack } from "../unit/cli/run-knack.ts";
import { helped, linesWithBot, linesWithoutBot } from "./cli-lines.ts";
import { expectGolden, indented, pretty, withoutIds } from "./golden.ts";
import { type GoldenServer, startGoldenServer } from "./golden-server.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-goldens-"));
  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  };
  await write("good/SKILL.md", "---\nname: good\ndescription: Does good.\n---\nGuide.\n");
  await write("bad/SKILL.md", "---\nname: Other Name\n---\nGuide.\n");
  await write("plugin/plugin.json", '{"name": "Plugin"}');
  await write("broken.yaml", "nonsense_key: 1\n");
  await write("flow.json", '{"steps": []}');
  await write("torn.json", "{torn");
});
afterAll(() => rm(cwd, { recursive: true }));

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** @param server answers what the command asks; without it no bot can be asked */
async function run(line: string, server?: GoldenServer, running?: () => RunningBot): Promise<Ran> {
  const bot: Bot | undefined = server && {
    fetch: async (request) => server.server.app.fetch(request),
    listen: async () => ({ url: server.url }),
    isolation: async () => ({}),
    settled: async () => undefined,
    close: async () => undefined,
  };
  const now = server?.tick() ?? 0;
  const { code, out, err } = runKnack(argumentsOf(line), {
    cwd,
    ...(bot === undefined ? {} : { bot }),
    ...(running === undefined ? {} : { running }),
    now: () => now,
  });
  return { code: await code, out: out.text(), err: err.text() };
}

function argumentsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Events of which not all are seen: they are not stored, and come while a reader begins. */
const unstored = /^\{"type":"(text_delta|text_reset|tool_progress|reasoning_delta|tool_call_delta)".*\n/gm;

/** The time zone of this machine, as a client sends it along. */
const zone = `"time_zone":${JSON.stringify(new Intl.DateTimeFormat().resolvedOptions().timeZone)}`;

function described(line: string, { code, out, err }: Ran): string {
  const shown = line.endsWith("--help") ? withSortedCommands(out) : inOrder(out.replace(unstored, ""));
  const parts = [
    `$ knack ${line}`,
    `  exit code ${code}`,
    ...(shown === "" ? [] : [indented(shown.trimEnd())]),
    ...(err === "" ? [] : ["  on stderr:", indented(err.trimEnd())]),
  ];
  return withoutIds(
    `${parts.join("\n")}\n`.replaceAll(cwd, "<folder>").replaceAll(zone, '"time_zone":"<zone>"'),
  );
}

/** A text that is one JSON value, with sorted keys; any other text as it is. */
function inOrder(out: string): string {
  const value = parsed(out);
  if (value === undefined) return out;
  return `${out.trimEnd().includes("\n") ? "(on several lines) " : ""}${pretty(value)}`;
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // It is a text for people.
    return undefined;
  }
}

/** Help with the commands of its last section in alphabetical order: their order is no promise. */
function withSortedCommands(help: string): string {
  const [before = "", commands] = help.split("\nCommands:\n");
  if (commands === undefined) return help;
  const entries = commands.trimEnd().split(/\n(?= {2}\S)/);
  return `${before}\nCommands:\n${entries.sort().join("\n")}`;
}

/** What a refusal of these commands may say beside the recorded members. */
function withoutAcceptedCode(line: string, ran: Ran): Ran {
  if (!/^(skills info|runs show) .*--json$/.test(line)) return ran;
  return { ...ran, out: ran.out.replace(/^(\{"error":.*),"code":"[^"]*"\}$/m, "$1}") };
}

it("the help of every command is unchanged", async () => {
  const records: string[] = [];
  for (const command of helped) {
    const line = `${command} --help`.trim();
    records.push(described(line, await run(line)));
  }
  await expectGolden("cli/help.txt", records.join("\n"));
});

it("commands that need no bot, and wrong usage, are answered as before", async () => {
  const records: string[] = [];
  for (const line of linesWithoutBot) records.push(described(line, await run(line)));
  await expectGolden("cli/without-bot.txt", records.join("\n"));
});

it("a bot that does not answer is reported as before", async () => {
  const running = () => ({ running: true, holder: { url: "http://127.0.0.1:9", pid: 1 } }) as const;
  const records: string[] = [];
  for (const line of ["skills list", "skills list --json", "ask hello", "command /help --json", "runs list"])
    records.push(described(line, await run(line, undefined, running)));
  await expectGolden("cli/no-answer.txt", records.join("\n"));
});

it.each(Object.keys(linesWithBot))("the commands of %s answer as before", async (name) => {
  const server = await startGoldenServer();
  const records: string[] = [];
  for (const line of (linesWithBot[name] ?? []).flatMap(withAndWithoutJson)) {
    const [turn] = await server.test.app.turns({ limit: 1 });
    const ran = await run(line.replace("{turn}", turn?.turn_id ?? "none").replace("{folder}", cwd), server);
    records.push(described(line, withoutAcceptedCode(line, ran)));
  }
  expect(server.test.errors).toEqual([]);
  await expectGolden(`cli/${name.replaceAll(" ", "-")}.txt`, records.join("\n"));
});

function withAndWithoutJson(line: string): string[] {
  const plain = line.replace(/ \[--json\]$/, "");
  return plain === line ? [line] : [plain, `${plain} --json`];
}
