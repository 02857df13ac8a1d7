import { errorText } from "../base/error-text.ts";
import { failure, type ToolContext, type ToolResult } from "../core/skill/tool.ts";
import { createOutsideWork, type ParkedCalls } from "../core/turn/parked-calls.ts";
import type { Json } from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";
import { CallTimeout } from "./call-tool.ts";
import type { Connection } from "./connection.ts";
import type { Lane } from "./lane.ts";
import { isHttp, type ServerConfig } from "./server-config.ts";
import { causeCode, httpFailure, isForeign, ServerFailure, statusOf } from "./server-failure.ts";
import { lostAnswerCode, shortJson } from "./server-message.ts";

/** Maximum length of the details that a server adds to an error, characters. */
const maxData = 500;

export interface ServerCall {
  server: ServerConfig;
  tool: string;
  input: Json;
  context: ToolContext;
  timeout_ms: number;
  parked: ParkedCalls;
  redact: Redact;
}

/**
 * Calls a tool of a server, connecting first if needed. The call continues while its turn waits for a person. A failure is a result that
 * says whether the call may have taken effect.
 */
export function callServer(lane: Lane, call: ServerCall): Promise<ToolResult> {
  const { context, parked, redact, timeout_ms, tool, input } = call;
  return parked.run(context, (current) =>
    createOutsideWork(async (serve, signal) => {
      const { turn_id } = context;
      const once = async (isLast: boolean): Promise<ToolResult | "again"> => {
        const connection = await connectionOf(lane, call);
        if ("status" in connection) return connection;
        try {
          return await connection.call({ tool, input, turn_id, timeout_ms, current, serve, signal });
        } catch (error) {
          if (signal.aborted) throw error;
          return await endOfCall(error, isLast, lane, connection, call);
        }
      };
      const first = await once(false);
      const result = first === "again" ? await once(true) : first;
      return redact(result === "again" ? lost(call, "it forgot the session") : result);
    }),
  );
}

async function connectionOf(lane: Lane, { server }: ServerCall): Promise<Connection | ToolResult> {
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
  lane: Lane,
  connection: Connection,
  call: ServerCall,
): Promise<ToolResult | "again"> {
  const { server, tool } = call;
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

/** The result for an error that the server reported, with the details it added, such as a retry delay or a cause. */
function refused(
  { code, message, data }: { code: number; message: string; data?: unknown },
  call: ServerCall,
): ToolResult {
  if (code === lostAnswerCode) return brokenOff(call);
  // Redacted before it is cut: half a secret would not be recognized.
  const more = data === undefined || data === null ? "" : shortJson(call.redact(data), maxData);
  return failure("tool_failed", more === "" ? message : `${message} (${more})`);
}

function brokenAnswer(error: unknown, { tool }: ServerCall): ToolResult {
  const reason = isForeign(error) ? "is not what a tool server says" : `cannot be read: ${errorText(error)}`;
  const said = `${tool} was called, but its answer ${reason.slice(0, 500)}`.replace(/\.$/, "");
  return failure("invalid_answer", `${said}. Whether it took effect is not known.`, checkFirst);
}

const checkFirst = "Check what was done before you try again.";

function brokenOff({ server, tool }: ServerCall): ToolResult {
  const message = `The answer of the server ${server.name} to ${tool} broke off before the result. Whether it took effect is not known.`;
  return failure("server_lost", message, checkFirst);
}

function lost({ server, tool }: ServerCall, why: string): ToolResult {
  const message = `The server ${server.name} was lost while ${tool} ran: ${why} Whether it took effect is not known.`;
  return failure("server_lost", message, `The server is started again. ${checkFirst}`);
}

function unavailable({ name }: ServerConfig, why: string): ToolResult {
  const message = `The server ${name} cannot be used now: ${why}`;
  return failure("server_unavailable", message, "Go on without it and tell the person why.");
}

function needsLogin({ name, credentials }: ServerConfig): ToolResult {
  const who = credentials === "shared" ? "An operator connects" : "The person connects";
  const other = " If they mention (@name) who lends them an account, that person is asked.";
  const hint = `Tell the person: ${who.toLowerCase()} an account with the command /mcp login ${name}.${credentials === "shared" ? "" : other}`;
  return failure("needs_login", `The server ${name} needs an account that is not connected.`, hint);
}
