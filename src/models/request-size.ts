import type { Message, ToolDefinition } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import { countTokens } from "./count-tokens.ts";

/**
 * About what a picture of ordinary size costs, tokens.
 * https://platform.claude.com/docs/en/build-with-claude/vision: width times height in pixels / 750.
 */
const tokensPerPicture = 1500;

/** Around the text of a message. */
const tokensPerMessage = 6;

/** Estimates the tokens of requests; each message and tool is counted once. */
export function createRequestSize(): (request: ModelRequest) => number {
  const known = new WeakMap<object, number>();
  const counted = <Part extends object>(part: Part, count: (part: Part) => number): number => {
    const size = known.get(part) ?? count(part);
    known.set(part, size);
    return size;
  };
  return ({ system, tools, messages }) =>
    countTokens(system) +
    sum(tools.map((tool) => counted(tool, toolSize))) +
    sum(messages.map((message) => counted(message, messageSize)));
}

/** Estimated tokens of a message, what only its provider understands included. */
export function messageSize(message: Message): number {
  const own = tokensPerMessage + countTokens(message.text);
  switch (message.role) {
    case "user":
    case "tool":
      return own + (message.images ?? []).length * tokensPerPicture;
    case "system":
      return own + sum((message.add ?? []).map(toolSize));
    case "assistant":
      return own + sum(message.tool_calls.map((call) => countTokens(call.arguments))) + blocksSize(message);
  }
}

export function toolSize({ name, description, parameters }: ToolDefinition): number {
  return countTokens(`${name} ${description} ${JSON.stringify(parameters)}`);
}

/** Blocks repeat the text and the calls; encrypted reasoning is some four characters for each of its tokens. */
function blocksSize({ text, tool_calls, provider_blocks }: Extract<Message, { role: "assistant" }>): number {
  if (provider_blocks === undefined) return 0;
  const repeated = text.length + sum(tool_calls.map((call) => call.arguments.length));
  return Math.max(0, JSON.stringify(provider_blocks.blocks).length - repeated) / 4;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
