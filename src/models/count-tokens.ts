import { LRUCache } from "lru-cache";
import { estimateTokenCount } from "tokenx";
import { madeOnce } from "../base/made-once.ts";
import type { ModelRequest } from "../core/ports/model.ts";
import type { Message, ToolDefinition } from "../core/values/message.ts";

/** Maximum characters that are counted; longer texts are extrapolated. */
const maxSample = 100_000;

/** Tokens of a text, estimated within about ten percent for the common vocabularies. */
export function countTokens(text: string): number {
  if (text.length <= maxSample) return estimateTokenCount(text);
  return Math.ceil((estimateTokenCount(text.slice(0, maxSample)) * text.length) / maxSample);
}

/** Maximum total characters of the texts whose counts are kept. */
const maxKept = 4_000_000;

/** Minimum characters of a text whose count is kept: counting a shorter text is as fast as looking it up. */
const minKept = 40;

/** Counts as `countTokens` does, and keeps the latest counts: each turn counts the texts of its conversation again. */
export function createTokenCounter(): (text: string) => number {
  const known = new LRUCache<string, number>({
    maxSize: maxKept,
    sizeCalculation: (_, text) => text.length,
  });
  return (text) => {
    if (text.length < minKept) return countTokens(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = countTokens(text);
    known.set(text, count);
    return count;
  };
}

/**
 * Approximate tokens of a picture of ordinary size.
 * https://platform.claude.com/docs/en/build-with-claude/vision: width times height in pixels / 750.
 */
const tokensPerPicture = 1500;

/** Tokens of a message besides its text. */
const tokensPerMessage = 6;

type Count = (text: string) => number;

/**
 * Estimates the tokens of requests; each message and tool is counted once.
 * @param count tokens of a text; its length gives a quick upper bound instead
 */
export function createRequestSize(count: Count = countTokens): (request: ModelRequest) => number {
  const known = new WeakMap<object, number>();
  return ({ system, tools, messages }) =>
    count(system) +
    sum(tools.map((tool) => madeOnce(known, tool, () => toolSize(tool, count)))) +
    sum(messages.map((message) => madeOnce(known, message, () => messageSize(message, count))));
}

/** Estimated tokens of a message, including its provider blocks. */
export function messageSize(message: Message, count: Count = countTokens): number {
  const own = tokensPerMessage + count(message.text);
  switch (message.role) {
    case "user":
    case "tool":
      return own + (message.images ?? []).length * tokensPerPicture;
    case "system":
      return own + sum((message.add ?? []).map((tool) => toolSize(tool, count)));
    case "assistant":
      return own + sum(message.tool_calls.map((call) => count(call.arguments))) + blocksSize(message);
  }
}

export function toolSize(
  { name, description, parameters }: ToolDefinition,
  count: Count = countTokens,
): number {
  return count(`${name} ${description} ${JSON.stringify(parameters)}`);
}

/** Blocks repeat the text and the calls. Encrypted reasoning has about four characters per token. */
function blocksSize({ text, tool_calls, provider_blocks }: Extract<Message, { role: "assistant" }>): number {
  if (provider_blocks === undefined) return 0;
  const repeated = text.length + sum(tool_calls.map((call) => call.arguments.length));
  return Math.max(0, JSON.stringify(provider_blocks.blocks).length - repeated) / 4;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
