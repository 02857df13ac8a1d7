import { type Parameter, parametersOf } from "../../core/skill/skill.ts";
import type { Json, JsonSchema } from "../../core/values/json.ts";
import {
  findBoolean,
  findChoice,
  findDate,
  findJson,
  findNumber,
  findUrl,
  isDateName,
  named,
} from "./find-values.ts";
import { isUrlName } from "./fitness.ts";
import { isBare, type RequestText, withoutCommand } from "./request-text.ts";
import { stemsOf } from "./vocabulary.ts";

export interface FilledParameters {
  arguments: { [key: string]: Json };
  /** Required ones the message does not hold. */
  missing: Parameter[];
}

/** Fills the parameters of a tool from a message. `triggers` are the stems by which the tool was chosen. */
export function fillParameters(
  request: RequestText,
  schema: JsonSchema,
  triggers: ReadonlySet<string>,
): FilledParameters {
  const parameters = parametersOf(schema);
  const main = mainParameter(parameters);
  const filled: { [key: string]: Json } = {};
  // With several quoted parts the first required text takes the first one.
  const spare = request.payload?.kind === "quote" ? [] : request.quotes.slice(1);
  const told = new Set(triggers);
  for (const parameter of parameters) {
    const value = parameter === main ? undefined : sideValue(request, parameter, spare);
    if (value === undefined) continue;
    filled[parameter.name] = value;
    for (const stem of stemsOf(`${parameter.name.replaceAll("_", " ")} ${String(value)}`)) told.add(stem);
  }
  const quoted =
    parameters.filter(isFreeText).length > 1 && request.quotes.length > 1 ? request.quotes[0] : undefined;
  const text = main === undefined ? undefined : textValue(request, main, quoted ?? mainText(request, told));
  if (main !== undefined && text !== undefined) filled[main.name] = text;
  return {
    arguments: filled,
    missing: parameters.filter((parameter) => parameter.required && filled[parameter.name] === undefined),
  };
}

const mainNames =
  /^(?:text|query|question|task|task_description|description|prompt|topic|content|input|message|code|location|city|place|search|q|fact|subject|goal|idea)$/;

/** The parameter that takes the message's own words: the first required text, else one with a telling name. */
function mainParameter(parameters: readonly Parameter[]): Parameter | undefined {
  const texts = parameters.filter(
    ({ name, type, enum: allowed }) =>
      type === "string" && allowed === undefined && !isUrlName(name) && !isDateName(name),
  );
  const others = parameters.filter(
    ({ required, type }) => required && (type === "array" || type === "object"),
  );
  return (
    texts.find(({ required }) => required) ??
    others[0] ??
    texts.find(({ name }) => mainNames.test(name.toLowerCase()))
  );
}

function isFreeText({ name, type, required, enum: allowed }: Parameter): boolean {
  return required && type === "string" && allowed === undefined && !isUrlName(name) && !isDateName(name);
}

/** The payload when the rest only says what to do, else what follows the command. */
function mainText(request: RequestText, triggers: ReadonlySet<string>): string {
  const { payload, instruction, whole } = request;
  if (payload?.kind === "fence") return payload.text;
  const isPlain = payload?.kind === "colon" && (request.isQuestion || payload.text.length > 120);
  if (payload !== undefined && (isPlain || isBare(instruction, triggers))) return payload.text;
  const text = withoutCommand(whole, triggers);
  return request.isQuestion ? text.replace(/(?<![\s?])[\s?]+$/, "") : text;
}

function textValue(request: RequestText, parameter: Parameter, text: string): Json | undefined {
  if (parameter.type === "object") return findJson(text, "object");
  if (parameter.type === "array") return findJson(text, "array") ?? splitList(text);
  const own = named(request, parameter)?.text ?? text;
  // An address alone says all there is: it is not a question about itself.
  if (!parameter.required && withoutScheme(own) === withoutScheme(findUrl(request) ?? "")) return undefined;
  return own === "" ? undefined : own;
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//i, "").replace(/(?<![.!?/])[.!?/]+$/, "");
}

function splitList(text: string): Json[] | undefined {
  const items = text
    .split(text.includes("\n") ? /\r?\n/ : /(?<!\s)\s*[,;]\s*/)
    .map((item) => item.replace(/^\s*[-*•]\s+/, "").trim());
  const kept = items.filter((item) => item !== "");
  if (kept.length === 0) return undefined;
  return kept.every((item) => /^-?\d+(?:\.\d+)?$/.test(item)) ? kept.map(Number) : kept;
}

/** A value for any parameter but the main one; a required text takes the next quoted part. */
function sideValue(request: RequestText, parameter: Parameter, spare: string[]): Json | undefined {
  const { name, type, required } = parameter;
  if (parameter.enum !== undefined) return findChoice(request, parameter);
  switch (type) {
    case "boolean":
      return findBoolean(request, parameter);
    case "number":
      return findNumber(request, parameter);
    case "array":
    case "object": {
      const given = named(request, parameter)?.text;
      return given === undefined
        ? undefined
        : (findJson(given, type) ?? (type === "array" ? splitList(given) : undefined));
    }
    case "string":
      if (isUrlName(name)) return findUrl(request);
      if (isDateName(name)) return findDate(request);
      return named(request, parameter)?.text ?? (required ? spare.shift() : undefined);
  }
}
