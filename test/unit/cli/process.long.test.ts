import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

const cli = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));

let cwd: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
  await rm(cwd, { recursive: true });
});

function knack(argv: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [cli, ...argv], { cwd, env: { PATH: process.env.PATH, ...env } });
  children.push(child);
  return child;
}

it("`knack` prints the whole of a long answer into a pipe", async () => {
  const child = knack(["config", "--json"]);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  expect(JSON.parse(output).settings.length).toBeGreaterThan(40);
});

it("`knack` does not mind a reader that goes away", async () => {
  const child = knack(["config"]);
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect([errors, code]).toEqual(["", 0]);
});

it("`knack start` starts, serves commands at the same time, and stops with exit 0 on SIGTERM", async () => {
  const bot = knack(["start", "--port", "0"]);
  const [line] = await once(bot.stdout, "data");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))?.[0] ?? "";
  expect((await fetch(`${url}/healthz`)).status).toBe(200);

  const list = knack(["skills", "list", "--json"]);
  expect(JSON.parse(await text(list.stdout)).skills).toEqual(expect.any(Array));
  const second = knack(["start", "--port", "0"]);
  const [message, [refused]] = await Promise.all([text(second.stderr), once(second, "exit")]);
  expect([refused, message]).toEqual([1, expect.stringContaining(url)]);

  bot.kill("SIGTERM");
  const [code] = await once(bot, "exit");
  expect(code).toBe(0);
});
