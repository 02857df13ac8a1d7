import { createHash } from "node:crypto";
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { errorText } from "../base/error-text.ts";
import { oneLine } from "../base/markdown-text.ts";
import type { Clock } from "../core/ports/storage.ts";
import { type ErrorResult, failure } from "../core/skill/tool.ts";
import type { Json } from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";
import { errorInWords, taskMember } from "./server-message.ts";

/** The extension by which a server answers a call with a task: the call goes on there, whatever becomes of the bot. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Minimum, default and maximum of the interval at which a server is asked about a task, ms. */
const pollMs = { least: 100, usual: 2_000, most: 60_000 };

const record = z.record(z.string(), z.unknown());
const optional = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** A task as a server describes it: untrusted. A status of no known kind counts as work. */
const taskSchema = z.object({
  taskId: z.string().min(1).max(1_000),
  status: z.string().catch("working"),
  statusMessage: optional(z.string()),
  pollIntervalMs: optional(z.number()),
  inputRequests: record.catch({}),
  result: optional(record),
  error: z.unknown().optional(),
});
type Task = z.infer<typeof taskSchema>;

/** The task in an answer to a call; undefined if it is a result. */
export function taskIn(answer: Record<string, unknown>): Task | undefined {
  return taskSchema.safeParse(answer[taskMember]).data;
}

/** A task ended without a result; `result` says why. */
export class TaskEnded extends Error {
  readonly code = "task_ended";
  readonly result: ErrorResult;
  constructor(result: ErrorResult) {
    super(result.message);
    this.result = result;
  }
}

export interface FollowedTask {
  client: Client;
  clock: Clock;
  tool: string;
  task: Pick<Task, "taskId" | "pollIntervalMs">;
  request: { signal: AbortSignal; timeout: number };
  /** Hides the secrets that the server was given. */
  redact: Redact;
  /** Shows a new line of its status. */
  tell(note: string): void;
  /** Pauses the limit of silence until the returned function is called. */
  pause(): () => void;
  /** Answers a request of the server; the key identifies it in the call. Rejects if it is refused. */
  answer(request: Record<string, unknown>, key: string): Promise<unknown>;
}

/**
 * Follows a task to its end, answers what it asks, and returns its result.
 * @throws TaskEnded, or as a call does; then it can be followed again
 */
export async function followTask(followed: FollowedTask): Promise<Record<string, unknown>> {
  const { clock, pause, request, task, tell } = followed;
  const answered = new Set<string>();
  let told = "";
  for (let wait = task.pollIntervalMs; ; ) {
    const goOn = pause();
    await clock.sleep(pollDelay(wait), request.signal).finally(goOn);
    const now = taskSchema.parse({ taskId: task.taskId, ...(await ask(followed, "tasks/get")) });
    const note = noteOf(now);
    if (note !== "" && note !== told) tell(note);
    told = note;
    const ended = resultOf(now, followed);
    if (ended !== undefined) return ended;
    for (const [key, asked] of Object.entries(now.inputRequests)) {
      if (answered.has(key)) continue;
      const inputResponses = { [key]: await answerTo(followed, asked, key) };
      await ask(followed, "tasks/update", { inputResponses });
      answered.add(key);
    }
    wait = now.pollIntervalMs;
  }
}

function noteOf({ statusMessage = "" }: Task): string {
  return oneLine(statusMessage, 200);
}

/** Undefined while the task goes on. @throws TaskEnded */
function resultOf(task: Task, followed: FollowedTask): Record<string, unknown> | undefined {
  if (task.status === "completed") return task.result ?? {};
  if (task.status === "failed") throw new TaskEnded(failedTask(task, followed));
  if (task.status !== "cancelled") return undefined;
  const said = `The server cancelled ${followed.tool}${noteOf(task) === "" ? "" : `: ${noteOf(task)}`}`;
  const message = `${said.replace(/\.$/, "")}. What it had done by then stays done.`;
  throw new TaskEnded(failure("task_cancelled", message));
}

/** Has the server end a task. */
export async function cancelTask(followed: Pick<FollowedTask, "client" | "request">, taskId: string) {
  await followed.client.request({ method: "tasks/cancel", params: { taskId } }, record, followed.request);
}

async function ask(
  { client, request, task, tool }: FollowedTask,
  method: string,
  more: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  try {
    return await client.request({ method, params: { taskId: task.taskId, ...more } }, record, request);
  } catch (error) {
    const { ProtocolError, ProtocolErrorCode } = await import("@modelcontextprotocol/client");
    if (!(error instanceof ProtocolError) || error.code === ProtocolErrorCode.InternalError) throw error;
    const message = `The server no longer knows the task of ${tool}: ${oneLine(error.message, 300)}. Whether it took effect is not known.`;
    throw new TaskEnded(failure("task_lost", message, "Check what was done before you try again."));
  }
}

/** The protocol has no answer that refuses a request, so a task that cannot get one is given up. */
async function answerTo(followed: FollowedTask, asked: unknown, key: string): Promise<Json> {
  const { answer, request, tool, task } = followed;
  // A server chooses its keys as it likes.
  const ownKey = `task-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
  try {
    return (await answer(record.parse(asked), ownKey)) as Json;
  } catch (error) {
    request.signal.throwIfAborted();
    await cancelTask(followed, task.taskId).catch(() => undefined);
    const message = `${tool} was cancelled, because a request of its server was refused: ${errorText(error)}`;
    throw new TaskEnded(failure("refused", message, "What it had done by then stays done."));
  }
}

function failedTask({ error, statusMessage }: Task, { redact, tool }: FollowedTask): ErrorResult {
  const said = z.object({ message: z.string(), data: z.unknown().optional() }).safeParse(error).data;
  const message = said?.message ?? statusMessage ?? `${tool} failed without saying why.`;
  return failure("tool_failed", errorInWords({ message, data: said?.data }, redact));
}

function pollDelay(wanted: number | undefined): number {
  return Math.min(Math.max(wanted ?? pollMs.usual, pollMs.least), pollMs.most);
}
