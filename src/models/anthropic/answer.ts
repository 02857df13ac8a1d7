import type { Anthropic } from "@anthropic-ai/sdk";
import type { AssistantMessage } from "../../core/values/message.ts";
import type { MeteredUsage } from "../prices.ts";
import { modelError, notAnAnswer } from "../provider-error.ts";
import type { Answer, AnswerReader, Exchange, Piece, Thought } from "../provider-model.ts";
import { outputName } from "../structured-output.ts";
import { argumentsObject, safeCallId, withUniqueIds } from "../tool-call-text.ts";
import { blocksToKeep, isText, isThinking, type WireBlock } from "./blocks.ts";

/** An event of a stream, or the whole message that some servers send in its place. */
export type AnthropicEvent = Anthropic.RawMessageStreamEvent | Anthropic.Message;

/** Reads one answer of the messages API. */
export class AnthropicReader implements AnswerReader<AnthropicEvent> {
  readonly #exchange: Exchange;
  #content: AnthropicContent | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  isLast({ type }: AnthropicEvent): boolean {
    return type === "message_stop";
  }

  add(event: AnthropicEvent): Piece {
    if (event?.type === "message") {
      this.#content = this.#wholeMessage(event);
      return "";
    }
    if (event?.type === "message_start") this.#content = new AnthropicContent();
    return this.#content?.add(event) ?? "";
  }

  finish(): Answer {
    const { endpoint } = this.#exchange;
    if (this.#content === undefined) throw notAnAnswer(endpoint, "a message", {});
    if (this.#content.stopReason === undefined) {
      throw modelError("unavailable", endpoint, "ended its answer halfway", undefined);
    }
    return answer(this.#content, this.#exchange);
  }

  whole(document: unknown): Answer {
    return answer(this.#wholeMessage(document), this.#exchange);
  }

  #wholeMessage(document: unknown): AnthropicContent {
    const message = document as Anthropic.Message | undefined;
    // An answer that is not JSON arrives as a string, and other JSON as any value.
    if (!Array.isArray(message?.content)) throw notAnAnswer(this.#exchange.endpoint, "a message", document);
    return AnthropicContent.whole(message);
  }
}

/** The answer of a message. Of a declined answer only the text is kept. */
function answer(content: AnthropicContent, { request, owner }: Exchange): Answer {
  const read = content.blocks();
  const text = read.map(({ block }) => (block.type === "text" ? block.text : "")).join("");
  const stop = stopOf(content.stopReason);
  const usage = usageOf([content]);
  const calls = read.flatMap(({ block, arguments: json }) =>
    block.type === "tool_use" ? [{ id: safeCallId(block.id), name: block.name, arguments: json }] : [],
  );
  const output =
    request.output_schema === undefined ? undefined : calls.find(({ name }) => name === outputName);
  const closed = { role: "assistant", text: output?.arguments ?? text, tool_calls: [] } as const;
  if (output !== undefined || stop === "declined") {
    return { message: { ...closed, tool_calls: [] }, usage, stop };
  }
  const tool_calls = withUniqueIds(calls, request.messages);
  const message: AssistantMessage = { role: "assistant", text, tool_calls };
  const ids = tool_calls.map(({ id }) => id);
  const blocks = read.filter(({ block }) => block.type !== "tool_use" || block.name !== "").map(wireBlock);
  const named = blocks.map((block) =>
    block.type === "tool_use" ? { ...block, id: ids.shift() ?? block.id } : block,
  );
  return { message: { ...message, ...blocksToKeep(message, sendable(named), owner) }, usage, stop };
}

/** Drops blocks that the API sends but does not take back: blank texts, and thinking that was cut before its signature. */
function sendable(blocks: readonly WireBlock[]): WireBlock[] {
  const kept = blocks.filter((block) => block.type !== "text" || isText(block.text));
  const cut = kept.at(-1);
  const isCut = cut !== undefined && isThinking(cut) && "signature" in cut && cut.signature === "";
  return isCut ? kept.slice(0, -1) : kept;
}

function stopOf(reason: Anthropic.StopReason | undefined): Answer["stop"] {
  if (reason === "max_tokens") return "length";
  if (reason === "model_context_window_exceeded") return "context";
  return reason === "refusal" ? "declined" : "done";
}

/** Undefined if the server reports no usage. Anthropic's `input_tokens` do not include the tokens read from and written to the cache. */
export function usageOf(parts: readonly AnthropicContent[]): MeteredUsage | undefined {
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

type Event = Anthropic.RawMessageStreamEvent;

/** A content block. The arguments of a tool call are kept as the text that the model wrote. */
interface ReadBlock {
  block: Anthropic.ContentBlock;
  json: string;
}

/** Token counts from the start of one message. */
type Counts = Partial<Anthropic.Usage> | undefined;

/** One message of the server, from its stream or as a whole. */
export class AnthropicContent {
  #read: ReadBlock[] = [];
  #first: Counts;
  #last: Partial<Anthropic.MessageDeltaUsage> | undefined;
  /** Why the message ended; undefined while it is incomplete. */
  stopReason: Anthropic.StopReason | undefined;

  static whole(message: Anthropic.Message): AnthropicContent {
    const content = new AnthropicContent();
    content.#read = message.content.map((block) => ({ block, json: "" }));
    content.#first = message.usage;
    content.stopReason = message.stop_reason ?? "end_turn";
    return content;
  }

  /** Adds an event. Returns its text for people, which is often empty, or a piece of thinking or of a note. */
  add(event: Event | undefined): string | Thought {
    switch (event?.type) {
      case "message_start":
        this.#first = event.message?.usage;
        return "";
      case "content_block_start":
        this.#read[event.index] = { block: { ...event.content_block }, json: "" };
        // Each thinking block begins a new paragraph.
        return event.content_block.type === "thinking" && event.index > 0 ? { thought: "\n\n" } : "";
      case "content_block_delta": {
        const read = this.#read[event.index];
        return read === undefined ? "" : addDelta(read, event.delta);
      }
      case "message_delta":
        this.stopReason = event.delta.stop_reason ?? this.stopReason;
        this.#last = event.usage;
        return "";
      default:
        return "";
    }
  }

  /** The blocks so far, with the arguments of calls as text. */
  blocks(): { block: Anthropic.ContentBlock; arguments: string }[] {
    return this.#read.filter(Boolean).map(({ block, json }) => ({
      block,
      arguments: block.type === "tool_use" ? json || inputText(block.input) : "",
    }));
  }

  counts() {
    const [first, last] = [this.#first, this.#last];
    return {
      isCounted: first !== undefined || last !== undefined,
      fresh: last?.input_tokens ?? first?.input_tokens ?? 0,
      cached: last?.cache_read_input_tokens ?? first?.cache_read_input_tokens ?? 0,
      written: last?.cache_creation_input_tokens ?? first?.cache_creation_input_tokens ?? 0,
      writtenForAnHour: first?.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      output: last?.output_tokens ?? first?.output_tokens ?? 0,
    };
  }
}

/** A block in the format of requests: the same, with the arguments of a call as an object. */
function wireBlock(read: { block: Anthropic.ContentBlock; arguments: string }): WireBlock {
  const { block } = read;
  const sent = block.type === "tool_use" ? { ...block, input: argumentsObject(read.arguments) } : block;
  return sent as WireBlock;
}

/** Some servers send the whole input with the start of a call. */
function inputText(input: unknown): string {
  const isObject = typeof input === "object" && input !== null;
  return isObject && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
}

function addDelta(read: ReadBlock, delta: Anthropic.RawContentBlockDelta): string | Thought {
  const { block } = read;
  if (delta.type === "text_delta" && block.type === "text") {
    block.text += delta.text;
    return delta.text;
  }
  if (delta.type === "thinking_delta" && block.type === "thinking") {
    block.thinking += delta.thinking;
    return delta.thinking === "" ? "" : { thought: delta.thinking };
  }
  if (delta.type === "input_json_delta") read.json += delta.partial_json;
  else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature;
  return "";
}
