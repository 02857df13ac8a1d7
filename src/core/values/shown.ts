import { formatBytes } from "../../base/amounts.ts";
import { ExactNumber } from "../../base/exact-number.ts";
import { isContainer, isRecord } from "../../base/record.ts";
import { escapedInvisible, escapesOf } from "../../base/text/invisible-text.ts";
import {
  type CallInWords,
  callInWords,
  inQuotes,
  type OnlyDecider,
  readArguments,
  shownName,
} from "./call-arguments.ts";
import type { Binding } from "./call-binding.ts";
import { cut } from "./cut.ts";
import type { Json, JsonObject } from "./json.ts";

/** A value as indented JSON without hidden content, for people who decide about it. Invisible characters are shown as escapes. */
export function exactJson(value: Json): string {
  return escapedInvisible(JSON.stringify(value, null, 2));
}

/** Blanks that look like a space and are none, unless digits, punctuation or letters without case are beside them. */
const oddBlanks = /(?<![\t\p{N}\p{P}\p{Zs}\p{Lo}])(?! )\p{Zs}(?![\t\p{N}\p{P}\p{Zs}\p{Lo}])/gu;
const emptyLines = /\n(?:[\t\p{Zs}]*\n){3,}/gu;
const blanks = /[\t\p{Zs}]{2,}/gu;

/** Blanks beyond any indentation. */
const manyBlanks = 40;

/**
 * A text as people decide about it. Invisible characters are escapes; empty lines, and blanks that are many, of several kinds or at the end
 * of a line, are said in numbers: `[200 empty lines]`.
 */
export function exactText(text: string): string {
  return escapedInvisible(text)
    .replace(emptyLines, (run) => `\n[${run.split("\n").length - 2} empty lines]\n`)
    .replace(oddBlanks, escapesOf)
    .replace(blanks, (run, at: number, whole: string) => {
      const isLast = run.length > 2 && /^(?:\n|$)/.test(whole.charAt(at + run.length));
      const isSeen = run.length < manyBlanks && !isLast && /^\t* *$/.test(run);
      return isSeen ? run : ` [${run.length} blanks] `;
    });
}

/** Maximum items of a list, and characters of an answer, that are shown. */
const maxItems = 20;
const maxAnswer = 12_000;
const maxDepth = 3;

/** Fields that contain the main text of a result, the most complete first. */
const wholeFields = ["text", "answer", "markdown", "message"];

/** Numbers that repeat a summary next to a list. */
const countFields = new Set(["total", "count"]);

/** Maximum number of objects with a text of their own that are shown as a list. */
const maxTexts = 3;

/**
 * Any tool output as Markdown for a person: the main text first, then the details. Details that repeat the main text or the arguments of
 * the call are left out.
 */
export function renderOutput(value: Json, given: JsonObject = {}): string {
  const text = renderWhole(value, given).trim() || "_It answered nothing._";
  return cut(text, maxAnswer);
}

function renderWhole(value: Json, given: JsonObject): string {
  return isRecord(value) ? renderResult(unwrap(value), given) : renderValue(value, 0);
}

function renderValue(value: Json, depth: number): string {
  if (isScalar(value)) return scalar(value);
  return Array.isArray(value) ? renderList(value, depth) : renderObject(value, depth);
}

/** A field with the whole text replaces the nested details; a summary goes before them. */
function renderResult(value: JsonObject, given: JsonObject): string {
  const whole = wholeFields.find((name) => isText(value[name]));
  const lead = whole ?? (isText(value.summary) ? "summary" : undefined);
  const said = lead === undefined ? "" : String(value[lead]);
  const hasList = Object.values(value).some(Array.isArray);
  const rest = Object.entries(value).filter(([key, item]) => {
    const isDetail = whole === undefined || (isScalar(item) && key !== "summary");
    const isCount = lead === "summary" && hasList && countFields.has(key);
    return key !== lead && isDetail && !isCount && item !== given[key];
  });
  const details = withoutSaid(Object.fromEntries(rest), said.toLowerCase());
  return [said, renderObject(details, 0)].filter((section) => section !== "").join("\n\n");
}

/** An object without the texts that the main text contains; objects in lists are unchanged. */
function withoutSaid(value: JsonObject, said: string): JsonObject {
  const isSaid = (item: Json) =>
    typeof item === "string" && item.length > 2 && said.includes(item.toLowerCase());
  const kept = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (isSaid(item) || (Array.isArray(item) && item.length > 0 && item.every(isSaid))) return [];
    return [[key, isRecord(item) ? withoutSaid(item, said) : item]];
  });
  return Object.fromEntries(kept);
}

/** `{skill_id, output, success}` of a direct invocation is only a wrapper. */
function unwrap(value: JsonObject): JsonObject {
  const { output } = value;
  const isWrapper = value.success === true && typeof value.skill_id === "string";
  return isWrapper && output !== undefined && isRecord(output) ? output : value;
}

function renderObject(value: JsonObject, depth: number): string {
  const entries = Object.entries(value).filter(([, item]) => !isEmpty(item));
  if (depth >= maxDepth) return entries.map(([key, item]) => `${label(key)}: ${cell(item)}`).join("; ");
  const lines = entries.flatMap(([key, item]) =>
    isScalar(item) ? [`- **${label(key)}:** ${scalar(item)}`] : [],
  );
  const nested = entries.filter(([, item]) => !isScalar(item));
  const sections = nested.map(([key, item]) => {
    const inline = Array.isArray(item) ? onOneLine(item) : undefined;
    if (inline !== undefined) return `- **${label(key)}:** ${inline}`;
    return `**${label(key)}**\n\n${renderValue(item, depth + 1)}`;
  });
  return [lines.join("\n"), ...sections]
    .filter((section) => section !== "")
    .join("\n\n")
    .replace(/\n\n(?=- \*\*)/g, "\n");
}

/** A short list of plain values; undefined for any other. */
function onOneLine(items: readonly Json[]): string | undefined {
  const texts = items.map((item) => (isScalar(item) ? scalar(item) : undefined));
  const line = texts.join(", ");
  return texts.includes(undefined) || line.length > 100 ? undefined : line;
}

function renderList(items: readonly Json[], depth: number): string {
  const shown = items.slice(0, maxItems);
  const more = items.length > shown.length ? `\n\n_… and ${items.length - shown.length} more_` : "";
  const objects = shown.filter((item) => isRecord(item));
  if (objects.length === shown.length && objects.length > 0) return renderObjects(objects, depth) + more;
  return shown.map((item) => `- ${isScalar(item) ? scalar(item) : cell(item)}`).join("\n") + more;
}

/** A table for small objects of the same form; a list if a field is long or nested. */
function renderObjects(items: readonly JsonObject[], depth: number): string {
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const values = items.flatMap((item) => Object.values(item));
  const isFewTexts = items.length <= maxTexts && items.every(({ text }) => isText(text));
  const isTable =
    !isFewTexts &&
    columns.length > 0 &&
    columns.length <= 6 &&
    values.every((value) => isScalar(value) && String(value).length <= 60);
  if (!isTable || depth >= maxDepth) return items.map(renderItem).join("\n");
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = items.map((item) => row(columns.map((column) => cell(item[column] ?? ""))));
  return [row(columns.map(label)), row(columns.map(() => "---")), ...rows].join("\n");
}

/** The main text of an object, followed by the other fields in brackets. */
function renderItem(item: JsonObject): string {
  const title = ["title", "name", "text", "summary"].find((name) => isText(item[name]));
  const link = ["url", "link"].find((name) => isText(item[name]));
  const rest = Object.entries(item).filter(
    ([key, value]) => key !== title && key !== link && !isEmpty(value),
  );
  const details = rest.map(([key, value]) => `${label(key).toLowerCase()}: ${cell(value)}`).join("; ");
  const head = title === undefined ? "" : cell(item[title] ?? "");
  const linked = link === undefined ? head : `[${head || cell(item[link] ?? "")}](${cell(item[link] ?? "")})`;
  const brackets = details === "" || linked === "" ? details : ` (${details})`;
  return `- ${linked}${brackets}`;
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isEmpty(value: Json): boolean {
  return value === null || value === "" || (isContainer(value) && Object.keys(value).length === 0);
}

type Scalar = string | number | ExactNumber | boolean | null;

function isScalar(value: Json): value is Scalar {
  return !isContainer(value);
}

/** `analysis_type` → `Analysis type`. */
function label(key: string): string {
  const spaced = key
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim()
    .slice(0, 80);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

/** A plain value for a person; numbers to two decimals. */
function scalar(value: Scalar): string {
  if (typeof value === "number")
    return Number.isInteger(value) ? String(value) : String(Math.round(value * 100) / 100);
  if (value instanceof ExactNumber) {
    const isFraction = value.digits.includes(".") && Number.isFinite(value.nearest);
    return isFraction ? scalar(value.nearest) : value.digits;
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value ?? "–";
}

const maxCell = 300;

/** A value on one line, for a table cell or list item. */
function cell(value: Json): string {
  const text = isScalar(value) ? scalar(value) : JSON.stringify(value);
  const flat = text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return flat.length > maxCell ? `${flat.slice(0, maxCell)}…` : flat;
}

/** A call that asks for approval. */
interface AskedCall {
  tool: string;
  skill_id: string;
  input: Json;
  question?: string | undefined;
  says?: CallInWords | undefined;
  files?: readonly { name: string; bytes: number; sha256: string }[] | undefined;
}

/** Maximum characters of a question. */
const maxQuestion = 600;

/** A call in words for the person who decides about it. All texts are plain, and invisible characters are shown as escapes. */
export interface ShownCall {
  /** A question on one line. */
  sentence: string;
  /** The skill that asks this in its own words; undefined if the bot or one of its own skills does. */
  asker?: string | undefined;
  /** What other people will see, or what runs. */
  quote?: { text: string; code: boolean } | undefined;
  /** All arguments that neither the sentence nor the quote contains. */
  rest: readonly { name: string; value: string }[];
}

export function shownCall({ tool, skill_id, input, question = "", says, files = [] }: AskedCall): ShownCall {
  const made = callInWords(tool, skill_id === "" ? "" : ` of the skill “${skill_id}”`, input);
  const isForeign = says === undefined && question.trim() !== "";
  const { deed, quotes, names = [] } = says ?? (isForeign ? { ...made, names: [] } : made);
  const whole = exactText(question.trim() === "" ? `May I ${deed}?` : question).replace(/\s+/g, " ");
  const isCut = whole.length > maxQuestion;
  const fields: Record<string, Json> = isRecord(input) ? input : { arguments: input };
  const text = quotes === undefined ? undefined : fields[quotes];
  const hasQuote = typeof text === "string" && text !== "";
  const contained = [...(isCut ? [] : names), ...(hasQuote ? [quotes] : [])];
  return {
    sentence: isCut ? `${whole.slice(0, maxQuestion)}…` : whole,
    asker: isForeign ? skill_id || tool : undefined,
    quote: hasQuote ? { text: exactText(text), code: codeFields.has(quotes ?? "") } : undefined,
    rest: [
      ...Object.entries(fields)
        .filter(([name]) => !contained.includes(name))
        .map(([name, value]) => ({ name: exactText(shownName(name)), value: exactText(inQuotes(value)) })),
      ...files.map((file) => ({ name: "file", value: exactText(fileInWords(file)) })),
    ],
  };
}

const codeFields: ReadonlySet<string> = new Set(["code", "command", "skill_text"]);

/** A file as people are asked about it: its name, and what identifies its content. */
function fileInWords({ name, bytes, sha256 }: NonNullable<AskedCall["files"]>[number]): string {
  return `${inQuotes(name)} (${formatBytes(bytes)}, SHA-256 ${sha256.slice(0, 16)}…)`;
}

/** Maximum characters shown of one value. */
const maxValue = 100;
/** Maximum characters of a button's label: Slack allows 75, Discord 80. */
const maxLabel = 70;

/** The scope of a possible standing decision, and the arguments of the call that asks. */
interface ForGood {
  binds: Pick<Binding, "values" | "open" | "refuses" | "plan" | "nowhere">;
  input: Json;
}

/** Describes for people what "always here" would allow and "never" refuse. `where` is the place of the decision. */
export function alwaysText({ binds, input }: ForGood, where = "in this channel"): string {
  const { values, refuses = values, plan, nowhere } = binds;
  const open = openIn({ binds, input });
  const allowed = [destinationText(values), anyOf(open)].filter(Boolean).join(", ");
  const unless = "once a thread has read text that nobody here vouches for, it asks again";
  const other = open.length === 0 ? "" : ` ${unless} for other text than this or your own;`;
  const again = nowhere ? ` ${unless};` : other;
  const refused = refuses === values ? "" : ` with ${destinationText(refuses) || "any arguments"}`;
  const to = allowed === "" ? "" : ` with ${allowed}`;
  const within = plan === undefined ? where : `in turns of this ${plan} alone, ${where}`;
  const never = `“Never” refuses it${refused} without asking.`;
  const end = "until somebody removes them (/agent approvals).";
  return `“Always here” allows this tool as it is now${to}, ${within};${again} ${never} Both stay in force ${end}`;
}

/** The label of the button "always here", with the arguments that may vary. */
export function alwaysLabel({ binds, input }: ForGood): string {
  const any = anyOf(openIn({ binds, input }));
  const label = any === "" ? "Always here" : `Always here, ${any}`;
  return label.length > maxLabel ? `${label.slice(0, maxLabel - 1)}…` : label;
}

/** The label of the button that allows more than this one call for the rest of the turn; undefined if there is nothing of the kind. */
export function turnLabel({ person, addresses = [] }: AskedScope): string | undefined {
  if (addresses.length > 0) return "This site, this turn";
  return person?.for_answer ? "For this answer" : undefined;
}

/** What an approval can cover in addition to the call that asks. */
interface AskedScope {
  person?: Pick<OnlyDecider, "for_answer"> | undefined;
  addresses?: readonly string[] | undefined;
}

/** Paths of the arguments that may have any value. */
function openIn({ binds, input }: ForGood): string[] {
  return Object.keys(readArguments(input, binds.open).free);
}

function anyOf(open: readonly string[]): string {
  return open.length === 0 ? "" : `any ${open.join(", ")}`;
}

/** Values that a decision is bound to: `to = ann@example.com`; empty if there are none. */
export function destinationText(values: Binding["values"]): string {
  return Object.entries(values)
    .map(([name, value]) => {
      const text = exactText(inQuotes(value));
      return `${name} = ${text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text}`;
    })
    .join(", ");
}
