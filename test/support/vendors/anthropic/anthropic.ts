import { objectOf } from "../../../../src/core/values/json.ts";
import { type Feature, type Incoming, type Refusal, refusedFeatures, type VendorApi } from "../exchange.ts";
import { message, type ViewedMessage, viewed } from "../view.ts";
import { string, textOf, type Wire } from "../wire.ts";
import { speakClaude } from "./anthropic-answer.ts";
import { claudeMarkRefusals, claudeWindowRefusals, countClaude } from "./anthropic-cache.ts";
import { claudeMessageRefusals } from "./anthropic-messages.ts";
import { claudeParameterRefusals } from "./anthropic-parameters.ts";
import {
  availableTools,
  type ClaudeMessage,
  type ClaudeRequest,
  readClaudeRequest,
} from "./anthropic-request.ts";
import { claudeSystemRefusals } from "./anthropic-system.ts";
import { checkThinking } from "./anthropic-thinking.ts";

/** Anthropic's messages API. https://platform.claude.com/docs/en/api/messages */
export const anthropicApi: VendorApi = {
  vendor: "anthropic",
  judge(incoming, world) {
    const request = readClaudeRequest(incoming);
    const thinking = checkThinking(request);
    const refused = [
      ...accessRefusals(incoming, request),
      ...claudeParameterRefusals(request),
      ...claudeMessageRefusals(request),
      ...claudeSystemRefusals(request),
      ...claudeMarkRefusals(request),
      ...refusedFeatures(featuresOf(request), request.model, world),
      ...thinking.refused,
      ...claudeWindowRefusals(request, thinking.kept, world),
    ];
    return {
      model: request.model,
      stream: request.body.stream === true,
      refused,
      dropped: thinking.dropped,
      view: viewOf(request),
      count: () => countClaude(request, thinking.kept, world),
      speak: (reply, prompt) => speakClaude(request, thinking, reply, prompt, world),
    };
  },
  error(status, { message }) {
    const type = errorTypes[status] ?? "api_error";
    return { type: "error", error: { type, message }, request_id: "req_stand_in" };
  },
};

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function* accessRefusals({ headers, key }: Incoming, request: ClaudeRequest): Generator<Refusal> {
  if (key === "") yield { rule: "key", message: "x-api-key header is required", status: 401 };
  if (headers["anthropic-version"] === undefined) {
    yield { rule: "version", message: "anthropic-version: header is required" };
  }
  if (!request.known) yield { rule: "model", message: `model: ${request.model}`, status: 404 };
}

function* featuresOf({ body, messages, tools }: ClaudeRequest): Generator<readonly [Feature, string]> {
  const types = new Set(messages.flatMap(({ blocks }) => blocks.map((block) => string(block.type))));
  if (messages.some(({ role }) => role === "system")) yield ["system_in_place", "messages.role"];
  if (types.has("tool_addition") || types.has("tool_removal")) yield ["inline_tools", "tool_addition"];
  if (types.has("image")) yield ["images", "image"];
  if (tools.some((tool) => tool.defer_loading === true)) yield ["defer_loading", "tools.defer_loading"];
  if (messages.some(({ effort }) => effort !== undefined))
    yield ["effort_in_place", "messages.output_config"];
  const thinking = objectOf(body.thinking);
  if (thinking.block_binding !== undefined) yield ["block_binding", "thinking.block_binding"];
  if (thinking.display !== undefined) yield ["thinking_display", "thinking.display"];
  if (objectOf(body.output_config).format != null) yield ["json_schema", "output_config.format"];
  if (body.tool_choice !== undefined) yield ["tool_choice", "tool_choice"];
  if (JSON.stringify(body).includes('"ttl":"1h"')) yield ["cache_1h", "cache_control.ttl"];
}

function viewOf(request: ClaudeRequest) {
  const { body, messages } = request;
  const inPlace = messages.filter(({ role }) => role === "system").map(({ wire }) => textOf(wire.content));
  const schema = objectOf(objectOf(body.output_config).format).schema;
  return viewed({
    vendor: "anthropic",
    model: request.model,
    key: request.account,
    instructions: [textOf(body.system), ...inPlace].filter(Boolean).join("\n\n"),
    tools: availableTools(request).map((tool) => ({
      name: string(tool.name),
      description: string(tool.description),
      schema: objectOf(tool.input_schema),
    })),
    messages: messages.flatMap(viewedMessages),
    schema: schema === undefined ? undefined : objectOf(schema),
    may_call: objectOf(body.tool_choice).type !== "none",
  });
}

function viewedMessages({ role, blocks, wire }: ClaudeMessage): ViewedMessage[] {
  const text = textOf(wire.content);
  if (role === "system") return [message("system", text)];
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use").map(viewedCall);
    const reasoned = blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking");
    return [message("assistant", text, { calls, reasoned })];
  }
  const results = blocks.filter(({ type }) => type === "tool_result").map(viewedResult);
  const others = blocks.filter(({ type }) => type !== "tool_result");
  const said = others.filter((block) => !isNote(block));
  return [
    ...(results.length > 0 ? [message("tool", "", { results })] : []),
    ...(said.length > 0 ? [message("user", textOf(said))] : []),
    ...others.filter(isNote).map((block) => message("system", string(block.text))),
  ];
}

/** What a client says in the name of the system where it cannot use that role, as a model would take it. */
function isNote({ type, text }: Wire): boolean {
  return type === "text" && string(text).startsWith("<system_note>");
}

function viewedCall({ id, name, input }: Wire) {
  return { id: string(id), name: string(name), input: input ?? null };
}

function viewedResult({ tool_use_id, content, is_error }: Wire) {
  return { call_id: string(tool_use_id), text: textOf(content), is_error: is_error === true };
}
