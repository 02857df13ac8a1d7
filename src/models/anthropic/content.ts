import type { Anthropic } from "@anthropic-ai/sdk";
import type { Thought } from "../provider-model.ts";
import { argumentsObject } from "../tool-call-text.ts";
import type { WireBlock } from "./blocks.ts";

type Event = Anthropic.RawMessageStreamEvent;

/** A content block as it came; of tool calls the arguments as text, as the model wrote them. */
interface ReadBlock {
  block: Anthropic.ContentBlock;
  json: string;
}

/** Token counts of one message, from its start and its end. The last count is the whole. */
type Counts = Partial<Anthropic.Usage> | undefined;

/** One message of the server, put together from its stream or taken whole. */
export class AnthropicContent {
  #read: ReadBlock[] = [];
  #first: Counts;
  #last: Partial<Anthropic.MessageDeltaUsage> | undefined;
  /** Why the message ended; undefined while it has not. */
  stopReason: Anthropic.StopReason | undefined;

  static whole(message: Anthropic.Message): AnthropicContent {
    const content = new AnthropicContent();
    content.#read = message.content.map((block) => ({ block, json: "" }));
    content.#first = message.usage;
    content.stopReason = message.stop_reason ?? "end_turn";
    return content;
  }

  /** Takes an event; answers the text it adds for people, often none, or a piece of thinking or of a note. */
  add(event: Event | undefined): string | Thought {
    switch (event?.type) {
      case "message_start":
        this.#first = event.message?.usage;
        return "";
      case "content_block_start":
        this.#read[event.index] = { block: { ...event.content_block }, json: "" };
        // What a model thinks next is no part of the sentence before.
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

  /** The blocks so far as a request sends them back. */
  wire(): WireBlock[] {
    return this.blocks().map(wireBlock);
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

/** A block as a request sends it back: the same, with the arguments of a call as an object. */
export function wireBlock(read: { block: Anthropic.ContentBlock; arguments: string }): WireBlock {
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
