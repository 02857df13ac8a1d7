import type { Refusal } from "../exchange.ts";
import { string, type Wire } from "../wire.ts";
import { definitionRefusals } from "./anthropic-messages.ts";
import { betas } from "./anthropic-parameters.ts";
import { addedDefinition, type ClaudeMessage, type ClaudeRequest, changedTool } from "./anthropic-request.ts";

/** Errors in system messages within the conversation: place, model, betas, and the tools they name. */
export function claudeSystemRefusals(request: ClaudeRequest): Refusal[] {
  const refusals: Refusal[] = [];
  const defined = new Set(request.tools.map((tool) => string(tool.name)));
  for (const [index, message] of request.messages.entries()) {
    if (message.role !== "system") continue;
    const path = `messages.${index}`;
    if (!request.facts.in_place) {
      refusals.push({
        rule: "system_in_place",
        message: `${path}: role 'system' is not supported on this model`,
      });
    }
    refusals.push(...placeRefusals(request.messages, index), ...emptyRefusals(message, path));
    refusals.push(...effortRefusals(request, message, path));
    for (const [at, block] of message.blocks.entries()) {
      refusals.push(...changeRefusals(request, block, `${path}.content.${at}`, defined));
    }
  }
  return refusals;
}

/** `user* → system* → assistant`; at the end of the array too. */
function* placeRefusals(messages: readonly ClaudeMessage[], index: number): Generator<Refusal> {
  const before = messages.slice(0, index).findLast(({ role }) => role !== "system");
  if (before?.role !== "user") {
    const message = `messages.${index}: role 'system' must follow a 'user' message`;
    yield { rule: "system_place", message };
  }
  const next = messages[index + 1];
  if (next !== undefined && next.role !== "system" && next.role !== "assistant") {
    const message = `messages.${index}: role 'system' must precede an 'assistant' message or end the array`;
    yield { rule: "system_place", message };
  }
}

function* emptyRefusals(message: ClaudeMessage, path: string): Generator<Refusal> {
  if (message.blocks.length > 0 || message.effort !== undefined) return;
  const text = `${path}: system messages must have non-empty content or an \`output_config\``;
  yield { rule: "empty_content", message: text };
}

function* effortRefusals(
  { betas: sent, facts, thinking }: ClaudeRequest,
  { effort, wire }: ClaudeMessage,
  path: string,
): Generator<Refusal> {
  if (wire.output_config !== undefined && !sent.has(betas.effort)) {
    yield { rule: "effort_beta", message: `${path}.output_config: Extra inputs are not permitted` };
  }
  if (effort === undefined) return;
  const at = `${path}.output_config.effort`;
  if (!facts.effort_in_place) {
    yield { rule: "effort_in_place", message: `${at}: not supported on this model` };
  }
  if (!facts.efforts.includes(effort)) {
    yield { rule: "effort", message: `${at}: '${effort}' is not supported on this model` };
  }
  if (thinking === "between_tools" || thinking === "disabled") {
    const message = `${at}: effort cannot change within a conversation with ${thinking} thinking`;
    yield { rule: "effort_in_place", message };
  }
}

function* changeRefusals(
  { betas: sent }: ClaudeRequest,
  block: Wire,
  path: string,
  defined: Set<string>,
): Generator<Refusal> {
  if (block.type !== "tool_addition" && block.type !== "tool_removal") return;
  const definition = addedDefinition(block);
  const name = changedTool(block);
  if (!sent.has(betas.inlineTools) && (definition !== undefined || !sent.has(betas.toolChanges))) {
    const message = `${path}: \`${block.type}\` requires the \`${betas.inlineTools}\` value in the \`anthropic-beta\` header`;
    yield { rule: "inline_tools_beta", message };
  }
  if (definition !== undefined) {
    yield* definitionRefusals(definition, `${path}.tool.definition`);
    defined.add(name);
  } else if (!defined.has(name)) {
    yield { rule: "tool_reference", message: `${path}.tool.name: tool '${name}' is not defined` };
  }
}
