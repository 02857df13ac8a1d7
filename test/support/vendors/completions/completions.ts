import { type Json, objectOf } from "../../../../src/core/values/json.ts";
import { type AutomaticCache, countAutomatic } from "../automatic-cache.ts";
import { type Feature, type Refusal, refusedFeatures, type VendorApi, type World } from "../exchange.ts";
import { openAiError, parsedArguments } from "../openai-error.ts";
import { gptFacts } from "../openai-models.ts";
import { message, type ViewedMessage, viewed } from "../view.ts";
import { string, textOf, tokensOf, type Wire } from "../wire.ts";
import { speakChat } from "./completions-answer.ts";
import { describedTools, meant } from "./completions-described.ts";
import { presetOf } from "./completions-presets.ts";
import { checkChatReasoning } from "./completions-reasoning.ts";
import { type ChatRequest, callsOf, dialectOf, readChatRequest } from "./completions-request.ts";
import { chatRefusals } from "./completions-rules.ts";

/** Chat completions as OpenAI, DeepSeek, Gemini and smaller servers speak them. */
export const completionsApi: VendorApi = {
  vendor: "completions",
  judge(incoming, world) {
    const request = readChatRequest(incoming);
    const reasoning = checkChatReasoning(request);
    const refused = [
      ...keyRefusals(request),
      ...chatRefusals(request),
      ...reasoning.refused,
      ...refusedFeatures(featuresOf(request), request.model, world),
      ...windowRefusals(request, world),
    ];
    return {
      model: request.model,
      stream: request.body.stream === true,
      refused,
      dropped: reasoning.dropped,
      view: viewOf(request),
      count: () => countAutomatic(cacheRoot(request), parts(request), cacheOf(request), world),
      speak: (reply, prompt) => speakChat(request, reply, prompt, world),
    };
  },
  error(status, refusal, incoming) {
    const preset = presetOf(dialectOf(incoming));
    if (preset !== undefined) return preset.error(status, refusal.message);
    if (dialectOf(incoming) !== "gemini") return openAiError(status, refusal, incoming);
    const state = status === 400 ? "INVALID_ARGUMENT" : status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL";
    return [{ error: { code: status, message: refusal.message, status: state } }];
  },
};

/** Servers of one's own need no key. */
function* keyRefusals({ key, dialect }: ChatRequest): Generator<Refusal> {
  if (key !== "" || dialect === "plain" || dialect === "strict" || presetOf(dialect)?.key === false) return;
  yield { rule: "key", message: "You didn't provide an API key.", status: 401 };
}

function* featuresOf({ body, messages }: ChatRequest): Generator<readonly [Feature, string]> {
  if (messages.some(({ role }, index) => role === "system" && index > 0))
    yield ["system_in_place", "messages"];
  if (messages.some(({ role }) => role === "developer")) yield ["developer_role", "developer"];
  if (objectOf(body.response_format).type === "json_schema") yield ["json_schema", "response_format"];
  if (body.tool_choice !== undefined) yield ["tool_choice", "tool_choice"];
  if (body.parallel_tool_calls !== undefined) yield ["parallel_tool_calls", "parallel_tool_calls"];
  if (body.stream_options !== undefined) yield ["stream_usage", "stream_options"];
  if (body.prompt_cache_key !== undefined) yield ["prompt_cache_key", "prompt_cache_key"];
  if (body.prompt_cache_options !== undefined) yield ["prompt_cache_options", "prompt_cache_options"];
  if (JSON.stringify(messages).includes('"image_url"')) yield ["images", "image_url"];
}

function cacheRoot({ dialect, model, key, body }: ChatRequest): string {
  return JSON.stringify([dialect, model, key, body.response_format ?? null]);
}

/** DeepSeek: https://api-docs.deepseek.com/guides/kv_cache. Servers of one's own keep blocks of 16 tokens, as vLLM does. */
function cacheOf({ dialect, model }: ChatRequest): AutomaticCache {
  const hour = 3_600_000;
  if (dialect === "deepseek") return { minimum: 64, step: 64, ttl_ms: hour, writes: "free" };
  if (dialect === "plain" || dialect === "strict" || presetOf(dialect) !== undefined)
    return { minimum: 16, step: 16, ttl_ms: hour, writes: "free" };
  const paid = gptFacts(model)?.additional_tools === true;
  return { minimum: 1_024, step: 128, ttl_ms: (paid ? 30 : 10) * 60_000, writes: paid ? "paid" : "free" };
}

/** Tools come first in the prompt. */
function parts({ tools, messages }: ChatRequest): { value: Json }[] {
  return [...tools, ...messages].map((value) => ({ value }));
}

function* windowRefusals(request: ChatRequest, world: World): Generator<Refusal> {
  const window = world.context[request.model] ?? gptFacts(request.model)?.context ?? 128_000;
  const tokens = parts(request).reduce((sum, { value }) => sum + tokensOf(value), 0);
  if (tokens <= window) return;
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  yield { rule: "context", message, param: "messages", code: "context_length_exceeded" };
}

function viewOf({ body, messages, tools, model, key }: ChatRequest) {
  const schema = objectOf(objectOf(body.response_format).json_schema).schema;
  const instructions = messages.filter(({ role }) => role === "system" || role === "developer");
  return viewed({
    vendor: "completions",
    model,
    key,
    instructions: instructions.map(({ content }) => textOf(content)).join("\n\n"),
    tools: [...tools.map((tool) => objectOf(tool.function)), ...describedTools({ tools, messages })].map(
      (tool) => {
        const { name, description, parameters } = tool;
        return { name: string(name), description: string(description), schema: objectOf(parameters) };
      },
    ),
    messages: viewedMessages(messages),
    schema: schema === undefined ? undefined : objectOf(schema),
    may_call: body.tool_choice !== "none",
  });
}

function viewedMessages(wires: readonly Wire[]): ViewedMessage[] {
  const messages: ViewedMessage[] = [];
  for (const [index, wire] of wires.entries()) {
    const { role, content, tool_call_id } = wire;
    const last = messages.at(-1);
    if (role === "tool") {
      const result = { call_id: string(tool_call_id), text: textOf(content), is_error: false };
      if (last?.role === "tool") last.results.push(result);
      else messages.push(message("tool", "", { results: [result] }));
    } else if (role === "assistant") {
      const signed = /"thought_signature":"(?!skip_)/.test(JSON.stringify(wire));
      const shown = [wire.reasoning_content, wire.reasoning].some((words) => string(words) !== "");
      const reasoned = shown || signed || Array.isArray(wire.reasoning_details);
      messages.push(
        message("assistant", textOf(content), { calls: callsOf(wire).map(viewedCall), reasoned }),
      );
    } else if (role === "user") {
      messages.push(message("user", textOf(content)));
    } else if (index > 0) {
      messages.push(message("system", textOf(content)));
    }
  }
  return messages;
}

function viewedCall(call: Wire) {
  const { name, arguments: text } = objectOf(call.function);
  return meant({ id: string(call.id), name: string(name), input: parsedArguments(text) });
}
