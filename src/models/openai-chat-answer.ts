import type { OpenAI } from "openai";
import type { Json } from "../core/json.ts";
import type { ToolCall } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import { isKeepable, keptOfCall, ReasoningFields } from "./openai-chat-reasoning.ts";
import type { BlocksOwner } from "./own-blocks.ts";
import type { MeteredUsage } from "./prices.ts";
import { type Endpoint, modelError } from "./provider-error.ts";
import type { Answer, AnswerReader } from "./provider-model.ts";
import { withUniqueIds } from "./tool-call-text.ts";

type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall;

/** A call and what its server wants back with it. */
interface ReadCall extends ToolCall {
  kept: { [field: string]: Json };
}

/** A call whose arguments are still coming in. */
interface OpenCall extends ReadCall {
  index: number | undefined;
}

/** What was asked, and of whom: `owner` is kept with what the message must be sent back with. */
export interface ChatExchange {
  request: ModelRequest;
  endpoint: Endpoint;
  owner: BlocksOwner;
}

/** The answer of a request that was not streamed. @throws ModelError when it is not one. */
export function wholeChatAnswer(completion: OpenAI.ChatCompletion, exchange: ChatExchange): Answer {
  // A proxy's HTML page arrives here as a string, a foreign JSON document as whatever it is.
  const choice = completion?.choices?.[0];
  if (choice?.message === undefined) throw notACompletion(exchange.endpoint);
  const { content, refusal, tool_calls } = choice.message;
  const calls = (tool_calls ?? []).flatMap((call) =>
    call.type === "custom" || call.function === undefined
      ? []
      : [
          {
            id: call.id ?? "",
            name: call.function.name ?? "",
            arguments: asText(call.function.arguments),
            kept: keptOfCall(call),
          },
        ],
  );
  const fields = new ReasoningFields("whole");
  fields.add(choice.message);
  const text = textOf(content) || textOf(refusal);
  return answer({ text, calls, fields, finish: choice.finish_reason, usage: completion.usage }, exchange);
}

/** Puts a stream of chat completion chunks together. */
export function createChatReader(exchange: ChatExchange): AnswerReader<Chunk> {
  let text = "";
  let finish: string | null | undefined;
  let usage: OpenAI.CompletionUsage | null | undefined;
  let understood = false;
  const calls: OpenCall[] = [];
  const fields = new ReasoningFields("streamed");
  return {
    add(chunk) {
      const choice = chunk?.choices?.[0];
      // Moonshot counts within the choice.
      usage = chunk?.usage ?? (choice as { usage?: OpenAI.CompletionUsage } | undefined)?.usage ?? usage;
      if (choice === undefined) return "";
      understood = true;
      finish = choice.finish_reason ?? finish;
      const delta = choice.delta;
      fields.add(delta);
      if (delta?.tool_calls) for (const part of delta.tool_calls) addCall(calls, part);
      const added = textOf(delta?.content) || textOf(delta?.refusal);
      text += added;
      return added;
    },
    finish() {
      if (!understood) throw notACompletion(exchange.endpoint);
      if (!finish) throw modelError("unavailable", exchange.endpoint, "ended its answer halfway", undefined);
      return answer({ text, calls, fields, finish, usage }, exchange);
    },
  };
}

function notACompletion(endpoint: Endpoint) {
  return modelError("bad_response", endpoint, "sent something that is not a chat completion", undefined);
}

/** Servers differ: index left out or always 0, id left out or repeated in every delta, a whole call in one delta. */
function addCall(calls: OpenCall[], delta: CallDelta): void {
  const index: number | undefined = delta.index ?? undefined;
  const id = delta.id ?? "";
  const name = delta.function?.name ?? "";
  let call = index === undefined ? calls.at(-1) : calls.findLast((open) => open.index === index);
  if (call === undefined || startsAnother(call, index, id, name)) {
    call = { id, name, arguments: "", index, kept: {} };
    calls.push(call);
  }
  if (call.id === "") call.id = id;
  if (call.name === "") call.name = name;
  call.arguments += asText(delta.function?.arguments);
  Object.assign(call.kept, keptOfCall(delta));
}

function startsAnother(call: OpenCall, index: number | undefined, id: string, name: string): boolean {
  if (id !== "" && call.id !== "" && id !== call.id) return true;
  return index === undefined && name !== "" && (id === "" || id !== call.id);
}

interface ReadAnswer {
  text: string;
  calls: readonly ReadCall[];
  fields: ReasoningFields;
  finish: string | null;
  usage: OpenAI.CompletionUsage | null | undefined;
}

function answer(read: ReadAnswer, { request, owner }: ChatExchange): Answer {
  const calls = withUniqueIds(read.calls, request.messages);
  const kept = { message: read.fields.kept(), calls: calls.map((call) => call.kept) };
  const blocks = { message: kept.message, calls: kept.calls } as Json;
  return {
    message: {
      role: "assistant",
      text: read.text,
      tool_calls: calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
      ...(isKeepable(kept) ? { provider_blocks: { ...owner, blocks } } : {}),
    },
    usage: usageOf(read.usage),
    stop: read.finish === "length" ? "length" : read.finish === "content_filter" ? "declined" : "done",
  };
}

/** Fields of usage that only some servers have. */
interface ServersUsage {
  /** DeepSeek. */
  prompt_cache_hit_tokens?: number;
  /** Moonshot. */
  cached_tokens?: number;
  /** OpenRouter. */
  prompt_tokens_details?: { cache_write_tokens?: number };
}

/** Zero for a server that does not count. `prompt_tokens` already includes the cached ones. */
function usageOf(usage: OpenAI.CompletionUsage | null | undefined): MeteredUsage {
  const own = usage as ServersUsage | null | undefined;
  return {
    input_tokens: usage?.prompt_tokens ?? 0,
    output_tokens: usage?.completion_tokens ?? 0,
    cached_tokens:
      usage?.prompt_tokens_details?.cached_tokens ?? own?.prompt_cache_hit_tokens ?? own?.cached_tokens ?? 0,
    cache_write_tokens: own?.prompt_tokens_details?.cache_write_tokens ?? 0,
  };
}

/** Some servers send arguments as an object instead of its text. */
function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** The text of a content; Mistral sends that of reasoning models in parts, thinking among them. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((part: { text?: unknown } | null) => asText(part?.text)).join("");
}
