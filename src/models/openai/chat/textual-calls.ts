import { isRecord } from "../../../base/record.ts";
import { type Json, type JsonSchema, objectOf, parseJson } from "../../../core/values/json.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";

/** A call as a model wrote it into its text. */
export interface TextualCall {
  name: string;
  /** JSON text of an object. */
  arguments: string;
}

/** The openings of calls in text, each with what ends it; without an end they go on to the end of the answer. */
export const callTags: Readonly<Record<string, readonly string[]>> = {
  "<tool_call>": ["</tool_call>"],
  "<function=": ["</function>"],
  "<|python_tag|>": ["<|eom_id|>", "<|eot_id|>"],
  "[TOOL_CALLS]": [],
  "<｜tool▁calls▁begin｜>": ["<｜tool▁calls▁end｜>"],
};

/**
 * The calls that a model wrote as text because its server has no parser for them; undefined when these are none, or one names
 * a tool that is not offered. The formats are those of the chat templates of Hermes and Qwen, Qwen3-Coder, GLM, Mistral,
 * Llama 3 and DeepSeek: https://docs.vllm.ai/en/latest/features/tool_calling.html
 * @param tag the opening, a key of `callTags`
 * @param body what stands between the opening and its end
 */
export function textualCalls(
  tag: string,
  body: string,
  tools: readonly ToolDefinition[],
): TextualCall[] | undefined {
  const calls = readers[tag]?.(body.trim(), tools) ?? [];
  const isOffered = ({ name }: TextualCall) => tools.some((tool) => tool.name === name);
  return calls.length > 0 && calls.every(isOffered) ? calls : undefined;
}

/** Whether what follows an opening may still become a call; answers early, so that prose about tags is not held back. */
export function mayBeCall(tag: string, body: string, tools: readonly ToolDefinition[]): boolean {
  const start = body.slice(0, 100).trimStart();
  if (tag === "<|python_tag|>" || tag === "<｜tool▁calls▁begin｜>") return true;
  const named = tools.some(({ name }) => start.startsWith(name) || name.startsWith(start));
  if (tag === "<function=") return named;
  if (tag === "[TOOL_CALLS]") return named || /^[[{]/.test(start);
  return named || start.startsWith("{") || begins(start, "<function=");
}

function begins(text: string, prefix: string): boolean {
  return text.startsWith(prefix) || prefix.startsWith(text);
}

type Reader = (body: string, tools: readonly ToolDefinition[]) => TextualCall[];

const readers: Readonly<Record<string, Reader>> = {
  "<tool_call>": (body, tools) => {
    if (body.startsWith("<function=")) return functionCalls(body.slice("<function=".length), tools);
    return body.startsWith("{") ? jsonCalls(body) : argumentPairs(body, tools);
  },
  "<function=": (body, tools) => functionCalls(body, tools),
  "<|python_tag|>": (body) => {
    const calls = jsonCalls(body);
    return calls.length > 0 ? calls : body.split(/;\s*(?=\{)/).flatMap(jsonCalls);
  },
  "[TOOL_CALLS]": (body) =>
    /^[[{]/.test(body) ? jsonCalls(body) : body.split("[TOOL_CALLS]").flatMap(named),
  "<｜tool▁calls▁begin｜>": (body) => body.split("<｜tool▁call▁begin｜>").slice(1).flatMap(separated),
};

/** `{"name": …, "arguments": {…}}`, or a list of these; Llama says `parameters`. */
function jsonCalls(text: string): TextualCall[] {
  const value = parsed(text);
  return (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const { name, arguments: input, parameters } = objectOf(one ?? null);
    return typeof name === "string" ? called(name, input ?? parameters ?? {}) : [];
  });
}

/** `name>{…}` of Llama, or `name>` and `<parameter=key>value</parameter>` of Qwen3-Coder. */
function functionCalls(body: string, tools: readonly ToolDefinition[]): TextualCall[] {
  const end = body.indexOf(">");
  const name = body.slice(0, Math.max(0, end)).trim();
  const rest = withoutEnd(body.slice(end + 1), "</function>").trim();
  if (rest.startsWith("{")) return called(name, parsed(rest));
  const pairs = rest
    .split("<parameter=")
    .slice(1)
    .map((part): [string, string] => {
      const close = part.indexOf(">");
      const value = withoutEnd(part.slice(close + 1), "</parameter>");
      return [part.slice(0, Math.max(0, close)).trim(), value.replace(/^\n/, "").replace(/\n$/, "")];
    });
  return name === "" || (rest !== "" && pairs.length === 0) ? [] : called(name, typed(name, pairs, tools));
}

/** `name`, `<arg_key>key</arg_key>` and `<arg_value>value</arg_value>` of GLM. */
function argumentPairs(body: string, tools: readonly ToolDefinition[]): TextualCall[] {
  const [head = "", ...parts] = body.split("<arg_key>");
  const name = head.trim();
  const pairs = parts.map((part): [string, string] => {
    const [key = "", value = ""] = part.split("<arg_value>");
    return [withoutEnd(key, "</arg_key>").trim(), withoutEnd(value, "</arg_value>")];
  });
  return called(name, typed(name, pairs, tools));
}

/** `name[ARGS]{…}` or `name{…}` of Mistral, perhaps with `[CALL_ID]…` between. */
function named(text: string): TextualCall[] {
  const brace = text.indexOf("{");
  if (brace === -1) return [];
  const [name = ""] = text.slice(0, brace).split("[");
  return called(name.trim(), parsed(text.slice(brace)));
}

/** `function<｜tool▁sep｜>name` with fenced JSON of DeepSeek V3 and R1, `name<｜tool▁sep｜>{…}` from V3.1 on. */
function separated(part: string): TextualCall[] {
  const [head = "", tail = ""] = part.split("<｜tool▁call▁end｜>", 1)[0]?.split("<｜tool▁sep｜>") ?? [];
  const brace = tail.indexOf("{");
  if (brace === -1) return [];
  const name = head.trim() === "function" ? tail.slice(0, brace).split("\n", 1)[0] : head;
  return called((name ?? "").trim(), parsed(withoutEnd(tail.slice(brace), "```")));
}

function withoutEnd(text: string, end: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(end) ? trimmed.slice(0, -end.length) : text;
}

/** Nothing for arguments that are no object: what was written is then text. */
function called(name: string, input: Json | undefined): TextualCall[] {
  const value = typeof input === "string" ? parsed(input) : input;
  if (!isRecord(value)) return [];
  return [{ name, arguments: JSON.stringify(value) }];
}

/** Values in words get the types their parameters have. */
function typed(name: string, pairs: readonly [string, string][], tools: readonly ToolDefinition[]): Json {
  const schema: JsonSchema = tools.find((tool) => tool.name === name)?.parameters ?? {};
  const properties = objectOf(schema.properties);
  return Object.fromEntries(
    pairs.map(([key, text]) => {
      const isText = objectOf(properties[key]).type === "string";
      return [key, isText ? text : (parsed(text.trim()) ?? text)];
    }),
  );
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
