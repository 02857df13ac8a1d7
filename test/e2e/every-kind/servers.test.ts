import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BotProcess } from "../../support/bot/bot-process.ts";
import { freePort } from "../../support/bot/free-port.ts";
import { referenceServer, testServer } from "../../support/skills/mcp-bench.ts";
import { place, useEveryKind } from "../support/every-kind-bot.ts";
import { familyOf } from "../support/process-family.ts";
import { eventsOf, until } from "../support/turns.ts";

const kinds = useEveryKind();
const stops: (() => void)[] = [];
let http = "";
let sse = "";

beforeAll(async () => {
  [http, sse] = await Promise.all([listen("streamableHttp"), listen("sse")]);
});
afterAll(() => {
  for (const stop of stops) stop();
});

/** Starts server-everything with an HTTP transport; resolves with its origin. */
async function listen(transport: string): Promise<string> {
  const port = await freePort();
  const { command, args } = referenceServer("everything", transport);
  const child = spawn(command, args, { env: { ...process.env, PORT: String(port) } });
  stops.push(() => child.kill());
  child.stdout.resume();
  for await (const line of createInterface({ input: child.stderr })) if (line.includes(`port ${port}`)) break;
  child.stderr.resume();
  return `http://127.0.0.1:${port}`;
}

const writeServers = (servers: Record<string, unknown>) =>
  kinds().home.write("config/mcp.json", JSON.stringify({ mcpServers: servers }));

/** A bot with these servers, all enabled in the channel. */
async function botWith(servers: Record<string, unknown>): Promise<BotProcess> {
  await writeServers(servers);
  const bot = await kinds().home.start();
  await enable(bot, Object.keys(servers));
  return bot;
}

async function enable({ client }: BotProcess, names: readonly string[]): Promise<void> {
  for (const name of names) {
    expect(await client.call("server.control", { name: name, action: "start" })).toMatchObject({
      state: "running",
    });
    const server = (await client.call("server.list", {})).servers.find((each) => each.name === name);
    const tools = server?.tools.map((tool) => ({ name: tool.name, definition: tool.definition ?? "" })) ?? [];
    await client.call("server.trust", { name: name, tools: tools });
    await client.call("skill.set", { ns: place.namespace, id: `mcp_${name}`, state: "pinned" });
  }
}

describe("the reference servers", () => {
  it("the reference servers are called by the agent over every transport, show progress, and their pictures are files", async () => {
    const { home, submit, over, say } = kinds();
    await home.write("files/hello.txt", "good morning");
    const bot = await botWith({
      everything: referenceServer("everything", "stdio"),
      http: { type: "streamable-http", url: `${http}/mcp` },
      sse: { type: "sse", url: `${sse}/sse` },
      filesystem: referenceServer("filesystem", join(home.folder, "files")),
      memory: { ...referenceServer("memory"), env: { MEMORY_FILE_PATH: join(home.folder, "memory.jsonl") } },
    });
    for (const name of ["everything", "http", "sse"]) {
      const turn = await submit(bot, `work with ${name}`, [
        { call: `${name}__trigger-long-running-operation`, with: { duration: 0.4, steps: 4 } },
        { call: `${name}__get-tiny-image`, with: {} },
        { call: `${name}__echo`, with: { message: `hi ${name}` } },
      ]);
      expect(await until(bot.client, turn, "tool_progress")).toMatchObject({ total: 4 });
      const { text, events } = await over(bot, turn);
      expect(text).toBe(`done: Echo: hi ${name}`);
      const [picture, ...more] = eventsOf(events, "file");
      expect([picture?.media_type, more]).toEqual(["image/png", []]);
      const bytes = Buffer.from(await (await bot.client.file(picture?.url ?? "")).arrayBuffer());
      expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    }
    const path = join(home.folder, "files/hello.txt");
    const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
    const { text, events } = await say(bot, "read and remember", [
      { call: "filesystem__read_text_file", with: { path } },
      { call: "memory__create_entities", with: { entities } },
      { call: "memory__search_nodes", with: { query: "tea" } },
    ]);
    expect(text).toContain("likes tea");
    const finished = eventsOf(events, "tool_finished");
    expect(finished.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(JSON.stringify(finished[0]?.output)).toContain("good morning");
    expect(await readFile(join(home.folder, "memory.jsonl"), "utf8")).toContain("likes tea");
    expect(await bot.terminate()).toBe(0);
  });
});

describe("a server that fails", () => {
  it("a server that fails in a call is an error the model reads, and the next call works", async () => {
    const { submit, over, say } = kinds();
    const bot = await botWith({ test: testServer });
    const turn = await submit(bot, "hang", [{ call: "test__hang", with: {} }]);
    await until(bot.client, turn, "tool_started");
    const server = (await familyOf(bot.pid)).find(({ command }) => command.includes("mcp-server-process"));
    process.kill(server?.id ?? 0, "SIGKILL");
    const { events } = await over(bot, turn);
    expect(eventsOf(events, "tool_finished")).toMatchObject([{ status: "error" }]);
    const again = await say(bot, "once more", [{ call: "test__echo", with: { text: "alive" } }]);
    expect(again.text).toBe("done: alive");
  });

  it("a server that fails hides no others, and an edited file counts for the next message", async () => {
    const { home, say } = kinds();
    const dead = { type: "http", url: `http://127.0.0.1:${await freePort()}/mcp` };
    await writeServers({ dead, test: testServer });
    const bot = await home.start();
    await enable(bot, ["test"]);
    expect((await say(bot, "first", [{ call: "test__echo", with: { text: "one" } }])).text).toBe("done: one");
    // It is tried in the background, a moment after the bot has started.
    const reasons = async () => {
      const { skills } = await bot.client.call("skill.list", { namespace: place.namespace });
      return skills.find(({ id }) => id === "mcp_dead")?.reasons.join(" ");
    };
    await expect.poll(reasons, { timeout: 30_000 }).toContain("cannot be reached");

    await writeServers({ second: testServer, dead });
    // A list that is asked for at once knows the server; nobody has to write a message first.
    expect((await bot.client.call("server.list", {})).servers.map(({ name }) => name).sort()).toEqual([
      "dead",
      "second",
    ]);
    await enable(bot, ["second"]);
    expect((await say(bot, "next", [{ call: "second__echo", with: { text: "two" } }])).text).toBe(
      "done: two",
    );
    // Servers of this protocol take tools only in the list before everything: it stays, and the model is told what is gone.
    expect(kinds().model.askedOf("next").at(-1)?.body).toMatch(
      /Tools that are gone, do not call them:[^"]*test__echo/,
    );

    // A file that is broken for a moment leaves the servers as they were.
    await writeFile(join(home.folder, "config/mcp.json"), '{ "mcpServers": {');
    const broken = await say(bot, "while it is broken", [{ call: "second__echo", with: { text: "three" } }]);
    expect(broken.text).toBe("done: three");
  });
});
