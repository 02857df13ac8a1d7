import { objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { claudeSchemaFault } from "../output-schema.ts";
import { string } from "../wire.ts";
import { type ClaudeRequest, effortOf } from "./anthropic-request.ts";

const known = new Set([
  ...[
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "metadata",
    "stop_sequences",
  ],
  ...[
    "temperature",
    "top_p",
    "top_k",
    "thinking",
    "output_config",
    "service_tier",
    "cache_control",
    "container",
  ],
  ...["context_management", "mcp_servers", "inference_geo", "speed"],
]);

export const betas = {
  inlineTools: "inline-tools-2026-09-15",
  toolChanges: "mid-conversation-tool-changes-2026-07-01",
  effort: "mid-conversation-output-config-2026-07-01",
  binding: "thinking-binding-controls-2026-08-01",
  updates: "thinking-display-updates-2026-08-18",
} as const;

/** Errors in the parameters other than system, tools and messages. */
export function claudeParameterRefusals(request: ClaudeRequest): Refusal[] {
  return [
    ...unknownFields(request),
    ...limitRefusals(request),
    ...samplingRefusals(request),
    ...choiceRefusals(request),
    ...thinkingRefusals(request),
    ...outputRefusals(request),
  ];
}

function* unknownFields({ body }: ClaudeRequest): Generator<Refusal> {
  for (const name of Object.keys(body)) {
    if (!known.has(name)) yield { rule: "unknown_field", message: `${name}: Extra inputs are not permitted` };
  }
}

function* limitRefusals({ body, facts, model }: ClaudeRequest): Generator<Refusal> {
  const limit = body.max_tokens;
  if (typeof limit !== "number") {
    yield { rule: "max_tokens", message: "max_tokens: Field required" };
  } else if (limit < 0 || limit > facts.output) {
    const message = `max_tokens: ${limit} > ${facts.output}, which is the maximum allowed number of output tokens for ${model}`;
    yield { rule: "max_tokens", message };
  }
}

/** The default of a sampling parameter may be said. */
const defaults: Readonly<Record<string, number | undefined>> = { temperature: 1, top_p: 1, top_k: undefined };

function* samplingRefusals({ body, facts }: ClaudeRequest): Generator<Refusal> {
  if (facts.sampling) return;
  for (const [name, value] of Object.entries(defaults)) {
    const given = body[name];
    if (given === undefined || given === null || given === value) continue;
    yield { rule: "sampling", message: `\`${name}\` is deprecated for this model.` };
  }
}

function* choiceRefusals({ body, facts, tools, thinking }: ClaudeRequest): Generator<Refusal> {
  const type = string(objectOf(body.tool_choice).type);
  if (type === "") return;
  if (tools.length === 0) {
    yield { rule: "tool_choice", message: "tool_choice may only be specified while providing tools." };
  }
  if (type !== "any" && type !== "tool") return;
  if (!facts.forced_tools) {
    const message = `tool_choice: forced tool use (\`${type}\`) is not supported for this model. Use \`auto\` or \`none\`.`;
    yield { rule: "forced_tool_choice", message };
  } else if (thinking === "enabled") {
    const message = "Thinking may not be enabled when tool_choice forces tool use.";
    yield { rule: "forced_tool_choice", message };
  }
}

function* thinkingRefusals(request: ClaudeRequest): Generator<Refusal> {
  const { body, facts, betas: sent } = request;
  const thinking = objectOf(body.thinking);
  if (thinking.type !== undefined) yield* modeRefusals(request);
  if (thinking.display === "updates" && !sent.has(betas.updates)) {
    const message = "thinking.display: 'updates' requires the `thinking-display-updates-2026-08-18` beta";
    yield { rule: "display_beta", message };
  }
  if (thinking.block_binding !== undefined && !sent.has(betas.binding)) {
    yield { rule: "binding_beta", message: "thinking.block_binding: Extra inputs are not permitted" };
  }
  if (thinking.type === "between_tools" || thinking.type === "disabled") {
    for (const name of ["display", "block_binding"]) {
      if (thinking[name] === undefined) continue;
      const message = `thinking.${thinking.type}.${name}: Extra inputs are not permitted`;
      yield { rule: "thinking_field", message };
    }
  }
  if (thinking.type === "enabled" && facts.budget) yield* budgetRefusals(request);
}

function* modeRefusals(request: ClaudeRequest): Generator<Refusal> {
  const { facts, model, thinking } = request;
  const effort = effortOf(request);
  const high = effort === "xhigh" || effort === "max";
  if (thinking === "disabled" && facts.disabled === "never") {
    const instead = facts.between_tools ? ' Use "thinking.type.between_tools".' : "";
    const message = `"thinking.type.disabled" is not supported for this model.${instead}`;
    yield { rule: "thinking_disabled", message };
  }
  if (thinking === "disabled" && facts.disabled === "up_to_high" && high) {
    const message = `thinking.type: disabled thinking is not supported at effort ${effort}`;
    yield { rule: "thinking_disabled", message };
  }
  if (thinking === "between_tools" && !facts.between_tools) {
    yield { rule: "between_tools", message: `"thinking.type.between_tools" is not supported for ${model}.` };
  }
  if (thinking === "between_tools" && facts.between_tools && high) {
    const message = `output_config.effort: '${effort}' is not supported with between_tools thinking`;
    yield { rule: "between_tools", message };
  }
  if (thinking === "enabled" && !facts.budget) {
    const message =
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
    yield { rule: "thinking_enabled", message };
  }
  if (thinking === "adaptive" && facts.efforts.length === 0) {
    yield { rule: "thinking_adaptive", message: "adaptive thinking is not supported on this model" };
  }
}

function* budgetRefusals({ body }: ClaudeRequest): Generator<Refusal> {
  const budget = objectOf(body.thinking).budget_tokens;
  if (typeof budget !== "number" || budget < 1_024) {
    const message = "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
    yield { rule: "budget", message };
  } else if (typeof body.max_tokens === "number" && budget >= body.max_tokens) {
    yield { rule: "budget", message: "`max_tokens` must be greater than `thinking.budget_tokens`." };
  }
}

function* outputRefusals({ body, facts }: ClaudeRequest): Generator<Refusal> {
  const { effort, format } = objectOf(body.output_config);
  if (effort !== undefined && effort !== null) {
    if (facts.efforts.length === 0) {
      yield { rule: "effort", message: "This model does not support the effort parameter." };
    } else if (!facts.efforts.includes(string(effort))) {
      const values = facts.efforts.map((one) => `'${one}'`).join(", ");
      yield { rule: "effort", message: `output_config.effort: Input should be ${values}` };
    }
  }
  if (format === undefined || format === null) return;
  const fault = claudeSchemaFault(objectOf(objectOf(format).schema));
  if (fault !== undefined) yield { rule: "output_schema", message: `output_config.format.schema: ${fault}` };
}
