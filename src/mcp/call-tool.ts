import type { Client, Progress } from "@modelcontextprotocol/client";
import type { Clock } from "../core/ports/storage.ts";
import type { ToolContext, ToolResult } from "../core/skill/tool.ts";
import type { ServeTurn } from "../core/turn/parked-calls.ts";
import type { Json, JsonSchema } from "../core/values/json.ts";
import type { Redact } from "../core/values/redact.ts";
import { followTask, taskIn } from "./follow-task.ts";
import { taskMember } from "./server-message.ts";
import { toToolResult } from "./tool-result.ts";

/** Turns the SDK's own limit off, because the call continues while a person is asked. The maximum of Node's timers, ms. */
export const withoutLimit = 2_147_483_647;

/** Maximum progress reports of one call that are shown; a server may report as often as it likes. */
const maxNotes = 300;

/** A running call, as requests of the server see it. */
export interface ActiveCall {
  turn_id: string;
  /** Works with the turn while the call's timeout is paused. The key is unique in the call: the given one, or a number. */
  serve<T>(use: (context: ToolContext, key: string) => Promise<T>, key?: string): Promise<T>;
}

/** Answers a request that a task of a call makes. @throws if it is refused */
export type AnswerTask = (
  request: Record<string, unknown>,
  call: ActiveCall,
  key: string,
) => Promise<unknown>;

/** The session with a server in which a call is made. */
export interface CallSession {
  client: Client;
  clock: Clock;
  /** Hides the secrets that the server was given. */
  redact: Redact;
  /** Makes the request, so that requests the server sends during it find the call. */
  track<T>(call: ActiveCall, request: () => Promise<T>): Promise<T>;
  /** Answers the requests of its task. */
  answer: AnswerTask;
}

/** A call of a tool. */
export interface ToolCall {
  tool: string;
  input: Json;
  turn_id: string;
  /** Maximum silence, ms; progress and requests of the server restart it. */
  timeout_ms: number;
  /** The current context; undefined while the turn waits. */
  current(): ToolContext | undefined;
  /** The turn, as `createOutsideWork` gives it. */
  serve: ServeTurn;
  /** Aborted when the call is cancelled. */
  signal: AbortSignal;
  /** The task that the call has become at the server; a new call has none. */
  task: string | undefined;
  /** Is told the task before it is followed. */
  onTask(id: string): Promise<void>;
}

/** A server was silent for too long. */
export class CallTimeout extends Error {
  readonly code = "timed_out";
}

/**
 * One call of a tool, or what is left of it where it is a task.
 * @param schema of its arguments, as the server listed it
 * @throws CallTimeout, TaskEnded, or an error of the SDK
 */
export async function callTool(
  { client, clock, redact, track, answer: answerTask }: CallSession,
  { tool, input, turn_id, timeout_ms, current, serve, signal, task: known, onTask }: ToolCall,
  schema: JsonSchema | undefined,
): Promise<ToolResult> {
  const silence = watchSilence(clock, timeout_ms);
  const call: ActiveCall = { turn_id, serve: numbered(serve, silence.pause) };
  const params = { name: tool, arguments: input as { [key: string]: Json } };
  let told = 0;
  const onprogress = (progress: Partial<Progress>) => {
    silence.restart();
    told += 1;
    if (told <= maxNotes) tell(redact(progress), current());
  };
  const request = { signal: AbortSignal.any([signal, silence.signal]), timeout: withoutLimit };
  const begin = () =>
    client.callTool(params, {
      ...request,
      onprogress,
      // Only for the arguments that the server wants in headers as well.
      toolDefinition: { name: tool, inputSchema: { ...schema, type: "object" } },
    });
  try {
    const result = await track(call, async () => {
      const answer =
        known === undefined ? await begin() : { [taskMember]: { taskId: known, pollIntervalMs: 0 } };
      const task = taskIn(answer);
      if (task === undefined) return answer;
      if (known === undefined) await onTask(task.taskId);
      return followTask({
        ...{ client, clock, tool, task, request, redact, pause: silence.pause },
        tell: (message) => onprogress({ message }),
        answer: (asked, key) => answerTask(asked, call, key),
      });
    });
    silence.end();
    // Redacted before anything is cut: half a secret would not be recognized.
    return await serve((context) => toToolResult(redact(result), tool, context));
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    silence.end();
  }
}

function numbered(serveTurn: ServeTurn, pause: () => () => void): ActiveCall["serve"] {
  let requests = 0;
  return async (use, ownKey) => {
    if (ownKey === undefined) requests += 1;
    const key = ownKey ?? `request-${requests}`;
    const goOn = pause();
    try {
      return await serveTurn((context) => use(context, key));
    } finally {
      goOn();
    }
  };
}

function tell({ message, progress, total }: Partial<Progress>, context: ToolContext | undefined): void {
  const note = (message ?? "").replace(/\s+/g, " ").trim().slice(0, 200) || "Working";
  context?.progress(note, progress, total);
}

function watchSilence(clock: Clock, ms: number) {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new CallTimeout(`The server said nothing for ${Math.round(ms / 100) / 10} s.`));
  let paused = 0;
  let cancel = clock.after(ms, expire);
  const restart = () => {
    cancel();
    if (paused === 0) cancel = clock.after(ms, expire);
  };
  return {
    /** Aborted with `CallTimeout` when the server was silent for too long. */
    signal: controller.signal,
    restart,
    /** Pauses the timeout until the returned function is called. */
    pause() {
      paused += 1;
      cancel();
      return () => {
        paused -= 1;
        restart();
      };
    },
    end() {
      paused = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
}
