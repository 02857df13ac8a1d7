import type { OpenAI } from "openai";
import type { ToolCall } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import type { MeteredUsage } from "./prices.ts";
import { type Endpoint, modelError } from "./provider-error.ts";
import type { Answer, AnswerReader } from "./provider-model.ts";
import { withUniqueIds } from "./tool-call-text.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

/** A call whose arguments are still coming in. */
interface OpenCall extends ToolCall {
  index: number | undefined;
}

/** The answer of a request that was not streamed. @throws ModelError when it is not one. */
export function wholeOpenAiAnswer(
  completion: OpenAI.ChatCompletion,
  request: ModelRequest,
  endpoint: Endpoint,
): Answer {
  // A proxy's HTML page arrives here as a string, a foreign JSON document as whatever it is.
  const choice = completion?.choices?.[0];
  if (choice?.message === undefined) {
    throw modelError("bad_response", endpoint, "sent something that is not a chat completion", undefined);
  }
  const { content, refusal, tool_calls } = choice.message;
  const calls = (tool_calls ?? []).flatMap((call) =>
    call.type === "custom" || call.function === undefined
      ? []
      : [{ id: call.id ?? "", name: call.function.name ?? "", arguments: asText(call.function.arguments) }],
  );
  return answer(asText(content) || asText(refusal), calls, choice.finish_reason, completion.usage, request);
}

/** Puts a stream of chat completion chunks together. */
export function createOpenAiReader(request: ModelRequest, endpoint: Endpoint): AnswerReader<Chunk> {
  let text = "";
  let finishReason: string | null | undefined;
  let usage: OpenAI.CompletionUsage | null | undefined;
  let understood = false;
  const calls: OpenCall[] = [];
  return {
    add(chunk) {
      if (chunk?.usage) usage = chunk.usage;
      const choice = chunk?.choices?.[0];
      if (choice === undefined) return "";
      understood = true;
      finishReason = choice.finish_reason ?? finishReason;
      const delta = choice.delta;
      if (delta?.tool_calls) for (const part of delta.tool_calls) addCall(calls, part);
      const added = delta?.content || delta?.refusal;
      if (typeof added !== "string") return "";
      text += added;
      return added;
    },
    finish() {
      if (!understood) {
        throw modelError("bad_response", endpoint, "sent something that is not a chat completion", undefined);
      }
      if (!finishReason) throw modelError("unavailable", endpoint, "ended its answer halfway", undefined);
      return answer(text, calls, finishReason, usage, request);
    },
  };
}

/** Servers differ: index left out or always 0, id left out or repeated in every delta, a whole call in one delta. */
function addCall(calls: OpenCall[], delta: CallDelta): void {
  const index: number | undefined = delta.index ?? undefined;
  const id = delta.id ?? "";
  const name = delta.function?.name ?? "";
  let call = index === undefined ? calls.at(-1) : calls.findLast((open) => open.index === index);
  if (call === undefined || startsAnother(call, index, id, name)) {
    call = { id, name, arguments: "", index };
    calls.push(call);
  }
  if (call.id === "") call.id = id;
  if (call.name === "") call.name = name;
  call.arguments += asText(delta.function?.arguments);
}

function startsAnother(call: OpenCall, index: number | undefined, id: string, name: string): boolean {
  if (id !== "" && call.id !== "" && id !== call.id) return true;
  return index === undefined && name !== "" && (id === "" || id !== call.id);
}

function answer(
  text: string,
  calls: readonly ToolCall[],
  finishReason: string | null,
  usage: OpenAI.CompletionUsage | null | undefined,
  request: ModelRequest,
): Answer {
  const tool_calls = withUniqueIds(
    calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
    request.messages,
  );
  return {
    message: { role: "assistant", text, tool_calls },
    usage: usageOf(usage),
    stop: finishReason === "length" ? "length" : finishReason === "content_filter" ? "declined" : "done",
  };
}

/** Zero for a server that does not count. `prompt_tokens` already includes the cached ones. */
function usageOf(usage: OpenAI.CompletionUsage | null | undefined): MeteredUsage {
  return {
    input_tokens: usage?.prompt_tokens ?? 0,
    output_tokens: usage?.completion_tokens ?? 0,
    cached_tokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** Some servers send arguments as an object instead of its text. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
