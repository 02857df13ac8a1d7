import type { Anthropic } from "@anthropic-ai/sdk";
import { isContainer } from "../../base/record.ts";
import { type CacheLifetime, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import { type Json, type JsonSchema, objectOf } from "../../core/values/json.ts";
import type { Effort } from "../../core/values/message.ts";
import { effortNow } from "../effort.ts";
import type { Body } from "../post-json.ts";
import { type OutputForm, objectSchema, outputName } from "../structured-output.ts";
import { notesExplained } from "../system-note.ts";
import type { WireBlock } from "./blocks.ts";
import { toolDefinition, type WireMessage } from "./messages.ts";
import { type Abilities, wireEffort } from "./models.ts";

/** A request without its model: the body, and the beta features it uses. */
export interface WireRequest {
  body: Body<Omit<Anthropic.MessageCreateParams, "model" | "max_tokens" | "stream">>;
  betas: string[];
}

/**
 * The request in Anthropic's format. Between two requests of one transcript only the end of `messages` grows if the model takes
 * changes during a conversation; otherwise `tools` and the effort change too.
 * @throws ModelError `invalid_request` for a schema that the server cannot enforce
 */
export function wireRequest(
  request: ModelRequest,
  messages: readonly WireMessage[],
  form: OutputForm,
  abilities: Abilities,
): WireRequest {
  const isFree = form.kind === "free";
  const { cache } = request;
  const markOf = (lifetime: CacheLifetime | undefined) =>
    lifetime === undefined ? {} : lifetime === "hour" && abilities.hourCache ? hour : short;
  const tools = markTools(toolList(request, abilities), markOf(cache?.tools));
  const { config, tool = undefined } = form.kind === "schema" ? outputMeans(form.schema, abilities) : {};
  const effort = wireEffort(openingEffort(request, abilities), abilities);
  const text = systemText(request, abilities);
  const forbidden = !isFree || request.no_calls === true;
  const marked = cache === undefined ? messages : markConversation(messages, request.keep_only === true);
  // Nobody watches a request that is sent once.
  const isShown = isFree && cache !== undefined;
  return {
    body: {
      // The typings of the stable API know no tool changes in system messages.
      messages: marked as Anthropic.MessageParam[],
      system: text === "" ? undefined : [{ type: "text", text, ...markOf(cache?.instructions) }],
      ...toolUse(tools, forbidden, tool),
      thinking: isShown ? thinkingOf(abilities) : undefined,
      output_config: effort || config ? ({ effort, ...config } as Anthropic.OutputConfig) : undefined,
    },
    betas: [...betasOf(request, abilities), ...(isShown ? displayBetas(abilities) : [])],
  };
}

/** The instructions. They explain notes from the start of a conversation with tools that announces changes as notes. */
function systemText({ system, tools }: ModelRequest, { inline }: Abilities): string {
  return inline || tools.length === 0 ? system : [system, notesExplained].filter(Boolean).join("\n\n");
}

/** The betas are the same for every request of a transcript, even before anything has changed. */
function betasOf({ tools }: ModelRequest, { inline, effortChange }: Abilities): string[] {
  if (!inline) return [];
  return [
    ...(tools.length > 0 ? ["inline-tools-2026-09-15"] : []),
    ...(effortChange ? ["mid-conversation-output-config-2026-07-01"] : []),
  ];
}

/**
 * Asks models that think without being asked to show it, in the same way in every request of a transcript.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#controlling-thinking-display
 */
function thinkingOf({ display }: Abilities): Anthropic.ThinkingConfigParam | undefined {
  // The typings of the stable API do not know `updates`.
  return display && ({ type: "adaptive", display } as Anthropic.ThinkingConfigParam);
}

function displayBetas({ display }: Abilities): string[] {
  return display === "updates" ? ["thinking-display-updates-2026-08-18"] : [];
}

/** Where effort cannot change during a conversation, the whole request has the latest effort. */
function openingEffort(request: ModelRequest, { inline, effortChange }: Abilities): Effort | undefined {
  return inline && effortChange ? request.effort : effortNow(request);
}

/**
 * A tool that is never available. Without a tool that is deferred from the first request on, the first tool added later
 * invalidates the whole cache.
 */
const placeholder: Anthropic.Tool = {
  name: "reserved_placeholder",
  description: "Reserved. It is never available.",
  input_schema: { type: "object", properties: {} },
  defer_loading: true,
};

/**
 * The list of tools: that of the opening where tools are added inline, otherwise with all added tools. Removed tools stay, so that
 * the list never shrinks. The API refuses a list of only deferred tools.
 */
function toolList(request: ModelRequest, { inline }: Abilities): Anthropic.Tool[] {
  if (inline && request.tools.length > 0) return [...request.tools.map(toolDefinition), placeholder];
  return toolsNow(request, "keep").map(toolDefinition);
}

/** Tools stay in requests that forbid calls: without them the API refuses a conversation with calls. */
function toolUse(tools: readonly Anthropic.Tool[], forbidden: boolean, forced: Anthropic.Tool | undefined) {
  if (forced !== undefined) {
    const tool_choice = { type: "tool", name: forced.name, disable_parallel_tool_use: true } as const;
    return { tools: [...tools, forced], tool_choice };
  }
  if (tools.length === 0) return {};
  return forbidden ? { tools: [...tools], tool_choice: { type: "none" } as const } : { tools: [...tools] };
}

interface OutputMeans {
  config?: Pick<Anthropic.OutputConfig, "format">;
  /** A tool that must be called. It accepts any schema. */
  tool?: Anthropic.Tool;
}

function outputMeans(schema: JsonSchema, abilities: Abilities): OutputMeans {
  const asked = objectSchema(schema);
  const closed = abilities.schema ? closedSchema(asked) : undefined;
  if (closed !== undefined) return { config: { format: { type: "json_schema", schema: closed } } };
  if (!abilities.forcedTool) {
    throw new ModelError("invalid_request", "The model takes no schema of this kind. Ask for it in words.");
  }
  const input_schema = asked as Anthropic.Tool["input_schema"];
  return { tool: { name: outputName, description: "Gives the answer.", input_schema } };
}

/**
 * A breakpoint of Anthropic's cache (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). Of the maximum of four,
 * two are for the opening and two for the conversation. The model does not see them.
 */
type Mark = { cache_control: Anthropic.CacheControlEphemeral };

/** Five minutes, renewed by each hit. */
const short: Mark = { cache_control: { type: "ephemeral" } };

/** Writing costs twice the input price. Must precede the short marks. */
const hour: Mark = { cache_control: { type: "ephemeral", ttl: "1h" } };

/** Marks the last loaded tool. A deferred tool cannot be marked. */
function markTools(tools: readonly Anthropic.Tool[], mark: Partial<Mark>): Anthropic.Tool[] {
  const last = tools.findLastIndex(({ defer_loading }) => defer_loading !== true);
  return tools.map((tool, index) => (index === last ? { ...tool, ...mark } : tool));
}

/**
 * Marks the end of the previous request, which is just before the last answer, and the end; with `keepsAnswer` the end of the last
 * answer, for an hour. A mark only finds cache entries up to 20 blocks before it, and a round of many calls has more, so the first of the
 * two marks is the one that hits.
 */
function markConversation(messages: readonly WireMessage[], keepsAnswer: boolean): WireMessage[] {
  const marked = [...messages];
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  const end = keepsAnswer ? answer : markable(messages, messages.length - 1);
  for (const index of [markable(messages, answer - 1), end]) {
    const message = index === undefined ? undefined : messages[index];
    if (index !== undefined && message !== undefined) {
      marked[index] = withMark(message, keepsAnswer ? hour : short);
    }
  }
  return marked;
}

/** The last message up to `end` that can be marked: a message that only changes the effort has no content. */
function markable(messages: readonly WireMessage[], end: number): number | undefined {
  for (let index = end; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined || message.role === "assistant") return undefined;
    if (message.content.length > 0) return index;
  }
  return undefined;
}

/** Marks the last block. Thinking cannot be marked; user and system messages have none, and an answer with calls ends with a call. */
function withMark(message: WireMessage, mark: Mark): WireMessage {
  const content = message.content.map((block, index): WireBlock => {
    return index === message.content.length - 1 ? ({ ...block, ...mark } as WireBlock) : block;
  });
  return { ...message, content };
}

/** Keywords that constrained decoding supports. */
const supported = new Set("$ref title description default const enum type required".split(" "));

/** Keywords that it refuses and that a description can state. */
const describable = new Set(
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems
  minProperties maxProperties not format`.split(/\s+/),
);

/** Keywords whose value is a schema or a list of them. */
const nested = new Set(["anyOf", "oneOf", "allOf", "items"]);

/** Keywords whose value holds schemas by name. */
const named = new Set(["properties", "$defs", "definitions"]);

/** Values of `format` that it supports. */
const formats: ReadonlySet<Json> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "),
);

/**
 * The schema in the subset that `output_config.format` supports
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations): objects are closed, `oneOf`
 * becomes `anyOf`, and descriptions state other constraints. Undefined for a schema with open objects or tuples.
 */
export function closedSchema(schema: JsonSchema): JsonSchema | undefined {
  return isOpen(schema) ? undefined : close(schema);
}

function close(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema);
  const words = entries
    .filter(([keyword, value]) => describable.has(keyword) && !isSupported(keyword, value))
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  const description = [schema.description, words.join("; ")].filter(Boolean).join("\n");
  return {
    ...Object.fromEntries(entries.flatMap(([keyword, value]) => closeKeyword(keyword, value))),
    ...(isObjectSchema(schema) ? { additionalProperties: false } : {}),
    ...(description === "" ? {} : { description }),
  };
}

/** The keyword in the subset; empty for an unsupported keyword. */
function closeKeyword(keyword: string, value: Json): [string, Json][] {
  if (isSupported(keyword, value)) return [[keyword, value]];
  if (nested.has(keyword)) return [[keyword === "oneOf" ? "anyOf" : keyword, closeAll(value)]];
  return named.has(keyword) ? [[keyword, closeNamed(value)]] : [];
}

function isSupported(keyword: string, value: Json): boolean {
  return supported.has(keyword) || (keyword === "format" && formats.has(value));
}

function closeNamed(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(objectOf(schemas)).map(([name, value]) => [name, closeAll(value)]),
  );
}

function closeAll(value: Json): Json {
  if (Array.isArray(value)) return value.map(closeAll);
  return isContainer(value) ? close(value) : value;
}

/** Whether any object of a schema accepts unnamed keys, or any list is a tuple. */
function isOpen(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isOpen);
  if (!isContainer(value)) return false;
  const { additionalProperties = false, patternProperties, prefixItems, properties } = value;
  if (additionalProperties !== false || patternProperties !== undefined || prefixItems !== undefined) {
    return true;
  }
  if (isObjectSchema(value) && properties === undefined) return true;
  const { enum: _enum, const: _const, default: _default, required: _required, ...inner } = value;
  const parts = { ...inner, ...objectOf(properties), properties: null };
  return Object.values(parts).some(isOpen);
}

function isObjectSchema({ type, properties }: JsonSchema): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined;
}
