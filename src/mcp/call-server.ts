import { errorText } from "../base/error-text.ts";
import type { Clock } from "../core/ports/storage.ts";
import { type ErrorResult, failure, type ToolContext, type ToolResult } from "../core/skill/tool.ts";
import { createOutsideWork, type ParkedCalls } from "../core/turn/parked-calls.ts";
import { WorkEnded } from "../core/values/failure.ts";
import type { Json } from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";
import { CallTimeout, type ToolCall } from "./call-tool.ts";
import type { Connection } from "./connection.ts";
import { TaskEnded } from "./follow-task.ts";
import type { Lane } from "./lane.ts";
import { isHttp, type ServerConfig } from "./server-config.ts";
import { causeCode, httpFailure, isForeign, ServerFailure, statusOf } from "./server-failure.ts";
import { errorInWords, lostAnswerCode } from "./server-message.ts";

/** How often a call whose task goes on is continued on another connection, and the delay before each, ms. */
const maxReturns = 60;
const returnMs = 1_000;

/** The step by which a call goes on as a task at its server; its result is the id of the task. */
export const taskStep = "task";

export interface ServerCall {
  server: ServerConfig;
  tool: string;
  input: Json;
  context: ToolContext;
  timeout_ms: number;
  clock: Clock;
  parked: ParkedCalls;
  redact: Redact;
}

/**
 * Calls a tool of a server, connecting first if needed. The call continues while its turn waits for a person. A failure is a result that
 * says whether the call may have taken effect. A call that is a task at the server is followed to its end there, also by a later run of the
 * call; it is cancelled there if its turn is stopped.
 */
export function callServer(lane: Lane, call: ServerCall): Promise<ToolResult> {
  const { context, parked, redact } = call;
  return parked.run(context, (current) =>
    createOutsideWork(async (serve, signal) => {
      const known = context.journalled(taskStep);
      const task = typeof known === "string" ? known : undefined;
      const running: RunningCall = { ...call, lane, current, serve, signal, task };
      try {
        return redact(await callToEnd(running));
      } finally {
        if (signal.reason instanceof WorkEnded) await cancelAtServer(running);
      }
    }),
  );
}

interface RunningCall extends ServerCall, Pick<ToolCall, "current" | "serve" | "signal"> {
  lane: Lane;
  /** The task that the call has become at the server. */
  task: string | undefined;
}

async function callToEnd(running: RunningCall): Promise<ToolResult> {
  const { signal, clock } = running;
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    const isLast = tries > (running.task === undefined ? 1 : maxReturns);
    const result = await callOnce(running, isLast);
    if (result !== "again") return result;
    if (running.task !== undefined) await clock.sleep(returnMs, signal);
  }
}

async function callOnce(running: RunningCall, isLast: boolean): Promise<ToolResult | "again"> {
  const { context, timeout_ms, tool, input, current, serve, signal, task } = running;
  const connection = await connectionOf(running);
  if ("status" in connection) {
    const isAway = task !== undefined && connection.code === "server_unavailable";
    return isAway && !isLast ? "again" : connection;
  }
  const onTask = async (id: string) => {
    running.task = id;
    await serve((now) => now.step(taskStep, () => id));
  };
  try {
    const { turn_id } = context;
    return await connection.call({ tool, input, turn_id, timeout_ms, onTask, current, serve, signal, task });
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof TaskEnded) return error.result;
    const result = await endOfCall(error, isLast, connection, running);
    const isOver =
      isLast || running.task === undefined || result === "again" || result.code === "needs_login";
    return isOver ? result : "again";
  }
}

/** Whoever stopped the turn is not told if the server cannot be reached. */
async function cancelAtServer({ lane, task }: RunningCall): Promise<void> {
  if (task === undefined) return;
  const connecting = lane.connection();
  await connecting.then((connection) => connection.cancelTask(task)).catch(() => undefined);
}

async function connectionOf({ lane, server }: RunningCall): Promise<Connection | ErrorResult> {
  try {
    return await lane.connection();
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    return error.code === "needs_login" ? needsLogin(server) : unavailable(server, error.message);
  }
}

async function endOfCall(
  error: unknown,
  isLast: boolean,
  connection: Connection,
  call: RunningCall,
): Promise<ErrorResult | "again"> {
  const { lane, server, tool } = call;
  if (error instanceof CallTimeout) {
    if (!(await connection.answers(call.timeout_ms))) await lane.lose(connection, "it hung and was stopped");
    const message = `${tool} was given up. ${error.message} Whether it took effect is not known.`;
    return failure("timed_out", message);
  }
  const { ProtocolError, SdkError, SdkErrorCode } = await import("@modelcontextprotocol/client");
  if (error instanceof ProtocolError) return refused(error, call);
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return lost(call, lane.state().problem ?? "it ended");
  }
  // A server that no longer knows the session answers 404, some 400, before it reads the request: it did nothing.
  if (connection.hasSession() && [400, 404].includes(statusOf(error) ?? 0) && !isLast) {
    await lane.lose(connection, "it forgot the session");
    await lane.start();
    return "again";
  }
  if (!isHttp(server.target)) return brokenAnswer(error, call);
  const problem = await httpFailure(error, server.target.url, server.credentials !== "none");
  if (problem.code === "needs_login") {
    lane.lock(problem.message);
    return needsLogin(server);
  }
  if (statusOf(error) === undefined && causeCode(error) === undefined) return brokenAnswer(error, call);
  await lane.lose(connection, problem.message);
  return lost(call, problem.message);
}

/** The result for an error that the server reported. */
function refused(error: { code: number; message: string; data?: unknown }, call: ServerCall): ErrorResult {
  if (error.code === lostAnswerCode) return brokenOff(call);
  return failure("tool_failed", errorInWords(error, call.redact));
}

function brokenAnswer(error: unknown, { tool }: ServerCall): ErrorResult {
  const reason = isForeign(error) ? "is not what a tool server says" : `cannot be read: ${errorText(error)}`;
  const said = `${tool} was called, but its answer ${reason.slice(0, 500)}`.replace(/\.$/, "");
  return failure("invalid_answer", `${said}. Whether it took effect is not known.`, checkFirst);
}

const checkFirst = "Check what was done before you try again.";

function brokenOff({ server, tool }: ServerCall): ErrorResult {
  const message = `The answer of the server ${server.name} to ${tool} broke off before the result. Whether it took effect is not known.`;
  return failure("server_lost", message, checkFirst);
}

function lost({ server, tool }: ServerCall, why: string): ErrorResult {
  const message = `The server ${server.name} was lost while ${tool} ran: ${why} Whether it took effect is not known.`;
  return failure("server_lost", message, `The server is started again. ${checkFirst}`);
}

function unavailable({ name }: ServerConfig, why: string): ErrorResult {
  const message = `The server ${name} cannot be used now: ${why}`;
  return failure("server_unavailable", message, "Go on without it and tell the person why.");
}

function needsLogin({ name, credentials }: ServerConfig): ErrorResult {
  const who = credentials === "shared" ? "An operator connects" : "The person connects";
  const other = " If they mention (@name) who lends them an account, that person is asked.";
  const hint = `Tell the person: ${who.toLowerCase()} an account with the command /mcp login ${name}.${credentials === "shared" ? "" : other}`;
  return failure("needs_login", `The server ${name} needs an account that is not connected.`, hint);
}
