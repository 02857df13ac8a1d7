import { type Json, objectOf } from "../../../../src/core/values/json.ts";
import type { Refusal } from "../exchange.ts";
import { objects, string, type Wire } from "../wire.ts";

/** How a server of chat completions differs from OpenAI's, as its documentation and its users tell. */
interface Preset {
  /** The field of deltas with reasoning; undefined for a server that does not show reasoning. */
  reasoning?: "reasoning_content" | "reasoning" | "reasoning_details" | "think_tags" | "parts";
  /** Fields of a request that it does not take, with its words about one. */
  refuses: readonly string[];
  says(field: string): string;
  /** Fields of past assistant messages that it does not take. */
  refusesBack?: readonly string[];
  /** The shape of its errors. */
  error(status: number, message: string): Json;
  /** Whether it needs a key. */
  key: boolean;
  /** Whether calls come whole in one delta, without an index, or as text. */
  calls?: "whole" | "no_index" | "textual";
  /** Whether streams have usage: when asked for, always, or never. */
  usage?: "asked" | "always" | "never";
}

const openAiShape = (status: number, message: string): Json => ({
  error: { message, code: null, type: `http_${status}` },
});
const forbidden = (field: string) => `${field}: Extra inputs are not permitted`;
const later = ["prompt_cache_key", "max_completion_tokens"];

const presets = {
  openrouter: {
    reasoning: "reasoning_details",
    refuses: [],
    says: forbidden,
    key: true,
    error: (status, message) => ({
      error: {
        code: status,
        message: "Provider returned error",
        metadata: { raw: JSON.stringify({ error: { message } }), provider_name: "Somebody" },
      },
    }),
    usage: "always",
  },
  ollama: {
    reasoning: "reasoning",
    refuses: later,
    says: forbidden,
    key: false,
    error: (_status, message) => ({ error: message }),
    calls: "whole",
  },
  lmstudio: {
    reasoning: "think_tags",
    refuses: later,
    says: forbidden,
    key: false,
    error: (_status, message) => ({ error: message }),
    calls: "textual",
    usage: "never",
  },
  vllm: {
    reasoning: "reasoning",
    refuses: ["prompt_cache_key"],
    says: forbidden,
    key: false,
    error: (_status, message) => ({ detail: [{ loc: ["body"], msg: message }] }),
  },
  llamacpp: {
    reasoning: "reasoning_content",
    refuses: later,
    says: forbidden,
    key: false,
    error: (status, message) => ({ error: { code: status, message, type: "server_error" } }),
    calls: "no_index",
  },
  groq: {
    reasoning: "reasoning",
    refuses: ["prompt_cache_key"],
    says: (field) => `property '${field}' is unsupported`,
    refusesBack: ["reasoning_content", "reasoning"],
    key: true,
    error: openAiShape,
  },
  together: {
    reasoning: "reasoning",
    refuses: ["max_completion_tokens", "prompt_cache_key"],
    says: forbidden,
    key: true,
    error: openAiShape,
    usage: "always",
  },
  mistral: {
    reasoning: "parts",
    refuses: ["stream_options", "max_completion_tokens", "prompt_cache_key", "parallel_tool_calls"],
    says: forbidden,
    key: true,
    error: (status, message) => ({
      object: "error",
      message,
      type: "invalid_request_error",
      code: String(status),
    }),
    calls: "whole",
    usage: "always",
  },
  xai: {
    reasoning: "reasoning_content",
    refuses: ["reasoning_effort"],
    says: (field) =>
      `Argument not supported on this model: ${field === "reasoning_effort" ? "reasoningEffort" : field}`,
    key: true,
    error: (_status, message) => ({ code: "Client specified an invalid argument", error: message }),
  },
  azure: {
    refuses: ["max_tokens"],
    says: (field) =>
      `Unsupported parameter: '${field}' is not supported with this model. Use 'max_completion_tokens' instead.`,
    key: true,
    error: openAiShape,
  },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export function presetOf(dialect: string): Preset | undefined {
  return Object.hasOwn(presets, dialect) ? presets[dialect as PresetName] : undefined;
}

/** Additional requests that a preset's server rejects. */
export function* presetRefusals(dialect: string, body: Wire, messages: readonly Wire[]): Generator<Refusal> {
  const preset = presetOf(dialect);
  if (preset === undefined) return;
  for (const field of preset.refuses) {
    if (body[field] !== undefined)
      yield { rule: `field:${field}`, message: preset.says(field), param: field };
  }
  for (const [index, message] of messages.entries()) {
    const field = preset.refusesBack?.find((name) => message[name] !== undefined);
    if (field !== undefined) {
      yield { rule: "back", message: `'messages.${index}' : for 'role:assistant' ${preset.says(field)}` };
    }
    if (dialect === "mistral") yield* mistralRefusals(message);
    if (dialect === "openrouter") yield* detailRefusals(message);
  }
}

/** https://docs.mistral.ai/capabilities/function_calling: ids of exactly nine letters and digits. */
function* mistralRefusals(message: Wire): Generator<Refusal> {
  const ids = [
    ...objects(message.tool_calls).map(({ id }) => string(id)),
    ...(message.role === "tool" ? [string(message.tool_call_id)] : []),
  ];
  for (const id of ids.filter((one) => !/^[a-zA-Z0-9]{9}$/.test(one))) {
    yield {
      rule: "call_id",
      message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    };
  }
}

/** Encrypted details come back as they went out. */
function* detailRefusals(message: Wire): Generator<Refusal> {
  for (const detail of objects(message.reasoning_details)) {
    if (detail.type !== "reasoning.text" || detail.signature === `signed:${string(detail.text)}`) continue;
    yield { rule: "details", message: "Invalid signature in reasoning_details." };
  }
}

/** The fields of a message by which this server shows reasoning. */
export function presetReasoning(dialect: string, thought: string): Wire {
  switch (presetOf(dialect)?.reasoning) {
    case "reasoning_content":
      return { reasoning_content: thought };
    case "reasoning":
      return { reasoning: thought };
    case "reasoning_details":
      return {
        reasoning: thought,
        reasoning_details: [
          { type: "reasoning.text", index: 0, text: thought, signature: `signed:${thought}` },
        ],
      };
    default:
      return {};
  }
}

/** The content with reasoning in it, where the server puts it there. */
export function presetContent(dialect: string, thought: string, text: string): Json {
  const reasoning = presetOf(dialect)?.reasoning;
  if (reasoning === "think_tags") return `<think>\n${thought}\n</think>\n\n${text}`;
  if (reasoning !== "parts") return text;
  return [
    { type: "thinking", thinking: [{ type: "text", text: thought }] },
    { type: "text", text },
  ];
}

/** A call as text, as models write it whose server has no parser for it. */
export function textualCall(call: Wire): string {
  const { name = "", arguments: input } = objectOf(call.function);
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${string(input)}}\n</tool_call>\n`;
}
