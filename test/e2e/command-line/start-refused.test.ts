import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { turnLogFormat } from "../../../src/storage/sqlite/turn-log-schema.ts";
import { type BotHome, createBotHome } from "../../support/bot/bot-process.ts";

let home: BotHome;
beforeEach(async () => {
  home = await createBotHome({ env: { KNACK_MODEL: "offline" } });
});
afterEach(() => home.remove());

/** A start that fails in words: no stack trace, nothing on the standard output. */
async function refusal(options: { env?: Record<string, string>; argv?: string[] } = {}): Promise<string> {
  const { env = {}, argv = [] } = options;
  const { code, stdout, stderr } = await home.run(["start", "--port", "0", ...argv], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^knack: /);
  expect(stderr).not.toMatch(/^\s+at /m);
  return stderr;
}

it("a refused start says who holds the data folder and what to do, and does not disturb that bot", async () => {
  const first = await home.start();
  const message = await refusal();
  expect(message).toContain(first.url);
  expect(message).toContain(String(first.pid));
  expect(message).toContain(home.data);
  expect(message).toContain("KNACK_DATA");
  expect((await first.client.ready()).ok).toBe(true);
});

it("only one of two bots that start at the same moment has the data folder", async () => {
  const starts = await Promise.allSettled([home.start(), home.start()]);
  const refused = starts.filter((start) => start.status === "rejected");
  expect(refused).toHaveLength(1);
  expect(String(refused[0]?.reason)).toContain("KNACK_DATA");
});

it("a refused start says that a port is taken and how to choose another", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  try {
    const message = await refusal({ argv: ["--port", String(port)] });
    expect(message).toContain(String(port));
    expect(message).toContain("--port");
  } finally {
    other.close();
  }
});

it("a bot does not start where a slip in a setting would leave it open", async () => {
  await home.write(
    "knack.yaml",
    "skills: {rights: {memori: {roles: [boss]}}, disabled: [memori], denied: [wether], opt_in: [shedule]}\n",
  );
  const message = await refusal();
  expect(message).toContain("skills.rights: protects nothing");
  for (const setting of ["disabled", "denied", "opt_in"])
    expect(message).toContain(`skills.${setting}: has no effect`);
  expect(message).toContain("Did you mean memory?");
});

it("a refused start says that a database is damaged and does not touch it, and the bot starts once it is out of the way", async () => {
  await mkdir(home.data);
  const file = join(home.data, "turns.db");
  const bytes = Buffer.alloc(8192, "not a database ");
  await writeFile(file, bytes);
  const message = await refusal();
  expect(message).toContain(file);
  expect(message).toContain("damaged");
  expect(message).toContain("backup");
  expect((await readFile(file)).equals(bytes)).toBe(true);
  await writeFile(file, "");
  const { client } = await home.start();
  expect((await client.ready()).ok).toBe(true);
});

it("a refused start says that the data folder cannot be written", async () => {
  await mkdir(home.data, { mode: 0o500 });
  // Root may write anywhere but where nobody can: into the kernel's own tree.
  const folder = process.getuid?.() === 0 ? "/sys/knack" : home.data;
  const message = await refusal({ env: { KNACK_DATA: folder } });
  expect(message).toContain(folder);
  expect(message).toContain("may write");
});

it("a start is refused for an address that others reach without a token", async () => {
  const message = await refusal({ argv: ["--host", "0.0.0.0"] });
  expect(message).toContain("KNACK_API_TOKEN");
});

it("a start names a setting whose skill is gone, and a database of another format with the copy that can be read", async () => {
  await home.write("knack.yaml", "skills: { env: { translator: { KEY: value } } }");
  await mkdir(home.data);
  const file = join(home.data, "turns.db");
  const write = (statements: string) => {
    const database = new DatabaseSync(file);
    database.exec(statements);
    database.close();
  };
  const running = await home.start({ env: { LOG_LEVEL: "info" } });
  expect(running.err()).toContain("there is no skill translator");
  expect(await running.terminate()).toBe(0);
  write("PRAGMA user_version = 99");
  const { number } = turnLogFormat;
  await home.write(`data/turns.db.v${number}`, "");
  const message = await refusal();
  expect(message).toContain(`has format 99, and this version of Knack reads ${number}`);
  expect(message).toContain(`A copy from before the upgrade is at ${file}.v${number} (format ${number})`);
});
