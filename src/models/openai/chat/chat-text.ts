import { isRecord } from "../../../base/record.ts";
import { type Json, type JsonSchema, objectOf, parseJson } from "../../../core/values/json.ts";
import type { ToolDefinition } from "../../../core/values/message.ts";
import type { Piece } from "../../provider-model.ts";

/** A call as a model wrote it into its text. */
interface TextualCall {
  name: string;
  /** JSON text of an object. */
  arguments: string;
}

/** The openings of calls in text with their ends. A call without an end continues to the end of the answer. */
const callTags: Readonly<Record<string, readonly string[]>> = {
  "<tool_call>": ["</tool_call>"],
  "<function=": ["</function>"],
  "<|python_tag|>": ["<|eom_id|>", "<|eot_id|>"],
  "[TOOL_CALLS]": [],
  "<｜tool▁calls▁begin｜>": ["<｜tool▁calls▁end｜>"],
};

/**
 * Reads calls that a model wrote as text because its server has no parser for them. Undefined when there are none, or one names a
 * tool that is not offered. The formats are those of the chat templates of Hermes and Qwen, Qwen3-Coder, GLM, Mistral, Llama 3 and
 * DeepSeek: https://docs.vllm.ai/en/latest/features/tool_calling.html
 * @param tag the opening, a key of `callTags`
 * @param body the text between the opening and its end
 */
function textualCalls(
  tag: string,
  body: string,
  tools: readonly ToolDefinition[],
): TextualCall[] | undefined {
  const calls = readers[tag]?.(body.trim(), tools) ?? [];
  const isOffered = ({ name }: TextualCall) => tools.some((tool) => tool.name === name);
  return calls.length > 0 && calls.every(isOffered) ? calls : undefined;
}

/** Whether the text after an opening may still become a call. Decides early, so that prose about tags is not held back. */
function mayBeCall(tag: string, body: string, tools: readonly ToolDefinition[]): boolean {
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

/** `{"name": …, "arguments": {…}}`, or a list of such objects. Llama writes `parameters`. */
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

/** `name[ARGS]{…}` or `name{…}` of Mistral, optionally with `[CALL_ID]…` in between. */
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

/** Returns no call if the arguments are not an object: the text then remains text. */
function called(name: string, input: Json | undefined): TextualCall[] {
  const value = typeof input === "string" ? parsed(input) : input;
  if (!isRecord(value)) return [];
  return [{ name, arguments: JSON.stringify(value) }];
}

/** Converts text values to the types of their parameters. */
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

const thinkTags = ["<think>", "<thinking>", "[THINK]"];
const thinkEnds = ["</think>", "</thinking>", "[/THINK]"];
const thinkEnd = /<\/think(?:ing)?>|\[\/THINK\]/;

/** Qwen3-Coder sometimes opens a call with only `<function=` but closes both tags. */
const callEnd = "</tool_call>";

/** All tags that may begin something other than plain text. */
const tags = [...thinkTags, ...thinkEnds, ...Object.keys(callTags), callEnd];
const anyTag =
  /<\/?think(?:ing)?>|\[\/?THINK\]|<\/?tool_call>|<function=|<\|python_tag\|>|\[TOOL_CALLS\]|<｜tool▁calls▁begin｜>|`{3,}/g;

const mayHoldTag = /[<[`]/;

/** The complete text of a model, and its calls. */
export interface WholeText {
  text: string;
  calls: TextualCall[];
}

/** An incomplete call: its opening, and the text after it. */
interface OpenCall {
  tag: string;
  parts: string[];
  /** The end of the received text, which may hold the beginning of the call's end. */
  tail: string;
  /** Enough text has arrived to treat it as a call. */
  isSettled: boolean;
}

/**
 * Separates the text for people from reasoning in `<think>…</think>` and from tool calls, which models write as text when their server
 * has no parser for them. Only text that may begin one of these is held back. People ask about tags too, so a tag in a code fence or
 * after a backtick is text, and reasoning must begin a line. Takes linear time.
 */
export class ChatText {
  readonly #tools: readonly ToolDefinition[];
  readonly #text: string[] = [];
  readonly #calls: TextualCall[] = [];
  #held = "";
  #state: "text" | "thinking" | OpenCall = "text";
  /** Backticks of the open code fence; 0 outside. */
  #fence = 0;
  #lineIsBlank = true;
  #last = "";
  /** The text so far is blank. */
  #isBlank = true;
  #hasThought = false;

  /** @param tools the tools that may be called; if there are none, calls are text */
  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
  }

  /** Adds a piece of the text. Returns the parts to show. */
  add(piece: string): Piece[] {
    const shown: Piece[] = [];
    // Nearly all pieces are words.
    if (this.#state === "text" && this.#held === "" && !mayHoldTag.test(piece)) {
      this.#say(piece, shown);
      return shown;
    }
    let rest = this.#held + piece;
    this.#held = "";
    while (rest !== "") rest = this.#step(rest, shown);
    return shown;
  }

  /** The text without reasoning and calls, including text that was held back. */
  end(): WholeText {
    const shown: Piece[] = [];
    if (typeof this.#state === "object") this.#close(this.#state, "", shown);
    else if (this.#state === "text") this.#say(this.#held, shown);
    const text = this.#text.join("");
    return { text: this.#calls.length > 0 ? text.trimEnd() : text, calls: this.#calls };
  }

  /** Processes the beginning of the text. Returns the rest. */
  #step(input: string, shown: Piece[]): string {
    if (this.#state === "thinking") return this.#think(input, shown);
    if (this.#state !== "text") return this.#collect(this.#state, input, shown);
    const found = this.#nextTag(input);
    if (found === undefined) {
      const end = input.length - this.#unfinished(input);
      this.#say(input.slice(0, end), shown);
      this.#held = input.slice(end);
      return "";
    }
    const { tag, index } = found;
    this.#say(input.slice(0, index), shown);
    const after = input.slice(index + tag.length);
    if (thinkTags.includes(tag)) this.#state = "thinking";
    else if (thinkEnds.includes(tag)) this.#endStrayThought(shown);
    else if (tag !== callEnd) this.#state = { tag, parts: [], tail: "", isSettled: false };
    return after;
  }

  /** The first tag that counts at its place. Tracks the code fences before it. */
  #nextTag(input: string): { tag: string; index: number } | undefined {
    for (const { 0: tag, index } of input.matchAll(anyTag)) {
      if (tag.startsWith("```")) this.#passFence(input, index, tag.length);
      else if (this.#isTag(tag, input, index)) return { tag, index };
    }
    return undefined;
  }

  #isTag(tag: string, input: string, index: number): boolean {
    if (this.#fence > 0 || (index === 0 ? this.#last : input[index - 1]) === "`") return false;
    if (thinkTags.includes(tag) || thinkEnds.includes(tag)) return this.#startsLine(input, index);
    return tag === callEnd ? this.#calls.length > 0 : this.#tools.length > 0;
  }

  /** Does nothing for backticks at the end: more may follow, and they are processed again. */
  #passFence(input: string, index: number, length: number): void {
    if (index + length === input.length || !this.#startsLine(input, index)) return;
    if (this.#fence === 0) this.#fence = length;
    else if (length >= this.#fence) this.#fence = 0;
  }

  /** Whether only white space precedes this place in its line. */
  #startsLine(input: string, index = input.length): boolean {
    for (let at = index - 1; at >= 0; at -= 1) {
      if (input[at] === "\n") return true;
      if (!/\s/.test(input[at] ?? "")) return false;
    }
    return this.#lineIsBlank;
  }

  /** The number of characters at the end that may begin a tag or a code fence. */
  #unfinished(input: string): number {
    const ticks = trailingBackticks(input);
    if (ticks > 0) return this.#startsLine(input, input.length - ticks) ? ticks : 0;
    return this.#fence > 0 ? 0 : begunTag(input, tags);
  }

  #think(input: string, shown: Piece[]): string {
    this.#hasThought = true;
    const first = thinkEnd.exec(input);
    const end = first?.index ?? input.length - begunTag(input, thinkEnds);
    if (end > 0) shown.push({ thought: input.slice(0, end) });
    if (first === null) {
      this.#held = input.slice(end);
      return "";
    }
    this.#state = "text";
    return input.slice(first.index + first[0].length);
  }

  /** Some templates open the reasoning themselves, so the model only writes its end: all text before it was reasoning. */
  #endStrayThought(shown: Piece[]): void {
    const thought = this.#text.join("");
    const isFirst = !this.#hasThought;
    this.#hasThought = true;
    if (!isFirst || thought.trim() === "") return;
    this.#text.length = 0;
    this.#isBlank = true;
    shown.push({ void: true }, { thought });
  }

  #collect(call: OpenCall, input: string, shown: Piece[]): string {
    if (!call.isSettled) {
      const begun = call.parts.join("") + input;
      call.isSettled = begun.trimStart().length > nameLength;
      if (!mayBeCall(call.tag, begun, this.#tools)) {
        this.#state = "text";
        this.#say(call.tag, shown);
        return begun;
      }
    }
    const window = call.tail + input;
    const ends = (callTags[call.tag] ?? []).map((tag) => ({ tag, index: window.indexOf(tag) }));
    const end = ends.find(({ index }) => index >= 0);
    if (end === undefined) {
      call.parts.push(input);
      call.tail = window.slice(-maxEnd);
      return "";
    }
    const upTo = end.index + end.tag.length - call.tail.length;
    call.parts.push(input.slice(0, upTo));
    this.#state = "text";
    this.#close(call, end.tag, shown);
    return input.slice(upTo);
  }

  #close(call: OpenCall, end: string, shown: Piece[]): void {
    const raw = call.parts.join("");
    const calls = textualCalls(call.tag, raw.slice(0, raw.length - end.length), this.#tools);
    if (calls === undefined) this.#say(call.tag + raw, shown);
    else this.#calls.push(...calls);
  }

  #say(text: string, shown: Piece[]): void {
    const said = this.#isBlank && this.#hasThought ? text.trimStart() : text;
    if (said === "") return;
    this.#lineIsBlank = this.#startsLine(said);
    this.#isBlank &&= said.trim() === "";
    this.#last = said.slice(-1);
    this.#text.push(said);
    shown.push(said);
  }
}

/** One less than the length of the longest end of a call. */
const maxEnd = Math.max(...Object.values(callTags).flatMap((ends) => ends.map((end) => end.length))) - 1;

/** Characters after an opening that tell a call from prose about tags: no tool name is longer. */
const nameLength = 100;

/** The number of characters at the end of a text that may begin one of these tags. */
function begunTag(text: string, known: readonly string[]): number {
  const begun = text.slice(Math.max(text.lastIndexOf("<"), text.lastIndexOf("["), 0));
  return known.some((tag) => tag.length > begun.length && tag.startsWith(begun)) ? begun.length : 0;
}

function trailingBackticks(text: string): number {
  let count = 0;
  while (text[text.length - 1 - count] === "`") count += 1;
  return count;
}
