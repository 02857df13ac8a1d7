import { objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { functionSchemaFault, strictSchemaFault } from "../output-schema.ts";
import { string, type Wire } from "../wire.ts";
import { broughtTools, type GptRequest } from "./responses-request.ts";

const known = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text"],
  ...["store", "include", "stream", "stream_options", "max_output_tokens", "max_tool_calls", "metadata"],
  ...["prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "temperature", "top_p"],
  ...["top_logprobs", "truncation", "safety_identifier", "user", "service_tier", "previous_response_id"],
  ...["background", "conversation", "prompt", "context_management"],
]);
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Errors in the parameters other than the input. */
export function gptParameterRefusals(request: GptRequest): Refusal[] {
  return [
    ...fieldRefusals(request),
    ...effortRefusals(request),
    ...samplingRefusals(request),
    ...cacheRefusals(request),
    ...gptToolRefusals(request.tools, "tools"),
    ...request.input.flatMap((item, index) => [
      ...gptToolRefusals(broughtTools(item), `input[${index}].tools`),
    ]),
    ...formatRefusals(request),
  ];
}

function* fieldRefusals({ body }: GptRequest): Generator<Refusal> {
  for (const name of Object.keys(body)) {
    if (known.has(name)) continue;
    const message = `Unknown parameter: '${name}'.`;
    yield { rule: "unknown_field", message, param: name, code: "unknown_parameter" };
  }
  const limit = body.max_output_tokens;
  if (typeof limit === "number" && limit < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`;
    yield { rule: "max_tokens", message, param: "max_output_tokens", code: "integer_below_min_value" };
  }
  if (body.previous_response_id != null) {
    const message = `Previous response with id '${string(body.previous_response_id)}' not found.`;
    yield { rule: "stateless", message, param: "previous_response_id", code: "previous_response_not_found" };
  }
}

function unsupportedParameter(param: string, rule: string): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  return { rule, message, param, code: "unsupported_parameter" };
}

/** A refusal of an effort a model does not know. */
export function effortRefusal(
  effort: string,
  { model, facts }: Pick<GptRequest, "model" | "facts">,
  param: string,
): Refusal {
  const values = facts.efforts.map((one) => `'${one}'`).join(", ");
  const message = `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${values}.`;
  return { rule: "effort", message, param, code: "unsupported_value" };
}

function* effortRefusals(request: GptRequest): Generator<Refusal> {
  const { reasoning, facts } = request;
  const effort = string(reasoning.effort);
  if (effort !== "" && !facts.efforts.includes(effort)) {
    yield effortRefusal(effort, request, "reasoning.effort");
  }
  if (reasoning.context != null && !facts.all_turns) {
    yield unsupportedParameter("reasoning.context", "reasoning_context");
  }
}

function* samplingRefusals({ body, effort }: GptRequest): Generator<Refusal> {
  if (effort === "none") return;
  for (const name of ["temperature", "top_p", "top_logprobs"]) {
    if (body[name] != null) yield unsupportedParameter(name, "sampling");
  }
}

function* cacheRefusals({ body, facts }: GptRequest): Generator<Refusal> {
  const key = string(body.prompt_cache_key);
  if (key.length > 64) {
    const message = `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`;
    yield { rule: "cache_key", message, param: "prompt_cache_key", code: "string_above_max_length" };
  }
  if (body.prompt_cache_retention != null && facts.sixth) {
    yield unsupportedParameter("prompt_cache_retention", "cache_retention");
  }
  const options = body.prompt_cache_options;
  if (options == null) return;
  if (!facts.additional_tools) yield unsupportedParameter("prompt_cache_options", "cache_options");
  const ttl = objectOf(options).ttl;
  if (ttl != null && ttl !== "30m" && ttl !== "12h") {
    const message = `Invalid value: '${string(ttl)}'. Supported values are: '30m' and '12h'.`;
    yield { rule: "cache_options", message, param: "prompt_cache_options.ttl", code: "invalid_value" };
  }
}

/** Errors in function definitions. */
function* gptToolRefusals(tools: readonly Wire[], path: string): Generator<Refusal> {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== "function") continue;
    const param = `${path}[${index}]`;
    yield* functionRefusals(tool, param);
    if (names.has(string(tool.name))) {
      const message = `Invalid '${param}.name': duplicate tool name '${string(tool.name)}'.`;
      yield { rule: "tool_name", message, param };
    }
    names.add(string(tool.name));
  }
}

/** Errors in one function, in the form of either API. */
export function* functionRefusals({ name, parameters, strict }: Wire, param: string): Generator<Refusal> {
  if (!functionName.test(string(name))) {
    const message = `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    yield { rule: "tool_name", message, param: `${param}.name`, code: "invalid_value" };
  }
  const schema = objectOf(parameters);
  const loose = parameters == null ? undefined : functionSchemaFault(schema);
  const wrong = strict === true ? (strictSchemaFault(schema) ?? loose) : loose;
  if (wrong === undefined) return;
  const message = `Invalid schema for function '${string(name)}': ${wrong}`;
  yield { rule: "tool_schema", message, param: `${param}.parameters`, code: "invalid_function_parameters" };
}

function* formatRefusals({ body }: GptRequest): Generator<Refusal> {
  const format = objectOf(objectOf(body.text).format);
  if (format.type !== "json_schema") return;
  yield* schemaRefusals(format, "text.format");
}

/** Errors in the schema of a structured answer. */
export function* schemaRefusals({ name, schema, strict }: Wire, param: string): Generator<Refusal> {
  if (!functionName.test(string(name))) {
    const message = `Invalid '${param}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    yield { rule: "output_schema", message, param: `${param}.name`, code: "invalid_value" };
  }
  const fault = strict === true ? strictSchemaFault(objectOf(schema)) : undefined;
  if (fault === undefined) return;
  const message = `Invalid schema for response_format '${string(name)}': ${fault}`;
  yield { rule: "output_schema", message, param: `${param}.schema`, code: "invalid_json_schema" };
}
