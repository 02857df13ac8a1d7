import { errorText } from "../../base/error-text.ts";
import { ExactNumber, parseExactly } from "../../base/exact-number.ts";
import { readJson } from "../../base/json-reader.ts";
import { isContainer, isRecord } from "../../base/record.ts";
import { escapeRawControls } from "../../base/text/raw-controls.ts";
import type { CallState } from "../log/turn-state.ts";
import { mayBeOf, startingOf } from "../scope/starting-skills.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { type ErrorResult, failure, type Tool, type ToolResult, type Validation } from "../skill/tool.ts";
import { canonicalJson, type Json, type JsonSchema, parseJson, sizeProblem } from "../values/json.ts";
import type { ToolCall } from "../values/message.ts";
import { findTool, hintAtTool } from "./toolset.ts";

/** A call that can run, or the error result that the model gets instead. */
export type CheckedCall =
  | { status: "ready"; tool: Tool; input: Json }
  | { status: "refused"; tool?: Tool; input: Json; result: ToolResult };

/** Finds the tool and checks the arguments. */
export async function findAndCheck(scope: TurnScope, request: CallRequest): Promise<CheckedCall> {
  const { call, tool } = request;
  if (tool !== undefined) return checkCall(call, tool);
  const named = findTool(scope, call.name);
  return named === undefined ? unknownTool(scope, call) : checkCall(call, named);
}

/** The result of a call to an unknown tool, with a hint at the right one. */
function unknownTool(scope: TurnScope, { name, arguments: input }: ToolCall): CheckedCall {
  const skills = [...scope.offer.all.values()].map(({ skill }) => skill);
  const starting = startingOf(skills).find((skill) => mayBeOf(name, skill));
  if (starting !== undefined) {
    const message = `${starting.name} is starting; ${name} is not there yet.`;
    const hint = "Go on without it, and tell the person to try again in a moment.";
    return refused(input, failure("skill_starting", message, hint));
  }
  return refused(input, failure("unknown_tool", `Function '${name}' not found.`, hintAtTool(scope, name)));
}

/** Returns the call ready to run. Broken JSON and invalid arguments are refused, with the expected arguments. */
async function checkCall(call: ToolCall, tool: Tool): Promise<CheckedCall> {
  const expected = { expected_arguments: tool.parameters };
  let parsed: Json;
  try {
    parsed = readArguments(call.arguments);
  } catch (error) {
    const message = `The arguments are not valid JSON: ${errorText(error)}`;
    return refused(call.arguments, failure("invalid_json", message), expected);
  }
  const valid = await checkArguments(tool, parsed);
  if (valid.ok) return { status: "ready", tool, input: valid.value };
  return refused(parsed, failure("invalid_arguments", `Invalid arguments: ${valid.message}`), expected);
}

/** Reads arguments, also in a code fence, said twice, or with slips that leave one reading. @throws SyntaxError */
function readArguments(text: string): Json {
  const [, fenced = text] = /^\s*```\w*\n([^`]*)```\s*$/.exec(text) ?? [];
  const written = escapeRawControls(fenced).trim();
  const half = written.slice(0, written.length / 2).trimEnd();
  const once = half !== "" && written.endsWith(half) && half.endsWith("}") ? half : written;
  if (once === "") return {};
  const problem = sizeProblem(once);
  if (problem !== undefined) throw new SyntaxError(problem);
  const read = readJson(once);
  if (!read.ok) throw new SyntaxError(read.reason);
  return read.value as Json;
}

/**
 * Returns the input that a tool runs with: the arguments in the types of its schema, with defaults, as its own check leaves them. Arguments
 * are refused if the check throws: bad arguments may fail their own call only.
 */
export async function checkArguments(
  tool: Pick<Tool, "parameters" | "validate">,
  input: unknown,
): Promise<Validation> {
  try {
    return await tool.validate(fitArguments(tool.parameters, input ?? {}));
  } catch (error) {
    return { ok: false, message: errorText(error) };
  }
}

function refused(input: Json, result: ErrorResult, details: ErrorResult["details"] = {}): CheckedCall {
  return { status: "refused", input, result: { ...result, details } };
}

/**
 * Converts arguments to the types of a tool's schema where the conversion loses nothing: models write `"1"` for a number, `35.7` for a
 * text, `"true"` for a boolean, and JSON text for an object or a list. A missing required property gets its default, if it has one.
 * Everything else is left unchanged for the tool's own check to accept or refuse.
 *
 * @param schema the tool's parameters; local references (`#/$defs/…`) are followed
 */
export function fitArguments(schema: JsonSchema, input: unknown): unknown {
  return fitted(schema, input, schema);
}

type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";

function fitted(written: JsonSchema, value: unknown, root: JsonSchema): unknown {
  const choices = alternatives(written, root);
  const fitting = choices.find((schema) => accepts(schema, value));
  if (fitting !== undefined) return fitInside(fitting, value, root);
  for (const schema of choices) {
    for (const type of typesOf(schema)) {
      const converted = convert(value, type);
      if (converted !== undefined && accepts(schema, converted)) return fitInside(schema, converted, root);
    }
  }
  return value;
}

/** The alternatives of a schema, with references followed; a value has to match one of them. */
function alternatives(written: JsonSchema, root: JsonSchema): JsonSchema[] {
  const schema = resolved(written, root);
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return [schema];
  return branches.flatMap((branch) => (isRecord(branch) ? [resolved(branch, root)] : []));
}

/** Maximum references followed in a row. A longer chain is taken for a circle. */
const maxReferences = 10;

function resolved(written: JsonSchema, root: JsonSchema): JsonSchema {
  let schema = written;
  for (let followed = 0; typeof schema.$ref === "string" && followed < maxReferences; followed += 1) {
    if (!schema.$ref.startsWith("#/")) return schema;
    const names = schema.$ref.slice(2).split("/").map(unescapedName);
    let target: Json | undefined = root;
    for (const name of names) target = isRecord(target) ? target[name] : undefined;
    if (!isRecord(target)) return schema;
    schema = target;
  }
  return schema;
}

function unescapedName(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The types that a schema names, or the types of its enum values; empty when it names none. */
function typesOf({ type, enum: choices, const: only }: JsonSchema): JsonType[] {
  const named = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (named.length > 0) return named as JsonType[];
  const values = Array.isArray(choices) ? choices : only === undefined ? [] : [only];
  return [...new Set(values.map(typeOf))];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (value instanceof ExactNumber) return "number";
  return Array.isArray(value) ? "array" : (typeof value as JsonType);
}

/** Whether the value has an allowed type, and is an allowed value where the schema lists them. */
function accepts(schema: JsonSchema, value: unknown): boolean {
  const types = typesOf(schema);
  const type = typeOf(value);
  const isType = types.length === 0 || types.includes(type) || (types.includes("integer") && isWhole(value));
  const allowed = Array.isArray(schema.enum) ? schema.enum : undefined;
  return isType && (allowed === undefined || typeof value === "object" || allowed.includes(value as Json));
}

function isWhole(value: unknown): boolean {
  return value instanceof ExactNumber ? value.isWhole : Number.isInteger(value);
}

/** The value converted to this type; undefined when the conversion would change its meaning. */
function convert(value: unknown, type: JsonType): unknown {
  if (type === "string") return textOf(value);
  if (typeof value !== "string") return undefined;
  switch (type) {
    case "number":
    case "integer":
      return numberOf(value.trim());
    case "boolean":
      return { true: true, false: false }[value.trim()];
    case "object":
    case "array":
      return structureOf(value, type);
    default:
      return undefined;
  }
}

/** Returns undefined for doubles beyond the safe integers, which may have lost digits already. */
function textOf(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.digits;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** Converts only text in the canonical form of a number, apart from trailing zeros of a fraction: `007` stays a text. */
function numberOf(text: string): number | ExactNumber | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  const shortest = text.includes(".") ? text.replace(/\.0+$|(?<!0)0+$/, "") : text;
  return String(value) === shortest ? value : (parseExactly(text) as number | ExactNumber);
}

function structureOf(text: string, type: "object" | "array"): unknown {
  if (!text.trim().startsWith(type === "object" ? "{" : "[")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function fitInside(schema: JsonSchema, value: unknown, root: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return isRecord(items) ? value.map((item) => fitted(items, item, root)) : value;
  }
  if (!isContainer(value)) return value;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    return [name, isRecord(property) ? fitted(property, each, root) : each];
  });
  return Object.fromEntries([...entries, ...missingDefaults(schema, properties, value)]);
}

function missingDefaults(
  { required }: JsonSchema,
  properties: JsonSchema,
  value: object,
): [string, unknown][] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.flatMap((name): [string, unknown][] => {
    const property = properties[name];
    if (Object.hasOwn(value, name) || !isRecord(property) || property.default === undefined) return [];
    return [[name, property.default]];
  });
}

/** Error codes of calls that fail the same way each time. */
const permanentErrors = new Set(["unknown_tool", "invalid_json", "invalid_arguments"]);

/** From this refusal on, the model is told to stop repeating the call. */
const warnFrom = 3;
/** At this refusal the turn ends: a model that ignores the message would use up every round. */
const endAt = 6;

/** The result of a model's call. If the same call has been refused repeatedly, the result says so. */
export function toldWhenRepeated(
  scope: TurnScope,
  tool: string,
  input: Json,
  result: ToolResult,
): ToolResult {
  if (result.status === "ok" || !permanentErrors.has(result.code)) return result;
  const key = keyOf(tool, input);
  const times = 1 + refusedKeys(scope).filter((refused) => refused === key).length;
  if (times < warnFrom) return result;
  const message = `This very call was refused ${times} times for the same reason: ${result.message}`;
  const hint = "Do not make it again: change the arguments, or answer without the tool.";
  return { ...result, message, hint };
}

/** Why the turn has to end because its model keeps repeating one failing call; undefined otherwise. */
export function repeatedTooOften(scope: TurnScope): string | undefined {
  const times = new Map<string, number>();
  for (const key of refusedKeys(scope)) times.set(key, (times.get(key) ?? 0) + 1);
  const most = Math.max(0, ...times.values());
  return most < endAt ? undefined : `the same call of a tool was refused ${most} times`;
}

/** Keys of the model's own refused calls. Calls made by a skill are the skill's business. */
function refusedKeys({ state, conversation }: TurnScope): string[] {
  return [...state.calls.values()].flatMap(({ started, finished }) => {
    if (started === undefined || started.parent_call_id !== conversation.run) return [];
    return isPermanent(finished) ? [keyOf(started.tool, started.input)] : [];
  });
}

function isPermanent(finished: CallState["finished"]): boolean {
  if (finished?.status !== "error") return false;
  const { output } = finished;
  if (!isRecord(output)) return false;
  return typeof output.code === "string" && permanentErrors.has(output.code);
}

function keyOf(tool: string, input: Json): string {
  return `${tool} ${canonicalJson(input)}`;
}
