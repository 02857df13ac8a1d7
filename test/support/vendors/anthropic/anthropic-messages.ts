import { objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { claudeToolFault } from "../output-schema.ts";
import { blocksOf, string, type Wire } from "../wire.ts";
import type { ClaudeMessage, ClaudeRequest } from "./anthropic-request.ts";

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;
const idPattern = /^[a-zA-Z0-9_-]+$/;

/** Errors in the tools and in the order and content of the messages, except system messages. */
export function claudeMessageRefusals(request: ClaudeRequest): Refusal[] {
  return [
    ...toolRefusals(request),
    ...orderRefusals(request),
    ...contentRefusals(request),
    ...pairRefusals(request),
  ];
}

function* toolRefusals({ tools, messages }: ClaudeRequest): Generator<Refusal> {
  for (const [index, tool] of tools.entries()) yield* definitionRefusals(tool, `tools.${index}.custom`);
  const names = tools.map((tool) => string(tool.name));
  if (new Set(names).size < names.length) {
    yield { rule: "tool_name", message: "tools: Tool names must be unique." };
  }
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    const message = "tools: At least one tool must have defer_loading=false.";
    yield { rule: "all_deferred", message };
  }
  const used = messages.some(({ blocks }) =>
    blocks.some(({ type }) => type === "tool_use" || type === "tool_result"),
  );
  if (used && tools.length === 0) {
    const message = "Requests which include `tool_use` or `tool_result` blocks must define tools";
    yield { rule: "tools_missing", message };
  }
}

/** Errors in a tool definition. */
export function* definitionRefusals(tool: Wire, path: string): Generator<Refusal> {
  if (!toolName.test(string(tool.name))) {
    const message = `${path}.name: String should match pattern '${toolName.source}'`;
    yield { rule: "tool_name", message };
  }
  const fault = claudeToolFault(objectOf(tool.input_schema));
  if (fault !== undefined) yield { rule: "input_schema", message: `${path}.${fault}` };
  if (tool.defer_loading === true && tool.cache_control !== undefined) {
    const message = `${path}: Tools with defer_loading=true cannot have cache_control set`;
    yield { rule: "deferred_mark", message };
  }
}

function* orderRefusals({ messages, facts }: ClaudeRequest): Generator<Refusal> {
  if (messages.length === 0) {
    yield { rule: "no_messages", message: "messages: at least one message is required" };
  }
  for (const [index, { role }] of messages.entries()) {
    if (["user", "assistant", "system"].includes(role)) continue;
    const message = `messages.${index}.role: Input should be 'user', 'assistant' or 'system'`;
    yield { rule: "role", message };
  }
  if (messages[0]?.role === "assistant") {
    yield { rule: "first_user", message: 'messages: first message must use the "user" role' };
  }
  if (messages.at(-1)?.role !== "assistant") return;
  if (!facts.prefill) {
    const message =
      "This model does not support assistant message prefill. The conversation must end with a user message.";
    yield { rule: "prefill", message };
  } else if (/\s$/.test(string(messages.at(-1)?.blocks.at(-1)?.text))) {
    const message = "messages: final assistant content cannot end with trailing whitespace";
    yield { rule: "prefill", message };
  }
}

function* contentRefusals({ messages, system }: ClaudeRequest): Generator<Refusal> {
  for (const [index, block] of system.entries()) yield* textRefusals(block, `system.${index}`);
  for (const [index, message] of messages.entries()) {
    if (message.blocks.length === 0 && message.role !== "system") {
      const text = `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
      yield { rule: "empty_content", message: text };
    }
    for (const [at, block] of message.blocks.entries()) {
      yield* blockRefusals(message, block, `messages.${index}.content.${at}`);
    }
  }
}

/** Where a block may be. */
const roleOf: Readonly<Record<string, string>> = {
  tool_use: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_result: "user",
  image: "user",
  tool_addition: "system",
  tool_removal: "system",
};

function* blockRefusals({ role }: ClaudeMessage, block: Wire, path: string): Generator<Refusal> {
  const type = string(block.type);
  const only = roleOf[type];
  if (type !== "text" && (only === undefined || only !== role)) {
    yield {
      rule: "block_role",
      message: `${path}: \`${type}\` blocks are not permitted in a '${role}' message`,
    };
  }
  yield* textRefusals(block, path);
  if (type === "tool_result") {
    for (const [index, inner] of blocksOf(block.content).entries()) {
      yield* textRefusals(inner, `${path}.tool_result.content.${index}`);
    }
  }
  if (type === "tool_use" && !toolName.test(string(block.name))) {
    const message = `${path}.tool_use.name: String should match pattern '${toolName.source}'`;
    yield { rule: "tool_name", message };
  }
  if (type === "tool_use" && (block.input === null || typeof block.input !== "object")) {
    yield { rule: "tool_input", message: `${path}.tool_use.input: Input should be a valid dictionary` };
  }
  const id = type === "tool_use" ? block.id : block.tool_use_id;
  if (roleOf[type] !== undefined && id !== undefined && !idPattern.test(string(id))) {
    const message = `${path}.${type}.id: String should match pattern '${idPattern.source}'`;
    yield { rule: "tool_id", message };
  }
}

function* textRefusals({ type, text }: Wire, path: string): Generator<Refusal> {
  if (type !== "text") return;
  if (string(text) === "") {
    yield { rule: "empty_text", message: `${path}: text content blocks must be non-empty` };
  } else if (string(text).trim() === "") {
    yield { rule: "empty_text", message: `${path}: text content blocks must contain non-whitespace text` };
  }
}

function pairRefusals(request: ClaudeRequest): Refusal[] {
  const refusals: Refusal[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  for (const { role, blocks, path } of turns(request.messages)) {
    if (role === "user") refusals.push(...resultRefusals(blocks, open, path));
    else if (open.length > 0) refusals.push(unanswered(open, path));
    open = blocks.filter((block) => block.type === "tool_use").map((block) => string(block.id));
    for (const id of open) {
      if (seen.has(id))
        refusals.push({ rule: "tool_id", message: `${path}: \`tool_use\` ids must be unique` });
      seen.add(id);
    }
  }
  if (open.length > 0) refusals.push(unanswered(open, `messages.${request.messages.length - 1}`));
  return refusals;
}

/** A run of user messages is one turn to the API. */
function turns(messages: readonly ClaudeMessage[]): { role: string; blocks: Wire[]; path: string }[] {
  const merged: { role: string; blocks: Wire[]; path: string }[] = [];
  for (const [index, { role, blocks }] of messages.entries()) {
    const last = merged.at(-1);
    if (role === "user" && last?.role === "user") last.blocks.push(...blocks);
    else merged.push({ role, blocks: [...blocks], path: `messages.${index}` });
  }
  return merged;
}

function* resultRefusals(blocks: readonly Wire[], open: readonly string[], path: string): Generator<Refusal> {
  const results = blocks.filter((block) => block.type === "tool_result");
  for (const { tool_use_id } of results) {
    if (open.includes(string(tool_use_id))) continue;
    const message = `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${string(tool_use_id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    yield { rule: "tool_pair", message };
  }
  const leading = blocks.findIndex((block) => block.type !== "tool_result");
  const early = leading === -1 ? results : blocks.slice(0, leading);
  const missing = open.filter((id) => !early.some((block) => block.tool_use_id === id));
  if (missing.length > 0) yield unanswered(missing, path);
}

function unanswered(ids: readonly string[], path: string): Refusal {
  const message = `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
  return { rule: "tool_pair", message };
}
