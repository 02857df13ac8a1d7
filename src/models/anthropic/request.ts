import type { Anthropic } from "@anthropic-ai/sdk";
import { isContainer } from "../../base/record.ts";
import { ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import { type Json, type JsonSchema, objectOf } from "../../core/values/json.ts";
import type { Effort } from "../../core/values/message.ts";
import { effortNow } from "../effort.ts";
import { type OutputForm, objectSchema, outputName } from "../structured-output.ts";
import { notesExplained } from "../system-note.ts";
import type { WireBlock } from "./blocks.ts";
import { toolDefinition, type WireMessage } from "./messages.ts";
import { type Abilities, wireEffort } from "./models.ts";

/** A request without its model: the body, and the beta features it uses. */
export interface WireRequest {
  body: Omit<Anthropic.MessageCreateParams, "model" | "max_tokens" | "stream">;
  betas: string[];
}

/**
 * What is sent for a request. Between two requests of one transcript only the end of `messages` grows where the model takes
 * changes in the middle; elsewhere `tools` and the effort change too.
 * @throws ModelError `invalid_request` for a schema the server has no means for.
 */
export function wireRequest(
  request: ModelRequest,
  messages: readonly WireMessage[],
  form: OutputForm,
  abilities: Abilities,
): WireRequest {
  const isFree = form.kind === "free";
  // Threads share openings with tools. Any other question is asked once; with a schema, not even its end is read again.
  const forAnHour = isFree && request.tools.length > 0 && abilities.hourCache;
  const tools = markTools(toolList(request, abilities), forAnHour);
  const output = form.kind === "schema" ? outputMeans(form.schema, abilities) : {};
  const effort = wireEffort(openingEffort(request, abilities), abilities);
  const outputConfig = { ...(effort === undefined ? {} : { effort }), ...output.config };
  const forbidden = !isFree || request.no_calls === true;
  return {
    body: {
      // The typings of the stable API know no tool changes in system messages.
      messages: (isFree ? markConversation(messages) : messages) as Anthropic.MessageParam[],
      ...markSystem(systemText(request, abilities), forAnHour),
      ...toolUse(tools, forbidden, output.tool),
      ...(isFree ? thinkingPart(abilities) : {}),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    },
    betas: [...betasOf(request, abilities), ...(isFree ? displayBetas(abilities) : [])],
  };
}

/** Where changes are told as notes, a conversation with tools says from its opening on what notes are. */
function systemText({ system, tools }: ModelRequest, { inline }: Abilities): string {
  return inline || tools.length === 0 ? system : [system, notesExplained].filter(Boolean).join("\n\n");
}

/** Betas are the same for every request of a transcript, whether or not something has changed yet. */
function betasOf({ tools }: ModelRequest, { inline, effortChange }: Abilities): string[] {
  if (!inline) return [];
  return [
    ...(tools.length > 0 ? ["inline-tools-2026-09-15"] : []),
    ...(effortChange ? ["mid-conversation-output-config-2026-07-01"] : []),
  ];
}

/**
 * Asks models that think anyway to show something of it, in every request of a transcript in the same way.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#controlling-thinking-display
 */
function thinkingPart({ display }: Abilities): Pick<Anthropic.MessageCreateParams, "thinking"> {
  if (display === undefined) return {};
  // The typings of the stable API do not know `updates`.
  return { thinking: { type: "adaptive", display } as Anthropic.ThinkingConfigParam };
}

function displayBetas({ display }: Abilities): string[] {
  return display === "updates" ? ["thinking-display-updates-2026-08-18"] : [];
}

/** Where effort cannot change in the middle, the whole request has the latest. */
function openingEffort(request: ModelRequest, { inline, effortChange }: Abilities): Effort | undefined {
  return inline && effortChange ? request.effort : effortNow(request);
}

/**
 * A tool nobody can call. Without one that is deferred from the first request on, the first tool added later misses the
 * whole cache.
 */
const placeholder: Anthropic.Tool = {
  name: "reserved_placeholder",
  description: "Reserved. It is never available.",
  input_schema: { type: "object", properties: {} },
  defer_loading: true,
};

/**
 * The list of tools: that of the opening where later ones are added in the middle, otherwise with all that were added. Tools
 * that are gone stay, so that the list never shrinks. A list of deferred tools alone is refused.
 */
function toolList(request: ModelRequest, { inline }: Abilities): Anthropic.Tool[] {
  if (inline && request.tools.length > 0) return [...request.tools.map(toolDefinition), placeholder];
  return toolsNow(request, "keep").map(toolDefinition);
}

/** Tools stay where none may be called: a conversation with calls in it is refused without them. */
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
  /** A tool that must be called: any schema is accepted. */
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
 * Where Anthropic's cache may begin and end (https://platform.claude.com/docs/en/build-with-claude/prompt-caching): four
 * marks, two for the opening and two for the conversation. A mark says nothing to the model and changes no content.
 */
type Mark = { cache_control: Anthropic.CacheControlEphemeral };

/** Five minutes, renewed by each hit. */
const short: Mark = { cache_control: { type: "ephemeral" } };

/** Written at twice the input price; it must stand before the short ones. */
const hour: Mark = { cache_control: { type: "ephemeral", ttl: "1h" } };

/** Marks the last tool that is loaded. A deferred one takes no mark. */
function markTools(tools: readonly Anthropic.Tool[], forAnHour: boolean): Anthropic.Tool[] {
  const last = tools.findLastIndex(({ defer_loading }) => defer_loading !== true);
  return tools.map((tool, index) => (index === last ? { ...tool, ...(forAnHour ? hour : short) } : tool));
}

/** The instructions with their mark; none when there are none. */
function markSystem(text: string, forAnHour: boolean): { system?: Anthropic.TextBlockParam[] } {
  return text === "" ? {} : { system: [{ type: "text", text, ...(forAnHour ? hour : short) }] };
}

/**
 * Marks where the previous request ended, which is just before the last answer, and the end. One mark finds what was written
 * up to 20 blocks before it: a round of many calls has more, so the first of the two is what hits.
 */
function markConversation(messages: readonly WireMessage[]): WireMessage[] {
  const marked = [...messages];
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  for (const end of [answer - 1, messages.length - 1]) {
    const index = markable(messages, end);
    const message = index === undefined ? undefined : messages[index];
    if (index !== undefined && message !== undefined) marked[index] = withMark(message);
  }
  return marked;
}

/** The last message up to `end` that can be marked: one that only changes the effort has no content. */
function markable(messages: readonly WireMessage[], end: number): number | undefined {
  for (let index = end; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined || message.role === "assistant") return undefined;
    if (message.content.length > 0) return index;
  }
  return undefined;
}

/** User and system messages have no thinking, the one kind of block that takes no mark. */
function withMark(message: WireMessage): WireMessage {
  const content = message.content.map((block, index): WireBlock => {
    return index === message.content.length - 1 ? ({ ...block, ...short } as WireBlock) : block;
  });
  return { ...message, content };
}

/** Keywords that constrained decoding takes as they are. */
const taken = new Set("$ref title description default const enum type required".split(" "));

/** Keywords it refuses and that words can say. */
const told = new Set(
  `minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems
  minProperties maxProperties not format`.split(/\s+/),
);

/** Keywords whose value is a schema or a list of them. */
const nested = new Set(["anyOf", "oneOf", "allOf", "items"]);

/** Keywords whose value is schemas by name. */
const named = new Set(["properties", "$defs", "definitions"]);

/** Values of `format` it knows. */
const formats: ReadonlySet<Json> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "),
);

/**
 * A schema in the subset that `output_config.format` takes
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations): every object closed,
 * `oneOf` as `anyOf`, other constraints told in the description. Undefined for a schema that cannot be said so: objects with
 * any keys, tuples.
 */
export function closedSchema(schema: JsonSchema): JsonSchema | undefined {
  return isOpen(schema) ? undefined : close(schema);
}

function close(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema);
  const words = entries
    .filter(([keyword, value]) => told.has(keyword) && !isTaken(keyword, value))
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  const description = [schema.description, words.join("; ")].filter(Boolean).join("\n");
  return {
    ...Object.fromEntries(entries.flatMap(([keyword, value]) => closeKeyword(keyword, value))),
    ...(isObjectSchema(schema) ? { additionalProperties: false } : {}),
    ...(description === "" ? {} : { description }),
  };
}

/** None for a keyword that is refused. */
function closeKeyword(keyword: string, value: Json): [string, Json][] {
  if (isTaken(keyword, value)) return [[keyword, value]];
  if (nested.has(keyword)) return [[keyword === "oneOf" ? "anyOf" : keyword, closeAll(value)]];
  return named.has(keyword) ? [[keyword, closeNamed(value)]] : [];
}

function isTaken(keyword: string, value: Json): boolean {
  return taken.has(keyword) || (keyword === "format" && formats.has(value));
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

/** Whether some object of a schema takes keys that it does not name, or some list is a tuple. */
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
