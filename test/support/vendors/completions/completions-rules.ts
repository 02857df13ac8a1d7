import { objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { gptFacts } from "../openai-models.ts";
import { effortRefusal, functionRefusals, schemaRefusals } from "../responses/responses-parameters.ts";
import { blocksOf, string, type Wire } from "../wire.ts";
import { presetRefusals } from "./completions-presets.ts";
import { type ChatRequest, callsOf } from "./completions-request.ts";

/** Requests that every server rejects, and those that only OpenAI's own and the strict one reject. */
export function chatRefusals(request: ChatRequest): Refusal[] {
  return [
    ...roleRefusals(request),
    ...pairRefusals(request),
    ...toolRefusals(request),
    ...(request.dialect === "openai" ? openAiRefusals(request) : []),
    ...(request.dialect === "strict" ? strictRefusals(request) : []),
    ...presetRefusals(request.dialect, request.body, request.messages),
  ];
}

const roles = ["system", "user", "assistant", "tool"];

function* roleRefusals({ messages, dialect }: ChatRequest): Generator<Refusal> {
  if (messages.length === 0) {
    yield { rule: "no_messages", message: "Invalid 'messages': empty array.", param: "messages" };
  }
  const known = dialect === "openai" ? [...roles, "developer"] : roles;
  for (const [index, { role, content, tool_calls }] of messages.entries()) {
    const param = `messages[${index}]`;
    if (!known.includes(string(role))) {
      const values = known.map((one) => `\`${one}\``).join(", ");
      const message = `${param}.role: unknown variant \`${string(role)}\`, expected one of ${values}`;
      yield { rule: "role", message, param: `${param}.role` };
    }
    if (content == null && !(role === "assistant" && Array.isArray(tool_calls))) {
      const message = `Invalid value for 'content': expected a string, got null.`;
      yield { rule: "empty_content", message, param: `${param}.content` };
    }
    const unknown = blocksOf(content).find(
      ({ type }) => type !== "text" && type !== "image_url" && type !== "refusal",
    );
    if (unknown === undefined) continue;
    yield {
      rule: "content_type",
      message: `Invalid value: '${string(unknown.type)}'.`,
      param: `${param}.content`,
    };
  }
}

/** The calls of a message are answered right behind it, all of them and no other. */
function* pairRefusals({ messages }: ChatRequest): Generator<Refusal> {
  let open: string[] = [];
  for (const [index, message] of [...messages, {}].entries()) {
    if (message.role === "tool") {
      const id = string(message.tool_call_id);
      if (!open.includes(id)) {
        const text = "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
        yield { rule: "tool_pair", message: text, param: `messages[${index}].role` };
      }
      open = open.filter((one) => one !== id);
      continue;
    }
    if (open.length > 0) {
      const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`;
      yield { rule: "tool_pair", message: text, param: `messages[${index}].role` };
    }
    const calls = callsOf(message);
    open = calls.map(({ id }) => string(id));
    for (const call of calls) yield* callRefusals(call, `messages[${index}].tool_calls`);
  }
}

function* callRefusals(call: Wire, param: string): Generator<Refusal> {
  const called = objectOf(call.function);
  if (string(call.id) === "" || call.type !== "function" || string(called.name) === "") {
    const message = `Invalid '${param}': a call needs an id, the type 'function' and a name.`;
    yield { rule: "tool_call", message, param };
  }
  if (typeof called.arguments !== "string") {
    const message = `Invalid type for '${param}.function.arguments': expected a string, but got an object instead.`;
    yield { rule: "arguments", message, param };
  }
}

function* toolRefusals({ tools, body }: ChatRequest): Generator<Refusal> {
  for (const [index, tool] of tools.entries()) {
    yield* functionRefusals(objectOf(tool.function), `tools[${index}].function`);
  }
  const names = tools.map((tool) => string(objectOf(tool.function).name));
  if (new Set(names).size < names.length) {
    yield { rule: "tool_name", message: "Invalid 'tools': tool names must be unique.", param: "tools" };
  }
  if (Array.isArray(body.tools) && tools.length === 0) {
    const message = "Invalid 'tools': empty array. Expected an array with minimum length 1.";
    yield { rule: "tools_empty", message, param: "tools", code: "empty_array" };
  }
  const format = objectOf(body.response_format);
  if (format.type === "json_schema") {
    yield* schemaRefusals(objectOf(format.json_schema), "response_format.json_schema");
  }
}

function* openAiRefusals(request: ChatRequest): Generator<Refusal> {
  const { body, model, tools, effort } = request;
  const facts = gptFacts(model);
  if (facts === undefined) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    yield { rule: "model", message, code: "model_not_found", status: 404 };
    return;
  }
  if (facts.tools_need_responses && tools.length > 0 && effort !== "none") {
    const message = `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
    yield { rule: "tools_with_reasoning", message, param: "reasoning_effort" };
  }
  const given = string(body.reasoning_effort);
  if (given !== "" && !facts.efforts.includes(given)) {
    yield effortRefusal(given, { model, facts }, "reasoning_effort");
  }
  if (body.max_tokens != null) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    yield { rule: "max_tokens", message, param: "max_tokens", code: "unsupported_parameter" };
  }
  for (const name of ["temperature", "top_p", "presence_penalty", "frequency_penalty"]) {
    if (effort === "none" || body[name] == null) continue;
    const message = `Unsupported parameter: '${name}' is not supported with this model.`;
    yield { rule: "sampling", message, param: name, code: "unsupported_parameter" };
  }
  if (body.prompt_cache_retention != null && facts.sixth) {
    const message = "Unsupported parameter: 'prompt_cache_retention' is not supported with this model.";
    yield { rule: "cache_retention", message, param: "prompt_cache_retention" };
  }
}

const ofOpenAiAlone = [
  ...["max_completion_tokens", "store", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["safety_identifier", "reasoning_effort", "verbosity"],
];

/** A server with a chat template that knows one system message, and with fields of the older API alone. */
function* strictRefusals({ messages, body }: ChatRequest): Generator<Refusal> {
  if (messages.some(({ role }, index) => role === "system" && index > 0)) {
    const message = "Chat template error: System message must be at the beginning.";
    yield { rule: "system_place", message, param: "messages" };
  }
  for (const name of ofOpenAiAlone) {
    if (body[name] === undefined) continue;
    yield { rule: "unknown_field", message: `${name}: Extra inputs are not permitted`, param: name };
  }
}
