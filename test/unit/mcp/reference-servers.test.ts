import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NewFile } from "../../../src/core/ports/storage.ts";
import { freePort } from "../../support/bot/free-port.ts";
import { type McpBench, openBench, referenceServer } from "../../support/skills/mcp-bench.ts";

const ok = (output: unknown) => ({ status: "ok", output });

describe("the reference servers", () => {
  let bench: McpBench;
  let folder: string;
  const stops: (() => void)[] = [];

  /** Starts server-everything with an HTTP transport; resolves with its origin. */
  async function listen(transport: string): Promise<string> {
    const port = await freePort();
    const { command, args } = referenceServer("everything", transport);
    const child = spawn(command, args, { env: { ...process.env, PORT: String(port) } });
    stops.push(() => child.kill());
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes(`port ${port}`)) break;
    }
    child.stdout.resume();
    return `http://127.0.0.1:${port}`;
  }

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "knack-files-")));
    await writeFile(join(folder, "hello.txt"), "good morning");
    const [http, sse] = await Promise.all([listen("streamableHttp"), listen("sse")]);
    bench = await openBench({
      everything: referenceServer("everything", "stdio"),
      filesystem: referenceServer("filesystem", folder),
      memory: { ...referenceServer("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
      http: { type: "streamable-http", url: `${http}/mcp` },
      sse: { type: "sse", url: `${sse}/sse` },
      // No type: Streamable HTTP is refused, so it must be older.
      older: { url: `${sse}/sse` },
    });
    bench.start();
    await bench.source.load();
    await Promise.all(bench.servers.list().map(({ name }) => bench.until(name, "running")));
  });
  afterAll(async () => {
    await bench.close();
    for (const stop of stops) stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("the reference servers all run, each over its transport", () => {
    const running = bench.servers.list().map(({ name, state, transport }) => [name, state, transport]);
    expect(running).toEqual([
      ["everything", "running", "stdio"],
      ["filesystem", "running", "stdio"],
      ["memory", "running", "stdio"],
      ["http", "running", "http"],
      ["sse", "running", "sse"],
      ["older", "running", "sse"],
    ]);
  });

  it.each(["everything", "http", "sse", "older"])(
    "the reference server %s answers, shows progress and hands over pictures",
    async (name) => {
      expect(await bench.call(name, "echo", { message: "hi" })).toEqual(ok("Echo: hi"));
      expect(await bench.call(name, "get-structured-content", { location: "Chicago" })).toMatchObject(
        ok({ temperature: expect.any(Number) }),
      );
      const files: NewFile[] = [];
      await bench.call(name, "get-tiny-image", {}, { file: async (file) => String(files.push(file)) });
      expect(files.map(({ media_type }) => media_type)).toEqual(["image/png"]);
      const notes: unknown[] = [];
      const progress = (...note: unknown[]) => void notes.push(note);
      const input = { duration: 0.2, steps: 4 };
      await bench.call(name, "trigger-long-running-operation", input, { progress });
      expect(notes).toContainEqual(["Working", 1, 4]);
    },
  );

  it("the reference server filesystem reads only in its folder, and says that it overwrites", async () => {
    const read = (path: string) => bench.call("filesystem", "read_text_file", { path });
    expect(await read(join(folder, "hello.txt"))).toMatchObject(ok({ content: "good morning" }));
    expect(await read("/etc/passwd")).toMatchObject({ status: "error", code: "tool_failed" });
    expect((await bench.tool("filesystem", "write_file")).server?.hints).toMatchObject({ destructive: true });
    expect((await bench.tool("filesystem", "read_text_file")).effect({})).toBe("read_only");
  });

  it("the reference server memory keeps what it was told", async () => {
    const entities = [{ name: "Ada", entityType: "person", observations: ["likes tea"] }];
    await bench.call("memory", "create_entities", { entities });
    const found = await bench.call("memory", "search_nodes", { query: "tea" });
    expect(found).toMatchObject(ok({ entities }));
  });

  it("the reference servers leave no errors behind", () => expect(bench.errors).toEqual([]));
});
