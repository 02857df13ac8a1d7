import { jsonrepair } from "jsonrepair";
import { readJson } from "../../../base/json-reader.ts";
import { isContainer, isRecord } from "../../../base/record.ts";
import {
  type Json,
  type JsonObject,
  type JsonSchema,
  objectOf,
  parseJson,
} from "../../../core/values/json.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";
import { endOf, type Mark, markAt } from "./text-marks.ts";

/** A call as a model wrote it into its text. */
export interface TextualCall {
  name: string;
  /** JSON text of an object, unless the model made a mistake in it. */
  arguments: string;
}

/**
 * Reads calls that a model wrote as text because its server has no parser for them, in any template: marks around JSON with a name, around
 * a name and JSON, around a name and elements of parameters, or around calls as Python has them. Undefined if anything else is in the text.
 * Takes linear time. The templates: https://docs.vllm.ai/en/latest/features/tool_calling.html
 * @param tools give their parameters' types, and tell a name from other words of a template
 */
export function textualCalls(text: string, tools: readonly ToolDefinition[]): TextualCall[] | undefined {
  const reader = new CallReader(quoted(text), tools);
  return reader.read() && reader.calls.length > 0 ? reader.calls : undefined;
}

/** Gemma has tokens for quotation marks. */
function quoted(text: string): string {
  return text.replaceAll(/<\|"\|>|<escape>/g, '"');
}

/** Whether a text after a mark may be the beginning of calls. Decides early, so that prose about marks is not held back. */
export function mayBeCalls(text: string, mayName: boolean): boolean {
  const start = text.slice(0, maxHead).trimStart();
  if (start === "") return true;
  if (/^(?:\[\s*)?\{/.test(start)) return /^(?:\[\s*)?\{\s*(?:["'}]|$)/.test(start);
  if (!mayName) return start === "[";
  if (markAt(start, 0) !== undefined) return true;
  const [name = ""] = /^\[?[\w.:/-]+/.exec(start) ?? [];
  const after = start.slice(name.length);
  return (name !== "" || after.trim() === "[") && /^(?:\s*$|\s*\{|\n*[<[(])/.test(after);
}

/** Maximum characters of a name, and of what tells calls from prose. */
const maxName = 100;
export const maxHead = 300;

const gap = /(?:[\s;,]|`{3}\w*)*/y;
const word = /[\w.:/-]+/y;
const nameMember = /"name"\s*:\s*"([\w.:/-]+)"/;
const pythonKey = /[\s,]*(\w+)\s*=\s*/y;

class CallReader {
  readonly calls: TextualCall[] = [];
  readonly #text: string;
  readonly #tools: readonly ToolDefinition[];
  #at = 0;
  /** Words before the arguments: one of them is the name of the open call. */
  #words: string[] = [];
  /** The name of the mark whose value is the name of the call. */
  #namedBy: string | undefined;
  #pairs: [key: string, value: string][] = [];
  #key: string | undefined;

  constructor(text: string, tools: readonly ToolDefinition[]) {
    this.#text = text;
    this.#tools = tools;
  }

  /** Returns whether there was nothing but calls. */
  read(): boolean {
    for (;;) {
      this.#take(gap);
      if (this.#at >= this.#text.length) return this.#close();
      if (!this.#step()) return false;
    }
  }

  #step(): boolean {
    const mark = markAt(this.#text, this.#at);
    if (typeof mark === "object") return this.#mark(mark);
    if (/^(?:\[\s*)?\{/.test(this.#text.slice(this.#at, this.#at + maxName))) return this.#json();
    // The list around calls as Python has them.
    if (/[[\]]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
    else {
      const name = this.#take(word);
      if (name === "" || name.length > maxName) return false;
      if (this.#text[this.#at] === "(") return this.#python(name);
      this.#words.push(name);
    }
    return true;
  }

  #mark(mark: Mark): boolean {
    const isOpen = this.#words.length > 0;
    const { name, value } = mark;
    this.#at += mark.raw.length;
    if (mark.isEnd) return this.#close();
    if (value !== undefined && (!isOpen || name === this.#namedBy)) {
      if (!this.#close()) return false;
      this.#words = [value];
      this.#namedBy = name;
      return true;
    }
    if (mark.isToken || mark.raw.startsWith("[")) return true;
    if (!isOpen && this.#tools.some((tool) => tool.name === name)) this.#words = [name];
    else if (/(?<![a-z])name$/i.test(name)) this.#words.push(this.#content(mark).trim());
    else if (isOpen && value !== undefined) this.#pairs.push([value, this.#content(mark)]);
    else if (isOpen && !/^\s*\{/.test(this.#text.slice(this.#at, this.#at + maxName))) this.#element(mark);
    return true;
  }

  /** GLM has an element for the key and one for the value. */
  #element(mark: Mark): void {
    const content = this.#content(mark);
    if (this.#key !== undefined) this.#pairs.push([this.#key, content]);
    else if (!/^(?:arg|param)\w*_key$/.test(mark.name)) this.#pairs.push([mark.name, content]);
    this.#key = this.#key === undefined && /_key$/.test(mark.name) ? content.trim() : undefined;
  }

  /** The text up to the end of an element, without the line breaks around it. */
  #content(mark: Mark): string {
    const end = endOf(mark);
    const at = this.#text.indexOf(end, this.#at);
    const content = this.#text.slice(this.#at, at === -1 ? undefined : at);
    this.#at = at === -1 ? this.#text.length : at + end.length;
    return content.replace(/^\n/, "").replace(/\n$/, "");
  }

  /** The arguments of the open call, or calls with their names. What was cut off is passed on as it is. */
  #json(): boolean {
    const end = balancedEnd(this.#text, this.#at);
    const text = this.#text.slice(this.#at, end);
    this.#at += text.length;
    const value = end === undefined ? parsed(text) : literal(text);
    const [, name] = value === undefined ? (nameMember.exec(text) ?? []) : [];
    if (name !== undefined && this.#words.length === 0) this.#words.push(name);
    if (this.#words.length > 0) {
      this.#call(isRecord(value) ? JSON.stringify(value) : text);
      return true;
    }
    const objects = Array.isArray(value) ? value : [value];
    const calls = objects.flatMap((each) => namedCall(objectOf(each)) ?? []);
    this.calls.push(...calls);
    return calls.length === objects.length;
  }

  /** `name(key="value", …)` */
  #python(name: string): boolean {
    const values: [string, Json][] = [];
    this.#at += 1;
    for (let [, key] = this.#match(pythonKey); key !== undefined; [, key] = this.#match(pythonKey)) {
      const text = this.#text.slice(this.#at, balancedEnd(this.#text, this.#at, ",)"));
      this.#at += text.length;
      values.push([key, literal(text) ?? text]);
    }
    this.#take(gap);
    if (this.#text[this.#at] !== ")") return false;
    this.#at += 1;
    this.#words = [name];
    this.#call(JSON.stringify(Object.fromEntries(values)));
    return true;
  }

  /** Ends the open call, if there is one. Returns whether it is a call: a word alone is one only if it is known to be a name. */
  #close(): boolean {
    if (this.#words.length === 0) return true;
    const name = this.#name();
    const isNamed = this.#namedBy !== undefined || this.#pairs.length > 0 || this.#isTool(name);
    if (isNamed) this.#call(JSON.stringify(typed(name, this.#pairs, this.#tools)));
    return isNamed;
  }

  #call(input: string): void {
    this.calls.push({ name: this.#name(), arguments: input });
    this.#words = [];
    this.#namedBy = undefined;
    this.#pairs = [];
  }

  /** A tool among the words, also in the frame of a template: `functions.NAME:0`. */
  #name(): string {
    const parts = this.#words.flatMap((each) => [each, ...each.split(/[^\w-]+/)]);
    const unknown = this.#words.find((each) => each !== "function") ?? "";
    return parts.find((part) => this.#isTool(part)) ?? unknown;
  }

  #isTool(name: string): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  #take(pattern: RegExp): string {
    return this.#match(pattern)[0] ?? "";
  }

  #match(pattern: RegExp): readonly (string | undefined)[] {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? [];
    this.#at += found[0]?.length ?? 0;
    return found;
  }
}

const nesting: Readonly<Record<string, number>> = { "{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1 };

/**
 * The end of the brackets at a place; with `stop`, the place of such a sign outside of brackets. Undefined if the text ends before.
 * Strings may be Python's.
 */
function balancedEnd(text: string, from: number, stop?: string): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (depth === 0 && stop?.includes(sign)) return at;
    if (sign === '"' || sign === "'") at = stringEnd(text, at);
    else depth += nesting[sign] ?? 0;
    if (depth === 0 && stop === undefined) return at + 1;
  }
  return undefined;
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[from]) return at;
  }
  return text.length;
}

/** A call as an object: a member for the name, and one for the arguments, also within another object. */
function namedCall(object: JsonObject): TextualCall | undefined {
  const members = Object.entries(object);
  const name = members.find(
    ([key, value]) => /name$|^tool$|^function$/.test(key) && typeof value === "string",
  )?.[1];
  const inputs = members.flatMap(([, value]) => {
    const read = typeof value === "string" && value.startsWith("{") ? parsed(value) : value;
    return isContainer(read) ? [read] : [];
  });
  const [input = {}] = inputs;
  if (!isRecord(input)) return undefined;
  if (typeof name === "string") return { name, arguments: JSON.stringify(input) };
  return inputs.length === 1 ? namedCall(objectOf(input as Json)) : undefined;
}

/** Converts texts to the types of their parameters. */
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

/** The value of JSON, of Python's literals, or of JSON without quotes around its keys. */
function literal(text: string): Json | undefined {
  const value = parsed(text);
  if (value !== undefined) return value;
  const read = readJson(text, jsonrepair);
  return read.ok ? (read.value as Json) : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
