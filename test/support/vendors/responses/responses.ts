import { type Json, objectOf } from "../../../../src/core/values/json.ts";
import { type AutomaticCache, countAutomatic } from "../automatic-cache.ts";
import { type Feature, type Refusal, refusedFeatures, type VendorApi, type World } from "../exchange.ts";
import { openAiError, parsedArguments } from "../openai-error.ts";
import { message, type ViewedMessage, viewed } from "../view.ts";
import { string, textOf, tokensOf, type Wire } from "../wire.ts";
import { speakGpt } from "./responses-answer.ts";
import { gptItemRefusals } from "./responses-items.ts";
import { gptParameterRefusals } from "./responses-parameters.ts";
import { type CheckedReasoning, checkReasoning } from "./responses-reasoning.ts";
import { bareItem, callableTools, type GptRequest, readGptRequest } from "./responses-request.ts";

/** OpenAI's responses API, without storage. https://platform.openai.com/docs/api-reference/responses */
export const responsesApi: VendorApi = {
  vendor: "responses",
  judge(incoming, world) {
    const request = readGptRequest(incoming);
    const reasoning = checkReasoning(request);
    const refused = [
      ...accessRefusals(request),
      ...gptParameterRefusals(request),
      ...gptItemRefusals(request),
      ...reasoning.refused,
      ...refusedFeatures(featuresOf(request), request.model, world),
      ...windowRefusals(request, reasoning, world),
    ];
    return {
      model: request.model,
      stream: request.body.stream === true,
      refused,
      dropped: reasoning.dropped,
      view: viewOf(request),
      count: () => countAutomatic(cacheRoot(request), parts(request, reasoning), cacheOf(request), world),
      speak: (reply, prompt) => speakGpt(request, reasoning, reply, prompt, world),
    };
  },
  error: openAiError,
};

function* accessRefusals({ key, known, model }: GptRequest): Generator<Refusal> {
  if (key === "") yield { rule: "key", message: "You didn't provide an API key.", status: 401 };
  if (known) return;
  const message = `The requested model '${model}' does not exist.`;
  yield { rule: "model", message, param: "model", code: "model_not_found" };
}

function* featuresOf({ body, input, reasoning }: GptRequest): Generator<readonly [Feature, string]> {
  const types = new Set(input.map((item) => string(item.type)));
  if (types.has("additional_tools")) yield ["additional_tools", "additional_tools"];
  if (types.has("tool_search_call")) yield ["tool_search", "tool_search_call"];
  if (types.has("configuration_update")) yield ["configuration_update", "configuration_update"];
  if (input.some((item) => item.role === "developer")) yield ["developer_role", "developer"];
  if (reasoning.context != null) yield ["reasoning_context", "reasoning.context"];
  if (Array.isArray(body.include)) yield ["encrypted_reasoning", "include"];
  if (body.prompt_cache_options != null) yield ["prompt_cache_options", "prompt_cache_options"];
  if (body.prompt_cache_key != null) yield ["prompt_cache_key", "prompt_cache_key"];
  if (objectOf(objectOf(body.text).format).type === "json_schema") yield ["json_schema", "text.format"];
  if (body.tool_choice !== undefined) yield ["tool_choice", "tool_choice"];
  if (body.parallel_tool_calls !== undefined) yield ["parallel_tool_calls", "parallel_tool_calls"];
  if (JSON.stringify(input).includes('"input_image"')) yield ["images", "input_image"];
}

/** The part before tools and instructions in the cached prompt. */
function cacheRoot({ model, key, body, reasoning }: GptRequest): string {
  return JSON.stringify([model, key, string(reasoning.effort), objectOf(body.text).format ?? null]);
}

function cacheOf({ facts, body }: GptRequest): AutomaticCache {
  const long = objectOf(body.prompt_cache_options).ttl === "12h" || body.prompt_cache_retention === "24h";
  const minutes = facts.additional_tools ? 30 : 10;
  const writes = long ? "paid_long" : "paid";
  return {
    minimum: 1_024,
    step: 128,
    ttl_ms: long ? 12 * 3_600_000 : minutes * 60_000,
    writes: facts.additional_tools ? writes : "free",
  };
}

/** The prompt in its order. Reasoning counts where the model is shown it. */
function parts({ body, tools, input }: GptRequest, { kept }: CheckedReasoning) {
  const list: { value: Json; tokens?: number }[] = tools.map((value) => ({ value }));
  if (string(body.instructions) !== "") list.push({ value: string(body.instructions) });
  for (const item of input) {
    if (item.type !== "reasoning") list.push({ value: bareItem(item) });
    else if (kept.has(item)) list.push({ value: bareItem(item), tokens: kept.get(item) ?? 0 });
  }
  return list;
}

function* windowRefusals(request: GptRequest, reasoning: CheckedReasoning, world: World): Generator<Refusal> {
  const window = world.context[request.model] ?? request.facts.context;
  const tokens = parts(request, reasoning).reduce(
    (sum, part) => sum + (part.tokens ?? tokensOf(part.value)),
    0,
  );
  if (tokens <= window) return;
  const message =
    "Your input exceeds the context window of this model. Please adjust your input and try again.";
  yield { rule: "context", message, param: "input", code: "context_length_exceeded" };
}

function viewOf(request: GptRequest) {
  const { body, input, model, key } = request;
  const inPlace = input.filter(
    ({ role, type }) => type === "message" && (role === "developer" || role === "system"),
  );
  const schema = objectOf(objectOf(body.text).format).schema;
  return viewed({
    vendor: "responses",
    model,
    key,
    instructions: [string(body.instructions), ...inPlace.map(({ content }) => textOf(content))]
      .filter(Boolean)
      .join("\n\n"),
    tools: callableTools(request).map(({ name, description, parameters }) => ({
      name: string(name),
      description: string(description),
      schema: objectOf(parameters),
    })),
    messages: viewedMessages(input),
    schema: schema === undefined ? undefined : objectOf(schema),
    may_call: body.tool_choice !== "none",
  });
}

/** Items grouped: all items of an answer are one message, and so are the results of one round. */
function viewedMessages(input: readonly Wire[]): ViewedMessage[] {
  const messages: ViewedMessage[] = [];
  let reasoned = false;
  for (const item of input) {
    if (item.type === "reasoning") {
      reasoned = true;
      continue;
    }
    const next = viewedItem(item);
    if (next === undefined) continue;
    const last = messages.at(-1);
    if (next.role === "assistant") next.reasoned = reasoned;
    reasoned = false;
    const joins = last?.role === next.role && (next.calls.length > 0 || next.results.length > 0);
    if (last !== undefined && joins && !next.reasoned) {
      last.calls.push(...next.calls);
      last.results.push(...next.results);
    } else {
      messages.push(next);
    }
  }
  return messages;
}

function viewedItem(item: Wire): ViewedMessage | undefined {
  const { type, role, content, call_id, name, output } = item;
  if (type === "function_call") {
    const call = { id: string(call_id), name: string(name), input: parsedArguments(item.arguments) };
    return message("assistant", "", { calls: [call] });
  }
  if (type === "function_call_output") {
    const result = { call_id: string(call_id), text: textOf(output), is_error: false };
    return message("tool", "", { results: [result] });
  }
  if (type !== "message") return undefined;
  if (role === "assistant" || role === "user") return message(role, textOf(content));
  return message("system", textOf(content));
}
