/** A server that speaks only MCP 2026-07-28: node mcp-modern-server.ts on stdio, `createModernServer` elsewhere. */
import {
  acceptedContent,
  inputRequired,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

/** A task as `tasks/get` returns it. */
interface TestTask {
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  inputRequests?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
}

/** The tasks of a server, which outlive its sessions. Tests change them as the work would. */
export class TestTasks {
  readonly all = new Map<string, TestTask>();
  /** What clients sent: `create`, then methods with the id of the task and the answers. */
  readonly asked: unknown[][] = [];
  readonly #waiting: { method: string; resolve: () => void }[] = [];

  /** Resolves when a method is asked for the next time. */
  next(method: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ method, resolve }));
  }

  change(to: TestTask): void {
    for (const id of this.all.keys()) this.all.set(id, to);
  }

  create(): string {
    const id = `task-${this.all.size + 1}`;
    this.all.set(id, { status: "working", statusMessage: "0 %" });
    this.note("create");
    return id;
  }

  note(method: string, ...more: unknown[]): void {
    this.asked.push([method, ...more]);
    for (const waiting of this.#waiting.splice(0))
      if (waiting.method === method) waiting.resolve();
      else this.#waiting.push(waiting);
  }

  find(id: string): TestTask {
    const task = this.all.get(id);
    if (task === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task has expired");
    return task;
  }
}

const tasksExtension = "io.modelcontextprotocol/tasks";

/** Has a server answer its tool `long` with a task. */
function offerTasks(server: McpServer, tasks: TestTasks): void {
  const seen = (taskId: string) => ({
    ...{ taskId, ttlMs: null, pollIntervalMs: 1, ...tasks.find(taskId) },
    createdAt: "2026-11-01T00:00:00Z",
    lastUpdatedAt: "2026-11-01T00:00:00Z",
  });
  server.registerTool("long", {}, () => ({ resultType: "task", ...seen(tasks.create()) }) as never);
  const id = z.looseObject({ taskId: z.string() });
  const { server: inner } = server;
  inner.setRequestHandler("tasks/get", { params: id }, ({ taskId }) => {
    tasks.note("tasks/get");
    return seen(taskId);
  });
  inner.setRequestHandler("tasks/update", { params: id }, ({ taskId }, { mcpReq }) => {
    tasks.find(taskId);
    tasks.note("tasks/update", taskId, mcpReq.inputResponses);
    return {};
  });
  inner.setRequestHandler("tasks/cancel", { params: id }, ({ taskId }) => {
    tasks.all.set(taskId, { status: "cancelled" });
    tasks.note("tasks/cancel", taskId);
    return {};
  });
}

export function createModernServer(tasks = new TestTasks(), skills?: SkillsExtension): McpServer {
  const server = new McpServer(
    { name: "modern", version: "3.0.0" },
    {
      instructions: "Use greet.",
      capabilities: { tools: { listChanged: true }, extensions: { [tasksExtension]: {} } },
    },
  );
  offerTasks(server, tasks);
  skills?.attach(server);
  server.registerTool("greet", { inputSchema: z.object({ name: z.string() }) }, ({ name }) =>
    text(`Hello ${name}`),
  );
  server.registerTool("more", {}, () => {
    server.registerTool("added", {}, () => text("added"));
    return text("more");
  });
  server.registerTool("work", {}, async ({ mcpReq }: ServerContext) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    const params = { progressToken, progress: 1, total: 2, message: "half" };
    await mcpReq.notify({ method: "notifications/progress", params });
    return text("done");
  });
  server.registerTool("ask", {}, ({ mcpReq }: ServerContext) => {
    const said = acceptedContent<{ name: string }>(mcpReq.inputResponses, "who");
    if (said !== undefined) return text(`You are ${said.name}`);
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    const who = inputRequired.elicit({ message: "Your name?", requestedSchema });
    return inputRequired({ inputRequests: { who } });
  });
  server.registerTool("silent", {}, () => new Promise<never>(() => {}));
  return server;
}

if (process.argv[1] === import.meta.filename) {
  // Written once per process, so that a test can count them.
  process.stderr.write("started\n");
  serveStdio(() => createModernServer(), { legacy: "reject" });
}
