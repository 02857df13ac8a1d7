import type { Anthropic } from "@anthropic-ai/sdk";
import type {
  AssistantMessage,
  Message,
  MessageImage,
  ToolDefinition,
  ToolMessage,
} from "../core/message.ts";
import { argumentsObject, safeCallId, safeToolName } from "./tool-call-text.ts";

type Block = Anthropic.ContentBlockParam;

/** The prefix up to a block with this mark is cached by the provider for five minutes; four marks are allowed. */
const cacheMark = { cache_control: { type: "ephemeral" } } as const;

/** Converts messages and tools to Anthropic's shape, each object once: later rounds send the same ones again. */
export interface AnthropicMessages {
  ofSystem(system: string): { system?: Anthropic.TextBlockParam[] };
  ofConversation(messages: readonly Message[]): Anthropic.MessageParam[];
  ofTools(tools: readonly ToolDefinition[]): Anthropic.Tool[];
}

/** @param provider whose `provider_blocks` are sent back; those of others are dropped. */
export function createAnthropicMessages(provider: string): AnthropicMessages {
  const converted = new WeakMap<Message, Block[]>();
  const definitions = new WeakMap<ToolDefinition, Anthropic.Tool>();

  const blocksOf = (message: Message): Block[] => {
    let blocks = converted.get(message);
    if (blocks === undefined) {
      blocks = convert(message, provider);
      converted.set(message, blocks);
    }
    return blocks;
  };
  const ofTool = (tool: ToolDefinition): Anthropic.Tool => {
    let definition = definitions.get(tool);
    if (definition === undefined) {
      const input_schema = tool.parameters as Anthropic.Tool["input_schema"];
      definition = { name: tool.name, description: tool.description, input_schema };
      definitions.set(tool, definition);
    }
    return definition;
  };
  return {
    ofSystem: (system) => (system === "" ? {} : { system: [{ type: "text", text: system, ...cacheMark }] }),
    ofConversation: (messages) => markLast(group(messages, blocksOf)),
    ofTools: (tools) =>
      tools.map((tool, index) =>
        index === tools.length - 1 ? { ...ofTool(tool), ...cacheMark } : ofTool(tool),
      ),
  };
}

/** Consecutive tool results, and what a person said right after them, are one user message. */
function group(
  messages: readonly Message[],
  blocksOf: (message: Message) => Block[],
): { role: "user" | "assistant"; content: Block[] }[] {
  const grouped: { role: "user" | "assistant"; content: Block[] }[] = [];
  for (const message of messages) {
    const blocks = blocksOf(message);
    if (blocks.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = grouped.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else grouped.push({ role, content: [...blocks] });
  }
  // The API wants the first message from the user; a shortened history may begin elsewhere.
  if (grouped[0]?.role === "assistant") {
    grouped.unshift({ role: "user", content: [{ type: "text", text: "(earlier messages left out)" }] });
  }
  return grouped;
}

/** Marks the end of the conversation for the cache, so that the next round reads it from there. */
function markLast(messages: { role: "user" | "assistant"; content: Block[] }[]): Anthropic.MessageParam[] {
  const content = messages.at(-1)?.content;
  const block = content?.at(-1);
  if (content !== undefined && (block?.type === "text" || block?.type === "tool_result")) {
    content[content.length - 1] = { ...block, ...cacheMark };
  }
  return messages;
}

function convert(message: Message, provider: string): Block[] {
  switch (message.role) {
    case "user":
      // Empty text blocks are refused.
      return [
        ...(message.images ?? []).map(picture),
        { type: "text", text: message.text.trim() === "" ? "(empty message)" : message.text },
      ];
    case "system":
      return [{ type: "text", text: message.text }];
    case "tool":
      return [toolResult(message)];
    case "assistant":
      return assistantBlocks(message, provider);
  }
}

/** https://docs.anthropic.com/en/docs/build-with-claude/vision: before the text they belong to. */
function picture({ media_type, base64 }: MessageImage): Block {
  return { type: "image", source: { type: "base64", media_type, data: base64 } };
}

function toolResult(message: ToolMessage): Block {
  return {
    type: "tool_result",
    tool_use_id: safeCallId(message.call_id),
    ...(message.text.trim() === "" ? {} : { content: message.text }),
    ...(message.is_error ? { is_error: true } : {}),
  };
}

function assistantBlocks(message: AssistantMessage, provider: string): Block[] {
  const own = message.provider_blocks;
  if (own?.provider === provider && Array.isArray(own.blocks)) return own.blocks as unknown as Block[];
  const calls = message.tool_calls.map((call) => ({
    type: "tool_use" as const,
    id: safeCallId(call.id),
    name: safeToolName(call.name),
    input: argumentsObject(call.arguments),
  }));
  // A last message that ends in white space is refused.
  const text = message.text.trimEnd();
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}
