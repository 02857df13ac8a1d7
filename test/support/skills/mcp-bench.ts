import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyValue, NewFile } from "../../../src/core/ports/storage.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { createMcpServers, type McpServers, type McpServersOptions } from "../../../src/mcp/mcp-servers.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";

/** The server of this folder. */
export const testServer = {
  command: process.execPath,
  args: [new URL("./mcp-server-process.ts", import.meta.url).pathname],
};

/** A reference server from npm, on stdio. */
export const referenceServer = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [
    new URL(`../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url)
      .pathname,
    ...args,
  ],
});

/** Configured servers with a folder for their file. */
export interface McpBench extends McpServers, AsyncDisposable {
  folder: string;
  store: KeyValue;
  /** Unexpected errors. */
  errors: unknown[];
  write(servers: Record<string, unknown> | string | Buffer): Promise<void>;
  skill(id: string): Promise<Skill>;
  tool(server: string, name: string): Promise<Tool>;
  call(server: string, name: string, input?: Json, more?: Partial<ToolContext>): Promise<ToolResult>;
  /** Waits until a server is in a state. */
  until(server: string, state: string): Promise<void>;
}

export async function openBench(
  servers: Record<string, unknown> | string,
  options: Partial<McpServersOptions> = {},
): Promise<McpBench> {
  const folder = await mkdtemp(join(tmpdir(), "knack-mcp-"));
  const file = join(folder, "mcp.json");
  const errors: unknown[] = [];
  const store = options.store ?? createMemoryKeyValue();
  const write = (next: Record<string, unknown> | string | Buffer) =>
    writeFile(
      file,
      typeof next === "string" || Buffer.isBuffer(next) ? next : JSON.stringify({ mcpServers: next }),
    );
  await write(servers);
  const mcp = createMcpServers({
    file,
    folder: join(folder, "homes"),
    environment: {},
    store,
    clock: systemClock,
    version: "0.0.0",
    connect_ms: 20_000,
    call_ms: 20_000,
    maxAttempts: 3,
    question_ms: 60_000,
    report: (error) => errors.push(error),
    ...options,
  });
  const skills = async () => new Map((await mcp.source.load()).skills.map((skill) => [skill.id, skill]));
  const skill = async (id: string) => found((await skills()).get(id), id);
  const tool = async (server: string, name: string) =>
    found((await skill(`mcp_${server}#${name}`)).tools[0], name);
  const close = async () => {
    await mcp.close();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    ...mcp,
    folder,
    store,
    errors,
    write,
    skill,
    tool,
    call: async (server, name, input = {}, more = {}) =>
      (await tool(server, name)).run(input, mcpContext(more)),
    async until(server, state) {
      for (;;) {
        if (mcp.servers.list().find(({ name }) => name === server)?.state === state) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`There is no ${what}.`);
  return value;
}

let calls = 0;

/** The part of a turn's context that a server's tool gets. */
function mcpContext(more: Partial<ToolContext> & { files?: NewFile[] } = {}): ToolContext {
  calls += 1;
  return {
    call_id: `call-${calls}`,
    turn_id: `turn-${calls}`,
    user: { id: "ada", name: "Ada", trust: "operator" },
    place: { namespace: "console:local:general", thread: "main" },
    signal: new AbortController().signal,
    progress: () => {},
    journalled: () => undefined,
    step: (_name: string, work: () => unknown) => work(),
    file: async (file: NewFile) => void more.files?.push(file),
    ...more,
  } as ToolContext;
}
