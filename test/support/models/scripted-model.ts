import type { Usage } from "../../../src/core/log/usage.ts";
import type { Model, ModelRequest } from "../../../src/core/ports/model.ts";
import { foldedRequest } from "../../../src/core/transcript/keep-transcript.ts";
import type { CutAnswer, Message } from "../../../src/core/values/message.ts";

/** A scripted answer: text, or tool calls. */
export type Line = string | { call: string; with?: unknown; raw?: string; id?: string }[] | Error;

/** A model that answers line by line and remembers what it was asked, with instructions and tools as they were then. After the last line it repeats that one. */
export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

export interface ScriptedModelOptions {
  /** Waits for this before each answer; aborts with the request. */
  gate?: (request: ModelRequest, round: number) => Promise<void>;
  usage?: Usage | ((round: number) => Usage);
  /** Why each answer is incomplete. */
  cut?: CutAnswer | undefined;
  generative?: boolean;
  /** `scripted/model` unless told. */
  id?: string;
}

export function scriptedModel(
  script: readonly Line[] | ((request: ModelRequest) => Line),
  {
    gate = async () => {},
    usage = { input_tokens: 10, output_tokens: 5 },
    cut,
    generative = true,
    id = "scripted/model",
  }: ScriptedModelOptions = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  const lineOf = (request: ModelRequest) =>
    typeof script === "function"
      ? script(request)
      : (script[Math.min(requests.length, script.length) - 1] ?? "");
  return {
    id,
    generative,
    requests,
    async *stream(asked) {
      const request = foldedRequest(asked);
      requests.push({ ...request, messages: [...request.messages] });
      const round = requests.length;
      const line = lineOf(request);
      await Promise.race([gate(request, round), rejectOnAbort(request.signal)]);
      request.signal.throwIfAborted();
      if (line instanceof Error) throw line;
      const text = typeof line === "string" ? line : "";
      for (const word of text.match(/\S+\s*/g) ?? []) yield { type: "text", text: word };
      const tool_calls =
        typeof line === "string"
          ? []
          : line.map((call, index) => ({
              id: call.id ?? `call_${round}_${index}`,
              name: call.call,
              arguments: call.raw ?? JSON.stringify(call.with ?? {}),
            }));
      yield {
        type: "finished",
        message: { role: "assistant", text, tool_calls },
        usage: typeof usage === "function" ? usage(round) : usage,
        model: id,
        cut,
      };
    },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The texts of the tool results in a conversation, in order. */
export function toolResults(messages: readonly Message[]): string[] {
  return messages.filter((message) => message.role === "tool").map((message) => message.text);
}
