import type { Anthropic } from "@anthropic-ai/sdk";
import type { Json } from "../core/json.ts";
import type { AssistantMessage, ToolCall } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import type { MeteredUsage } from "./prices.ts";
import { type Endpoint, modelError } from "./provider-error.ts";
import type { Answer, AnswerReader } from "./provider-model.ts";
import { outputName } from "./structured-output.ts";
import { argumentsObject, withUniqueIds } from "./tool-call-text.ts";

/** A content block as it came; of tool calls the arguments as text, as the model wrote them. */
interface ReadBlock {
  block: Anthropic.ContentBlock;
  json: string;
}

type Usage = Partial<Anthropic.MessageDeltaUsage> | undefined;

/** The answer of a request that was not streamed. @throws ModelError when it is not one. */
export function wholeAnthropicAnswer(
  message: Anthropic.Message,
  request: ModelRequest,
  provider: string,
  endpoint: Endpoint,
): Answer {
  // A proxy's HTML page arrives here as a string, a foreign JSON document as whatever it is.
  if (!Array.isArray(message?.content)) {
    throw modelError("bad_response", endpoint, "sent something that is not a message", undefined);
  }
  const blocks = message.content.map((block) => ({
    block,
    json: block.type === "tool_use" ? JSON.stringify(block.input ?? {}) : "",
  }));
  return answer(blocks, message.stop_reason, usageOf(message.usage, undefined), request, provider);
}

/** Puts a stream of message events together. */
export function createAnthropicReader(
  request: ModelRequest,
  provider: string,
  endpoint: Endpoint,
): AnswerReader<Anthropic.RawMessageStreamEvent> {
  const blocks: ReadBlock[] = [];
  let stopReason: Anthropic.StopReason | null | undefined;
  let first: Usage;
  let last: Usage;
  let understood = false;
  return {
    add(event) {
      switch (event?.type) {
        case "message_start":
          understood = true;
          first = event.message?.usage;
          return "";
        case "content_block_start":
          blocks[event.index] = { block: { ...event.content_block }, json: "" };
          return "";
        case "content_block_delta": {
          const read = blocks[event.index];
          return read === undefined ? "" : addDelta(read, event.delta);
        }
        case "message_delta":
          stopReason = event.delta.stop_reason ?? stopReason;
          last = event.usage;
          return "";
        default:
          return "";
      }
    },
    finish() {
      if (!understood) {
        throw modelError("bad_response", endpoint, "sent something that is not a message", undefined);
      }
      if (!stopReason) throw modelError("unavailable", endpoint, "ended its answer halfway", undefined);
      return answer(blocks.filter(Boolean), stopReason, usageOf(first, last), request, provider);
    },
  };
}

function addDelta(read: ReadBlock, delta: Anthropic.RawContentBlockDelta): string {
  const { block } = read;
  if (delta.type === "text_delta" && block.type === "text") {
    block.text += delta.text;
    return delta.text;
  }
  if (delta.type === "input_json_delta") read.json += delta.partial_json;
  else if (delta.type === "thinking_delta" && block.type === "thinking") block.thinking += delta.thinking;
  else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature;
  return "";
}

function answer(
  blocks: readonly ReadBlock[],
  stopReason: Anthropic.StopReason | null,
  usage: MeteredUsage,
  request: ModelRequest,
  provider: string,
): Answer {
  let text = "";
  const calls: ToolCall[] = [];
  for (const { block, json } of blocks) {
    if (block.type === "text") text += block.text;
    if (block.type === "tool_use") calls.push({ id: block.id, name: block.name, arguments: json });
  }
  const output =
    request.output_schema === undefined ? undefined : calls.find((call) => call.name === outputName);
  const stop = stopOf(stopReason);
  if (output !== undefined) {
    return { message: { role: "assistant", text: output.arguments, tool_calls: [] }, usage, stop };
  }
  const tool_calls = withUniqueIds(calls, request.messages);
  const message: AssistantMessage = {
    role: "assistant",
    text,
    tool_calls,
    ...ownBlocks(blocks, tool_calls, provider),
  };
  return { message, usage, stop };
}

/** All blocks in their order, when some have no neutral form (signed reasoning must be sent back as it was). */
function ownBlocks(
  blocks: readonly ReadBlock[],
  calls: readonly ToolCall[],
  provider: string,
): Pick<AssistantMessage, "provider_blocks"> {
  if (blocks.every(({ block }) => block.type === "text" || block.type === "tool_use")) return {};
  const ids = calls.map((call) => call.id);
  const own = blocks
    .filter(({ block }) => block.type !== "text" || block.text !== "")
    .map(({ block, json }) =>
      block.type === "tool_use"
        ? { ...block, id: ids.shift() ?? block.id, input: argumentsObject(json) }
        : block,
    );
  return { provider_blocks: { provider, blocks: own as unknown as Json } };
}

function stopOf(reason: Anthropic.StopReason | null): Answer["stop"] {
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  return reason === "refusal" ? "declined" : "done";
}

/** Anthropic counts cached and cache-written tokens apart from `input_tokens`; the last count of a stream is the whole. */
function usageOf(first: Usage, last: Usage): MeteredUsage {
  const cached = last?.cache_read_input_tokens ?? first?.cache_read_input_tokens ?? 0;
  const written = last?.cache_creation_input_tokens ?? first?.cache_creation_input_tokens ?? 0;
  const fresh = last?.input_tokens ?? first?.input_tokens ?? 0;
  return {
    input_tokens: fresh + cached + written,
    output_tokens: last?.output_tokens ?? first?.output_tokens ?? 0,
    cached_tokens: cached,
    cache_write_tokens: written,
  };
}
