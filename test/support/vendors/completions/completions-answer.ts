import { objectOf } from "../../../../src/core/values/json.ts";
import { countTokens } from "../../../../src/models/count-tokens.ts";
import type { PromptUsage, Spoken, World } from "../exchange.ts";
import { chunksOf, cutText } from "../speech.ts";
import type { ScriptedReply } from "../view.ts";
import { objects, string, type Wire } from "../wire.ts";
import { throughOne } from "./completions-described.ts";
import { presetContent, presetOf, presetReasoning, textualCall } from "./completions-presets.ts";
import { boundCallId, signCall } from "./completions-reasoning.ts";
import type { ChatRequest } from "./completions-request.ts";

/** Puts a reply into the shape of chat completions. */
export function speakChat(
  request: ChatRequest,
  reply: ScriptedReply,
  prompt: PromptUsage,
  world: World,
): Spoken {
  const { text = "", calls = [] } = reply;
  const reasoning = request.effort === "none" ? 0 : (reply.reasoning_tokens ?? world.reasoning_tokens);
  const wanted = reasoning + countTokens([text, ...calls.map((call) => JSON.stringify(call))].join(""));
  const limit = Number(
    request.body.max_completion_tokens ?? request.body.max_tokens ?? Number.MAX_SAFE_INTEGER,
  );
  const cut = wanted > limit;
  const output = cut ? limit : wanted;
  const whole = presetMessage(request, messageOf(request, reply, world), reply);
  const message = cut
    ? { role: "assistant", content: cutText(text, limit - reasoning), ...reasoningOf(whole) }
    : whole;
  const ended = calls.length > 0 ? "tool_calls" : "stop";
  const finish_reason = reply.declined ? "content_filter" : cut ? "length" : ended;
  const usage = usageOf(request, prompt, output, Math.min(reasoning, output));
  const head = {
    id: `chatcmpl-${world.next()}`,
    created: Math.floor(world.now() / 1000),
    model: request.model,
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason }];
  const events = chunks(request, message, finish_reason, usage).map((chunk) => {
    const data = JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk });
    return `data: ${data}\n\n`;
  });
  return {
    json: { ...head, object: "chat.completion", choices, usage },
    events: [...events, "data: [DONE]\n\n"],
    output,
    reasoning: Math.min(reasoning, output),
    carries_reasoning: !cut && calls.length > 0 && ["deepseek", "gemini"].includes(request.dialect),
  };
}

function messageOf(request: ChatRequest, reply: ScriptedReply, world: World): Wire {
  const { dialect, model, effort } = request;
  const { text = "", calls = [], thought = "I consider what was asked." } = reply;
  const reasoning = dialect === "deepseek" && effort !== "none" ? thought : undefined;
  const tool_calls = calls.map((call, index) => {
    const { name, input } = throughOne(call, request);
    const id = callId(dialect, reasoning, world.next());
    const signed = dialect === "gemini" && index === 0;
    const extra = signed ? { extra_content: { google: { thought_signature: signCall(model, id) } } } : {};
    return { id, type: "function", function: { name, arguments: JSON.stringify(input) }, ...extra };
  });
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
}

/** The message as the server of a preset sends it. */
function presetMessage({ dialect }: ChatRequest, whole: Wire, { thought, text = "" }: ScriptedReply): Wire {
  const preset = presetOf(dialect);
  if (preset === undefined || thought === undefined) return whole;
  const { tool_calls, ...message } = { ...whole, ...presetReasoning(dialect, thought) };
  const isTextual = preset.calls === "textual";
  const calls = isTextual ? objects(tool_calls).map(textualCall).join("") : "";
  const content = presetContent(dialect, thought, text + calls);
  return { ...message, content, ...(isTextual || tool_calls === undefined ? {} : { tool_calls }) };
}

function callId(dialect: ChatRequest["dialect"], reasoning: string | undefined, number: number): string {
  if (dialect === "gemini") return `call_gemini_${number}`;
  if (dialect === "mistral") return String(number).padStart(9, "m");
  return reasoning === undefined ? `call_${number}` : boundCallId(reasoning, number);
}

function reasoningOf({ reasoning_content }: Wire): Wire {
  return reasoning_content === undefined ? {} : { reasoning_content };
}

/** Cached tokens have another name with DeepSeek. */
function usageOf({ dialect }: ChatRequest, prompt: PromptUsage, output: number, reasoning: number): Wire {
  const input = prompt.fresh + prompt.cache_read + prompt.cache_write + prompt.cache_write_long;
  const common = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
  if (dialect === "deepseek") {
    const cached = {
      prompt_cache_hit_tokens: prompt.cache_read,
      prompt_cache_miss_tokens: input - prompt.cache_read,
    };
    return { ...common, ...cached, ...details };
  }
  const cache_write_tokens = prompt.cache_write + prompt.cache_write_long;
  const prompt_tokens_details = { cached_tokens: prompt.cache_read, cache_write_tokens };
  return { ...common, prompt_tokens_details, ...details };
}

/** The parts of a stream. Gemini sends whole calls; usage comes only when it is asked for. */
function chunks({ dialect, body }: ChatRequest, message: Wire, finish: string, usage: Wire): Wire[] {
  const delta = (value: Wire, finish_reason: string | null = null): Wire => ({
    choices: [{ index: 0, delta: value, logprobs: null, finish_reason }],
  });
  const reasoning = ["reasoning_content", "reasoning"].flatMap((field) =>
    chunksOf(string(message[field])).map((words) => delta({ [field]: words })),
  );
  const details = objects(message.reasoning_details).map((detail) => delta({ reasoning_details: [detail] }));
  const text = Array.isArray(message.content)
    ? message.content.map((part) => delta({ content: [part] }))
    : chunksOf(string(message.content)).map((content) => delta({ content }));
  const preset = presetOf(dialect);
  const calls = objects(message.tool_calls).flatMap((call, index) =>
    dialect === "gemini" || preset?.calls === "whole"
      ? [delta({ tool_calls: [{ index, ...call }] })]
      : preset?.calls === "no_index"
        ? [delta({ tool_calls: [call] })]
        : callDeltas(call, index).map((one) => delta(one)),
  );
  const isAsked = objectOf(body.stream_options).include_usage === true;
  const counts = preset?.usage === "always" || (isAsked && preset?.usage !== "never");
  const counted = counts ? [{ choices: [], usage }] : [];
  return [
    delta({ role: "assistant", content: message.content === null ? null : "" }),
    ...reasoning,
    ...details,
    ...text,
    ...calls,
    delta({}, finish),
    ...counted,
  ];
}

function callDeltas(call: Wire, index: number): Wire[] {
  const called = objectOf(call.function);
  const start = { ...call, index, function: { name: called.name ?? "", arguments: "" } };
  const rest = chunksOf(string(called.arguments)).map((text) => ({ index, function: { arguments: text } }));
  return [start, ...rest].map((one) => ({ tool_calls: [one] }));
}
