import type { Anthropic } from "@anthropic-ai/sdk";
import type { ModelRequest } from "../../core/ports/model.ts";
import type { AssistantMessage, ProviderBlocks } from "../../core/values/message.ts";
import type { MeteredUsage } from "../prices.ts";
import { type Endpoint, modelError, notAnAnswer } from "../provider-error.ts";
import type { Answer, AnswerReader } from "../provider-model.ts";
import { outputName } from "../structured-output.ts";
import { safeCallId, withUniqueIds } from "../tool-call-text.ts";
import { blocksToKeep, isText, isThinking, type WireBlock } from "./blocks.ts";
import { AnthropicContent, wireBlock } from "./content.ts";
import type { WireForm } from "./models.ts";

/** What a stream consists of: first the form the request was accepted in, then the server's events. */
export type AnthropicChunk = { type: "accepted"; form: WireForm } | Anthropic.RawMessageStreamEvent;

/** Who answered which request. */
export interface Asked {
  request: ModelRequest;
  provider: string;
  model: string;
  endpoint: Endpoint;
}

/** Puts a stream together. A message that paused and was continued is one answer. */
export function createAnthropicReader(asked: Asked): AnswerReader<AnthropicChunk> {
  const parts: AnthropicContent[] = [];
  let form: WireForm = "noted";
  return {
    add(event) {
      if (event?.type === "accepted") {
        form = event.form;
        return "";
      }
      if (event?.type === "message_start") parts.push(new AnthropicContent());
      return parts.at(-1)?.add(event) ?? "";
    },
    finish() {
      const last = parts.at(-1);
      if (last === undefined) throw notAnAnswer(asked.endpoint, "a message", {});
      if (last.stopReason === undefined) {
        throw modelError("unavailable", asked.endpoint, "ended its answer halfway", undefined);
      }
      return anthropicAnswer(parts, form, asked);
    },
  };
}

/** The message of a request that was not streamed. @throws ModelError when it is none. */
export function wholeMessage(message: Anthropic.Message, endpoint: Endpoint): AnthropicContent {
  // What is no JSON arrives here as a string, a foreign JSON document as whatever it is.
  if (!Array.isArray(message?.content)) throw notAnAnswer(endpoint, "a message", message);
  return AnthropicContent.whole(message);
}

/**
 * The answer that these messages are. Of a declined one only the text counts.
 * @throws ModelError `context_too_long` when the context ended before anything was said.
 */
export function anthropicAnswer(parts: readonly AnthropicContent[], form: WireForm, asked: Asked): Answer {
  const read = parts.flatMap((part) => part.blocks());
  const text = read.map(({ block }) => (block.type === "text" ? block.text : "")).join("");
  const stopReason = parts.at(-1)?.stopReason;
  const stop = stopOf(stopReason);
  const usage = usageOf(parts);
  const calls = read.flatMap(({ block, arguments: json }) =>
    block.type === "tool_use" ? [{ id: safeCallId(block.id), name: block.name, arguments: json }] : [],
  );
  const output =
    asked.request.output_schema === undefined ? undefined : calls.find(({ name }) => name === outputName);
  const closed = { role: "assistant", text: output?.arguments ?? text, tool_calls: [] } as const;
  if (output !== undefined || stop === "declined") {
    return { message: { ...closed, tool_calls: [] }, usage, stop };
  }
  if (stopReason === "model_context_window_exceeded" && text === "" && calls.length === 0) {
    throw modelError("context_too_long", asked.endpoint, "ran out of context before it answered", undefined);
  }
  const tool_calls = withUniqueIds(calls, asked.request.messages);
  const message: AssistantMessage = { role: "assistant", text, tool_calls };
  const ids = tool_calls.map(({ id }) => id);
  const blocks = read.filter(({ block }) => block.type !== "tool_use" || block.name !== "").map(wireBlock);
  const named = blocks.map((block) =>
    block.type === "tool_use" ? { ...block, id: ids.shift() ?? block.id } : block,
  );
  const origin: Omit<ProviderBlocks, "blocks"> = { provider: asked.provider, model: asked.model, form };
  return { message: { ...message, ...blocksToKeep(message, sendable(named), origin) }, usage, stop };
}

/** Without what the API gives and does not take back: blank texts, and thinking that was cut before its signature. */
function sendable(blocks: readonly WireBlock[]): WireBlock[] {
  const kept = blocks.filter((block) => block.type !== "text" || isText(block.text));
  const cut = kept.at(-1);
  const isCut = cut !== undefined && isThinking(cut) && "signature" in cut && cut.signature === "";
  return isCut ? kept.slice(0, -1) : kept;
}

function stopOf(reason: Anthropic.StopReason | undefined): Answer["stop"] {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  return reason === "refusal" ? "declined" : "done";
}

/** Anthropic counts cached and cache-written tokens apart from `input_tokens`. Undefined where nothing was counted. */
function usageOf(parts: readonly AnthropicContent[]): MeteredUsage | undefined {
  if (!parts.some((part) => part.counts().isCounted)) return undefined;
  const usage = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cache_write_tokens: 0 };
  let forAnHour = 0;
  for (const part of parts) {
    const { fresh, cached, written, writtenForAnHour, output } = part.counts();
    usage.input_tokens += fresh + cached + written;
    usage.output_tokens += output;
    usage.cached_tokens += cached;
    usage.cache_write_tokens += written;
    forAnHour += writtenForAnHour;
  }
  return forAnHour === 0 ? usage : { ...usage, cache_write_1h_tokens: forAnHour };
}
