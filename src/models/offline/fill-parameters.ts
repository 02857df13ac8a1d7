import { pattern } from "../../base/pattern.ts";
import { type Parameter, parametersOf } from "../../core/skill/skill.ts";
import type { Json, JsonSchema } from "../../core/values/json.ts";
import { isBare, maxRead, type RequestText, stemsOf, withoutCommand } from "./request-text.ts";

export interface FilledParameters {
  arguments: { [key: string]: Json };
  /** Required parameters that the message does not hold. */
  missing: Parameter[];
}

/** Fills the parameters of a tool from a message. `triggers` are the stems by which the tool was chosen. */
export function fillParameters(
  request: RequestText,
  schema: JsonSchema,
  triggers: ReadonlySet<string>,
): FilledParameters {
  const parameters = parametersOf(schema);
  const texts = parameters.filter(isText);
  const required = texts.filter((parameter) => parameter.required);
  /** The parameter that takes the message's own words. */
  const main = required[0] ?? texts.find(({ name }) => mainNames.test(name));
  const filled: { [key: string]: Json } = {};
  // Of several quoted parts the first required text takes the first.
  const spare = request.payload?.kind === "quote" ? [] : request.quotes.slice(1);
  const told = new Set(triggers);
  for (const parameter of parameters) {
    const value = parameter === main ? undefined : sideValue(parameter, request, spare);
    if (value === undefined) continue;
    filled[parameter.name] = value;
    for (const stem of stemsOf(parameter.name, String(value))) told.add(stem);
  }
  const [quote] = required.length > 1 && request.quotes.length > 1 ? request.quotes : [];
  const text = main && textOf(main, request, quote ?? mainText(request, told));
  if (main !== undefined && text !== undefined) filled[main.name] = text;
  return {
    arguments: filled,
    missing: parameters.filter((parameter) => parameter.required && filled[parameter.name] === undefined),
  };
}

/** The text of the main parameter. If the message is only an address, an optional main parameter stays empty. */
function textOf(main: Parameter, request: RequestText, usual: string): string | undefined {
  const text = named(request, main) ?? usual;
  const isAddress = !main.required && isSameAddress(text, findUrl(request));
  return text === "" || isAddress ? undefined : text;
}

const mainNames =
  /^(?:text|query|question|task|task_description|description|prompt|topic|content|input|message|code|location|city|place|search|q|fact|subject|goal|idea)$/i;

function isText({ name, type, enum: allowed }: Parameter): boolean {
  return type === "string" && allowed === undefined && !isUrlName(name) && !isDateName(name);
}

/** Whether a parameter takes an address, by its name. */
export function isUrlName(name: string): boolean {
  return /(?:^|_)(?:url|uri|link|address|website)s?$/i.test(name);
}

function isDateName(name: string): boolean {
  return /(?:^|_)(?:date|day|since|until|when|deadline|due)$/i.test(name);
}

/** The payload if the rest only says what to do, else the text after the command. */
function mainText({ payload, instruction, whole, isQuestion }: RequestText, told: ReadonlySet<string>) {
  const isWhole =
    payload?.kind === "fence" || (payload?.kind === "colon" && (isQuestion || payload.text.length > 120));
  if (payload !== undefined && (isWhole || isBare(instruction, told))) return payload.text;
  const text = withoutCommand(whole, told);
  return isQuestion ? text.replace(/(?<![\s?])[\s?]+$/, "") : text;
}

function isSameAddress(text: string, url = ""): boolean {
  const [one, other] = [text, url].map((each) =>
    each.replace(/^https?:\/\//i, "").replace(/(?<![.!?/])[.!?/]+$/, ""),
  );
  return one === other;
}

/** A value for any parameter except the main one. A required text takes the next quoted part. */
function sideValue(parameter: Parameter, request: RequestText, spare: string[]): Json | undefined {
  const given = named(request, parameter);
  if (parameter.enum !== undefined) return findChoice(request, parameter, given);
  if (parameter.type === "boolean") return findBoolean(request, parameter, given);
  if (parameter.type === "number") return findNumber(request, parameter, given);
  if (parameter.type !== "string") return undefined;
  if (isUrlName(parameter.name)) return findUrl(request);
  if (isDateName(parameter.name)) return date.exec(request.whole.slice(0, maxRead))?.[0];
  return given ?? (parameter.required ? spare.shift() : undefined);
}

/** A value written with its name: `max_steps=5`, `title="The house"`. */
function named({ whole }: RequestText, { name }: Parameter): string | undefined {
  const spelled = name
    .split(/[_\s-]+/)
    .map((word) => pattern()`${word}`)
    .reduce((before, word) => pattern()`${before}[_ -]?${word}`);
  const written = pattern("iu")`(?<![\p{L}\p{N}_])${spelled}\s*=\s*(?:"([^"]*)"|“([^”]*)”|([^\s,;]+))`;
  const found = written.exec(whole.slice(0, maxRead));
  return found
    ?.slice(1)
    .find((part) => part !== undefined)
    ?.replace(/(?<![:.!?])[:.!?]+$/, "");
}

/** The allowed value that the message names, by the words of the value or of its description. */
function findChoice(
  { tokens }: RequestText,
  { enum: allowed = [], description }: Parameter,
  given?: string,
): Json | undefined {
  const exact = allowed.find((value) => String(value).toLowerCase() === given?.toLowerCase());
  if (exact !== undefined) return exact;
  const said = new Set(tokens.flatMap(({ plain, stem }) => [plain, stem]));
  const byName = allowed.find((value) => {
    const stems = [...stemsOf(String(value))];
    return stems.length > 0 ? stems.every((stem) => said.has(stem)) : said.has(String(value).toLowerCase());
  });
  if (byName !== undefined) return byName;
  // `sentiment: mood, tone; statistics: counts`
  const meant = description.split(";").map((clause) => {
    const [name = "", meaning = ""] = clause.split(":", 2);
    return { name: name.trim(), hits: [...stemsOf(meaning)].filter((stem) => said.has(stem)).length };
  });
  const [best] = meant.filter(({ hits }) => hits > 0).sort((a, b) => b.hits - a.hits);
  return allowed.find((value) => String(value) === best?.name);
}

/** True if the message has a word of the flag's name, false if it has it with a `not`. */
function findBoolean({ tokens }: RequestText, { name }: Parameter, given?: string): boolean | undefined {
  if (given !== undefined) return !/^(?:false|no|off|0)$/i.test(given);
  const stems = stemsOf(name);
  const at = tokens.findIndex(({ stem }) => stems.has(stem));
  const before = tokens.slice(Math.max(0, at - 2), Math.max(0, at));
  return at < 0 ? undefined : !before.some(({ plain }) => /^(?:not|no|without|don't|never)$/.test(plain));
}

/** Words for numbers, each at the index of its value. */
const numberWords = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");
const number = /(?<![\p{L}\d.:/-])(?:-?\d+(?:\.\d+)?|[a-z]{3,6})(?![\p{L}\d:/-]|\.\d)/giu;

/** A number next to a word of the parameter: `in 5 steps`, `fact 3`. For a required parameter also the only number in digits. */
function findNumber(
  { tokens, instruction }: RequestText,
  { name, description, required }: Parameter,
  given?: string,
): number | undefined {
  if (Number.isFinite(Number(given))) return Number(given);
  const about = stemsOf(name, description);
  const numbers = [...instruction.matchAll(number)].flatMap(({ 0: text, index }) => {
    const word = numberWords.indexOf(text.toLowerCase());
    const value = word < 0 ? Number(text) : word;
    const before = tokens.findLast(({ end }) => end <= index);
    const after = tokens.find(({ start }) => start >= index + text.length);
    const isNamed = [before, after].some((token) => token !== undefined && about.has(token.stem));
    return Number.isNaN(value) ? [] : { value, isNamed, isWord: word >= 0 };
  });
  const [only, ...others] = required ? numbers.filter(({ isWord }) => !isWord) : [];
  return (numbers.find(({ isNamed }) => isNamed) ?? (others.length === 0 ? only : undefined))?.value;
}

/** `notes.txt` is a file, not a host. */
const fileEnding = /^[^/]*\.(?:txt|pdf|csv|docx?|xlsx?|pptx?|json|xml|png|jpe?g|gif|zip|ya?ml|html?|log)$/i;

/** The first address. A bare host (`example.com/docs`) gets the scheme https. */
function findUrl({ urls, whole }: RequestText): string | undefined {
  const bare =
    /(?<![\p{L}\p{N}@./])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?:\/[^\s"'<>]*)?(?![\p{L}\p{N}@])/iu;
  const host = bare.exec(whole.slice(0, maxRead))?.[0].replace(/(?<![.,;:!?])[.,;:!?]+$/, "");
  return urls[0] ?? (host === undefined || fileEnding.test(host) ? undefined : `https://${host}`);
}

const date =
  /\b(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}\/\d{1,2}\/\d{2,4}|today|tomorrow|yesterday|(?:next |last )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b/i;
