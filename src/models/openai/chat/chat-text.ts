import type { ToolDefinition } from "../../../core/values/message.ts";
import type { Piece } from "../../provider-model.ts";
import { endOf, type Mark, markAt, markSign, namesCall, namesThought } from "./text-marks.ts";
import { maxHead, mayBeCalls, type TextualCall, textualCalls } from "./textual-calls.ts";

/** The complete text of a model, and its calls. */
export interface WholeText {
  text: string;
  calls: TextualCall[];
}

/** Text that is held back because it may be calls. */
interface OpenCalls {
  kind: "calls";
  /** The mark before it. */
  raw: string;
  /** The mark that ends it; empty if nothing but the end of the answer does. */
  end: string;
  /** Whether the mark names calls. If not, only calls of tools of the request count. */
  isNamed: boolean;
  /** Whether the mark is a special token. */
  isToken: boolean;
  /** The recipient in the header of a channel: the text is its arguments. */
  to?: string | undefined;
  parts: string[];
  /** The end of the received text, which may hold the beginning of `end`. */
  tail: string;
  /** Whether enough text has arrived to treat it as calls. */
  isSettled: boolean;
}

/** Reasoning, up to any mark that ends reasoning, or in a channel up to any special token. */
interface OpenThought {
  kind: "thought";
  isChannel: boolean;
}

/** What a channel is for: `<|start|>assistant<|channel|>commentary to=functions.NAME<|message|>`, `<|channel>thought` and a line break. */
interface OpenHeader {
  kind: "header";
  /** The mark before it. */
  raw: string;
  words: string;
}

/**
 * Separates the text for people from reasoning and from tool calls, which models write as text when their server has no parser for their
 * template. Only text that may begin one of these is held back. People ask about templates too, so a mark in a code fence or in
 * inline code is text, and a tag of reasoning must begin a line. Takes linear time.
 */
export class ChatText {
  readonly #tools: readonly ToolDefinition[];
  readonly #text: string[] = [];
  readonly #calls: TextualCall[] = [];
  readonly #line = new Line();
  /** Calls of unknown tools in tags. They count at the end of the answer: a text that goes on is about them. */
  #unsure: { raw: string; calls: readonly TextualCall[] } | undefined;
  #held = "";
  #state: OpenCalls | OpenThought | OpenHeader | undefined;
  /** The text so far is blank. */
  #isBlank = true;
  #hasThought = false;
  /** Whether the answer is in channels, whose special tokens are no text. */
  #hasChannels = false;

  /** @param tools the tools of the request; if there are none, calls are text */
  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
  }

  /** Adds a piece of the text. Returns the parts to show. */
  add(piece: string): Piece[] {
    const shown: Piece[] = [];
    let rest = this.#held + piece;
    this.#held = "";
    while (rest !== "") rest = this.#step(rest, shown);
    return shown;
  }

  /** The text without reasoning and calls, including text that was held back. */
  end(): WholeText {
    const shown: Piece[] = [];
    const state = this.#state;
    if (state?.kind === "calls") this.#close(state, "", shown);
    else if (state?.kind === "header") this.#say(state.raw + state.words, shown);
    else if (state === undefined) this.#say(this.#held, shown);
    this.#calls.push(...(this.#unsure?.calls ?? []));
    const text = this.#text.join("");
    return { text: this.#calls.length > 0 ? text.trimEnd() : text, calls: this.#calls };
  }

  /** Processes the beginning of the text. Returns the rest. */
  #step(input: string, shown: Piece[]): string {
    switch (this.#state?.kind) {
      case "thought":
        return this.#think(this.#state, input, shown);
      case "header":
        return this.#head(this.#state, input, shown);
      case "calls":
        return this.#collect(this.#state, input, shown);
      default:
        return this.#read(input, shown);
    }
  }

  #read(input: string, shown: Piece[]): string {
    const at = nextSign(input, 0);
    if (at > 0) return this.#sayFirst(at, input, shown);
    if (at === -1) {
      const run = trailingRun(input);
      this.#say(input.slice(0, input.length - run), shown);
      return run === 0 ? "" : this.#hold(input.slice(-run));
    }
    if (this.#line.isCode) return this.#sayFirst(1, input, shown);
    const mark = markAt(input, 0);
    if (mark === "begun") return this.#hold(input);
    if (mark !== undefined) return this.#mark(mark, input, shown);
    const { word } = this.#line;
    if (word === "" || this.#tools.length === 0 || !input.startsWith("[{")) {
      return this.#sayFirst(1, input, shown);
    }
    return this.#open({ raw: "", end: "", isNamed: namesCall({ name: word }), isToken: false }, input);
  }

  #mark(mark: Mark, input: string, shown: Piece[]): string {
    const { raw, isToken } = mark;
    const rest = input.slice(raw.length);
    switch (this.#kindOf(mark)) {
      case "header":
        this.#state = { kind: "header", raw, words: "" };
        return rest;
      case "thought":
        this.#state = { kind: "thought", isChannel: false };
        this.#hasChannels ||= isToken;
        return rest;
      case "thought_end":
        this.#endStrayThought(shown);
        return rest;
      case "nothing":
        return rest;
      case "text":
        return this.#sayFirst(raw.length, input, shown);
      case "calls": {
        const isNamed = isToken || namesCall(mark) || this.#isTool(mark.name);
        return this.#open(
          { raw: this.#hasChannels && isToken ? "" : raw, end: endOf(mark), isNamed, isToken },
          rest,
        );
      }
    }
  }

  #kindOf(mark: Mark): "header" | "thought" | "thought_end" | "calls" | "nothing" | "text" {
    const { raw, isToken, isEnd } = mark;
    if (opensHeader.test(raw)) return "header";
    if (namesThought(mark) && (isToken || this.#line.isBlank)) return isEnd ? "thought_end" : "thought";
    const unless = this.#hasChannels && isToken ? "nothing" : "text";
    // Qwen3-Coder sometimes opens a call with `<function=` alone, but closes both tags.
    if (isEnd) return namesCall(mark) && this.#hasCalls ? "nothing" : unless;
    if (this.#tools.length === 0) return unless;
    return raw.startsWith("[") && !namesCall(mark) ? "text" : "calls";
  }

  get #hasCalls(): boolean {
    return this.#calls.length > 0 || this.#unsure !== undefined;
  }

  #isTool(name: string): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  #open(call: Pick<OpenCalls, "raw" | "end" | "isNamed" | "isToken" | "to">, rest: string): string {
    const isSettled = call.to !== undefined;
    this.#state = { ...call, kind: "calls", parts: [], tail: "", isSettled };
    return rest;
  }

  #head(header: OpenHeader, input: string, shown: Piece[]): string {
    const text = header.words === "" ? input : header.words + input;
    const begun = header.raw + text.slice(0, maxHead);
    const [whole, words = "<|channel>"] = wholeHeader.exec(begun) ?? [];
    if (whole === undefined) {
      header.words = text;
      if (begunHeader.test(begun)) return "";
      this.#state = undefined;
      this.#say(header.raw, shown);
      return text;
    }
    const rest = text.slice(whole.length - header.raw.length);
    const [, to] = / to=(?:functions\.)?([\w.:-]+)/.exec(words) ?? [];
    this.#hasChannels = true;
    if (to !== undefined && this.#tools.length > 0) {
      return this.#open({ raw: "", end: "<|call|>", isNamed: true, isToken: true, to }, rest);
    }
    const isText = !words.includes("<|channel") || words.includes(">final");
    this.#state = isText ? undefined : { kind: "thought", isChannel: true };
    return rest;
  }

  #think({ isChannel }: OpenThought, input: string, shown: Piece[]): string {
    this.#hasThought = true;
    const end = thoughtEnd(input, isChannel);
    const thought = input.slice(0, end?.at);
    if (thought !== "") shown.push({ thought });
    if (end === undefined) return "";
    const rest = input.slice(end.at);
    if (end.mark === "begun") return this.#hold(rest);
    this.#state = undefined;
    // The next header begins with the mark that ends a channel.
    return isChannel ? rest : rest.slice(end.mark.raw.length);
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

  #collect(call: OpenCalls, input: string, shown: Piece[]): string {
    if (!call.isSettled) {
      const begun = call.parts.join("") + input;
      call.isSettled = begun.length > maxHead;
      if (!mayBeCalls(begun, call.isNamed)) {
        this.#state = undefined;
        if (call.end === "") return this.#sayFirst(1, begun, shown);
        this.#say(call.raw, shown);
        return begun;
      }
    }
    const window = call.tail + input;
    const at = call.end === "" ? -1 : window.indexOf(call.end);
    const upTo = at + call.end.length - call.tail.length;
    call.parts.push(at === -1 ? input : input.slice(0, upTo));
    call.tail = window.slice(Math.max(0, window.length + 1 - call.end.length));
    if (at === -1) return "";
    this.#state = undefined;
    this.#close(call, call.end, shown);
    return input.slice(upTo);
  }

  /** @param end the end of the text that does not belong to the calls */
  #close({ raw, isNamed, to, parts, ...call }: OpenCalls, end: string, shown: Piece[]): void {
    const whole = raw + parts.join("");
    const body = whole.slice(0, whole.length - end.length);
    const calls = to === undefined ? textualCalls(body, this.#tools) : [{ name: to, arguments: body.trim() }];
    const isKnown = calls?.every(({ name }) => this.#isTool(name));
    if (calls === undefined || !(isNamed || isKnown)) {
      this.#say(this.#hasChannels && call.isToken ? body : whole, shown);
      return;
    }
    // The word before a list of calls.
    if (call.end === "") {
      this.#text.splice(0, Infinity, this.#text.join("").slice(0, -this.#line.word.length));
    }
    if (isKnown || call.isToken) this.#calls.push(...calls);
    else {
      const { raw: before = "", calls: earlier = [] } = this.#unsure ?? {};
      this.#unsure = { raw: before + whole, calls: [...earlier, ...calls] };
    }
  }

  #say(text: string, shown: Piece[]): void {
    if (this.#unsure !== undefined && text.trim() === "") {
      this.#unsure.raw += text;
      return;
    }
    const before = this.#unsure?.raw ?? "";
    this.#unsure = undefined;
    const said = this.#isBlank && this.#hasThought ? (before + text).trimStart() : before + text;
    if (said === "") return;
    this.#line.follow(said);
    this.#isBlank &&= said.trim() === "";
    this.#text.push(said);
    const last = shown.at(-1);
    if (typeof last === "string") shown[shown.length - 1] = last + said;
    else shown.push(said);
  }

  #hold(input: string): string {
    this.#held = input;
    return "";
  }

  #sayFirst(length: number, input: string, shown: Piece[]): string {
    this.#say(input.slice(0, length), shown);
    return input.slice(length);
  }
}

const opensHeader = /^<\|(?:channel|start)\|?>$/;

/** A header that is complete, and one that may become so. */
const wholeHeader = /^(?:(<\|\w+\|>\w[^\n]{0,200}?)<\|message\|>|<\|\w+>\w+\n)/;
const begunHeader = /^<\|\w+\|?>(?:\w[^\n]{0,200})?$/;

/** Where reasoning ends, or may end once more text has arrived. */
function thoughtEnd(text: string, isChannel: boolean): { at: number; mark: Mark | "begun" } | undefined {
  for (let at = nextSign(text, 0); at !== -1; at = nextSign(text, at + 1)) {
    const mark = markAt(text, at);
    if (mark === undefined) continue;
    if (mark === "begun" || (isChannel ? mark.isToken : mark.isEnd && namesThought(mark)))
      return { at, mark };
  }
  return undefined;
}

/** Maximum characters that are kept of the beginning of a line. */
const maxStart = 40;

const lineSign = /[\n`~]/;

/** The line that is being written, and the code around its end. */
class Line {
  /** The beginning of the line, without white space before it. */
  #start = "";
  /** The signs that opened a code fence. */
  #fence = "";
  /** The backticks that opened inline code. */
  #inline = "";

  get isBlank(): boolean {
    return this.#start === "";
  }

  get isCode(): boolean {
    return this.#fence !== "" || this.#inline !== "";
  }

  /** The line, if it is a single word. */
  get word(): string {
    return /^\w{1,30}$/.exec(this.#start)?.[0] ?? "";
  }

  follow(text: string): void {
    const parts = lineSign.test(text) ? text.split(/(\n|`+|~{3,})/) : [text];
    for (const part of parts) {
      if (part === "\n") {
        this.#start = "";
        this.#inline = "";
        continue;
      }
      if (part.startsWith("`") || part.startsWith("~~~")) this.#run(part);
      if (this.#start.length < maxStart) this.#start = (this.#start + part).trimStart().slice(0, maxStart);
    }
  }

  /** A run of backticks or tildes. A fence may stand in a list or a quotation. */
  #run(run: string): void {
    const isFence = run.length >= 3 && /^[>*+\-\s\d.)]*$/.test(this.#start);
    if (this.#fence !== "") {
      if (isFence && run.startsWith(this.#fence)) this.#fence = "";
    } else if (isFence) this.#fence = run;
    else if (run.startsWith("~")) return;
    else if (this.#inline === "") this.#inline = run;
    else if (this.#inline === run) this.#inline = "";
  }
}

function nextSign(text: string, from: number): number {
  const at = text.slice(from).search(markSign);
  return at === -1 ? -1 : from + at;
}

/** The number of the same backticks or tildes at the end. More may follow. */
function trailingRun(text: string): number {
  const last = text.at(-1) ?? "";
  let count = 0;
  while ("`~".includes(last) && text[text.length - 1 - count] === last) count += 1;
  return count;
}
