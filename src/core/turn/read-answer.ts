import { idInside } from "../log/call-id.ts";
import { ModelError, type ModelEvent, type ModelRequest } from "../ports/model.ts";
import type { Clock } from "../ports/storage.ts";
import { chosenModel, type TurnScope } from "../scope/turn-scope.ts";
import { serverSkillId } from "../skill/catalogue.ts";
import { fingerprint } from "../values/address.ts";
import type { AssistantMessage } from "../values/message.ts";
import type { RedactedStream, Redactor } from "../values/redact.ts";

/** The model's answer. `note` is what it said about its work outside the text, after which it wrote no more text; empty if it did not. */
type Finished = Extract<ModelEvent, { type: "finished" }> & { note: string };

/** Maximum repeats of a request within one round because tools are left out. */
const maxRepeats = 100;

/**
 * Asks the turn's model and returns its final message. While the model answers, people see its text grow, what it is doing, and the reason
 * for a delay. When the provider leaves out tools that the transcript does not mention yet, the model is told about them and asked again:
 * `request` is called for each attempt.
 * @throws ModelError, or the reason with which the turn was aborted
 */
export async function readAnswer(
  scope: TurnScope,
  request: () => Promise<ModelRequest>,
  repeats = 0,
): Promise<Finished> {
  let untold: LeftOut | undefined;
  const { ports, turn, emit } = scope;
  const model = chosenModel(scope);
  const { clock, redact } = ports;
  const pacer = createTextPacer(clock, redact, (text) => emit({ type: "text_delta", text }));
  const line = createThoughtLine(clock, (text) => void emit({ type: "model_thought", text }));
  // Redacted before it is cut to a line: half a secret would not be recognised.
  let thought: RedactedStream | undefined;
  const endThought = () => {
    if (thought === undefined) return "";
    thought = undefined;
    return line.end();
  };
  try {
    for await (const event of model.stream(await request())) {
      switch (event.type) {
        case "finished":
          if (thought !== undefined) line.add(thought.end());
          return { ...event, note: endThought() };
        case "text":
          endThought();
          pacer.add(event.text);
          break;
        case "thought":
          thought ??= redact.stream();
          line.add(thought.add(event.text));
          break;
        case "delayed":
          await emit({ type: "model_delayed", text: event.text, until: event.until });
          break;
        case "left_out":
          if (repeats < maxRepeats) untold = untoldOf(scope, event);
          break;
        case "spent":
          await emit({ type: "usage", model: event.model, ...event.usage });
          break;
        case "reset":
          endThought();
          pacer.clear();
          await emit({ type: "text_reset" });
      }
      if (untold !== undefined) break;
    }
  } finally {
    line.end();
    await pacer.flush();
  }
  if (untold !== undefined) {
    await tellLeftOut(scope, untold);
    return readAnswer(scope, request, repeats + 1);
  }
  turn.signal.throwIfAborted();
  throw new ModelError("bad_response", `The model ${model.id} ended without an answer.`);
}

/**
 * Some servers number the calls of each response from the start. Log and transcript need unique ids: if one is in `taken`, all get new ones
 * that begin with `prefix`.
 */
export function withUniqueIds(
  message: AssistantMessage,
  taken: ReadonlySet<string>,
  prefix: string,
): AssistantMessage {
  const seen = new Set(taken);
  const clash = message.tool_calls.some(({ id }) => id === "" || seen.size === seen.add(id).size);
  if (!clash) return message;
  const tool_calls = message.tool_calls.map((call, index) => ({ ...call, id: `${prefix}_${index + 1}` }));
  // Provider blocks name the calls by their old ids and would not match the results.
  return { role: "assistant", text: message.text, tool_calls };
}

/** The ids of calls that a conversation has. */
export function idsIn({ state, conversation, transcript }: TurnScope): Set<string> {
  const own = [...state.calls.keys()].flatMap((id) => idInside(conversation.run, id) ?? []);
  const earlier = (transcript?.messages ?? []).flatMap((each) => (each.role === "tool" ? each.call_id : []));
  return new Set([...own, ...earlier]);
}

/** Minimum interval between changes of the line, ms: people have to be able to read it. */
const thoughtPaceMs = 700;

/** Maximum characters of the line. */
const maxLineLength = 160;

/** Characters of a thought that are searched for its latest sentence. */
const maxThought = 2_000;

/** Condenses the reasoning and notes that a model streams to one line about its current work. */
interface ThoughtLine {
  add(thought: string): void;
  /** Ends the thought, because the model says or does something else. Returns the line that stands for all of it. */
  end(): string;
}

/** @param show gets each new line, which replaces the one before */
export function createThoughtLine(clock: Clock, show: (line: string) => void): ThoughtLine {
  let thought = "";
  let shown = "";
  let cancel: (() => void) | undefined;
  let changed = false;
  const showLatest = () => {
    cancel = undefined;
    if (!changed) return;
    changed = false;
    cancel = clock.after(thoughtPaceMs, showLatest);
    const line = latestLine(thought);
    if (line === "" || line === shown) return;
    shown = line;
    show(line);
  };
  return {
    add(more) {
      thought = (thought + more).slice(-maxThought);
      changed = true;
      if (cancel === undefined) showLatest();
    },
    end() {
      if (thought === "" && cancel === undefined) return "";
      cancel?.();
      cancel = undefined;
      const note = noteOf(thought);
      thought = "";
      shown = "";
      changed = false;
      return note;
    },
  };
}

/** A complete thought in one line: its last paragraph if that is short, otherwise its latest statement. */
function noteOf(thought: string): string {
  const paragraph =
    thought
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "";
  const isShort = paragraph.length <= maxLineLength && thought.search(heading) === -1;
  return isShort ? plainLine(paragraph) : latestLine(`${thought}\n`);
}

/** A heading as reasoning summaries use it, e.g. `**Checking the invoices**`. */
const heading = /(?:^|\n)(?:\*\*([^*\n]+)\*\*|#{1,6} +([^\n]+))[ \t]*(?=\n|$)/g;

/** The end of a sentence or line. An unfinished sentence is not shown. */
const end = /(?<![.!?…])[.!?…]+(?=\s)|[。！？]+|\n/g;

/**
 * The latest complete statement of the thought as plain text: its last heading, otherwise its last whole sentence. Empty while it has
 * neither.
 */
export function latestLine(thought: string): string {
  const title = [...thought.matchAll(heading)].at(-1);
  return plainLine(title?.[1] ?? title?.[2] ?? lastSentence(thought));
}

function plainLine(text: string): string {
  const line = text
    .replace(/^[\s#>-]+/, "")
    .replaceAll(/[*`]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1).trimEnd()}…`;
}

function lastSentence(thought: string): string {
  let from = 0;
  let last = "";
  for (const { index, 0: mark } of thought.matchAll(end)) {
    const sentence = thought.slice(from, index + mark.length);
    from = index + mark.length;
    if (/\p{L}/u.test(sentence)) last = sentence;
  }
  return last;
}

/** Minimum interval between two pieces of streamed text, ms: below what people notice. */
const textPaceMs = 16;

/** Joins streamed pieces of text that arrive faster than people can see, and redacts secrets. */
interface TextPacer {
  /**
   * Shows the piece now, or joined with the pieces of the next moments. Text that may be the beginning of a secret is held back until that
   * is clear.
   */
  add(piece: string): void;
  /** Shows the remaining text. Resolves once it is recorded. */
  flush(): Promise<void>;
  /** Discards the remaining text. */
  clear(): void;
}

function createTextPacer(clock: Clock, redact: Redactor, show: (text: string) => Promise<void>): TextPacer {
  let redacted = redact.stream();
  let held = "";
  let cancel: (() => void) | undefined;
  const clear = () => {
    cancel?.();
    cancel = undefined;
    held = "";
    redacted = redact.stream();
  };
  const flush = async () => {
    const text = held + redacted.end();
    clear();
    if (text !== "") await show(text);
  };
  const begin = (text: string) => {
    cancel = clock.after(textPaceMs, () => {
      cancel = undefined;
      const rest = held;
      held = "";
      if (rest !== "") begin(rest);
    });
    void show(text);
  };
  return {
    add(piece) {
      const text = redacted.add(piece);
      if (text === "") return;
      if (cancel === undefined) begin(text);
      else held += text;
    },
    flush,
    clear,
  };
}

/** The event with the tools that a provider refuses. */
type LeftOut = Extract<ModelEvent, { type: "left_out" }>;

/** The left-out tools that the transcript does not mention yet; undefined when it mentions all. */
function untoldOf({ transcript }: TurnScope, event: LeftOut): LeftOut | undefined {
  const told = transcript?.told.left_out ?? {};
  const tools = event.tools.filter(({ name }) => told[name] !== printOf(transcript, name));
  return tools.length === 0 ? undefined : { ...event, tools };
}

/** Fingerprint of a tool's definition: a changed definition may be refused for another reason. */
function printOf(transcript: TurnScope["transcript"], name: string): string {
  return fingerprint(JSON.stringify(transcript?.tools.get(name) ?? name));
}

/**
 * Tells the model and the people of the thread which tools are left out. Only people read the provider's reason: it may quote text of a
 * tool's server, which the model must not take as an instruction.
 */
async function tellLeftOut(scope: TurnScope, { model, tools, all }: LeftOut): Promise<void> {
  const { transcript, ports } = scope;
  const found = tools.map(({ name, why }) => ({ name, why, ...originOf(scope, name) }));
  const lines = found.map(({ name, origin }) => `- ${name}, a tool of ${origin}`);
  const text = all
    ? `No tools are available while ${model} answers, because it takes none. Answer in words; if a tool is needed, say so.`
    : `Not available while ${model} answers, because its provider refuses how they are described. Do not call them; if one of them is needed, say that it is left out and why:\n${lines.join("\n")}`;
  const prints = found.map(({ name }) => [name, printOf(transcript, name)]);
  const left_out = { ...transcript?.told.left_out, ...Object.fromEntries(prints) };
  await scope.emit({ type: "transcript_changed", message: { role: "system", text }, told: { left_out } });
  const people = found.map(
    ({ tool, origin, why }) => `${tool} of ${origin}, because ${model} refuses it (${why})`,
  );
  const ids = [...new Set(found.map(({ skill_id }) => skill_id))];
  const remedy = ids.map((id) => `\`/skill disable ${id}\``).join(" or ");
  const left = people.length === 1 ? "A tool is left out here" : "Tools are left out here";
  const some = `${left}: ${people.join("; ")}. Everything else works; ${remedy} disables it permanently.`;
  const told = all
    ? `${model} cannot call tools, so this answer comes without any. Choose another model.`
    : some;
  await scope.emit({
    type: "tools_left_out",
    tools: found.map(({ name, skill_id }) => ({ tool: name, skill_id })),
    text: ports.redact(told),
  });
}

function originOf(
  { offer, ownTools }: TurnScope,
  name: string,
): { tool: string; origin: string; skill_id: string } {
  const tool = offer.tools().get(name)?.tool ?? ownTools.get(name);
  if (tool?.server === undefined) {
    const skill_id = tool?.skill_id ?? name;
    return { tool: name, origin: `the skill ${skill_id}`, skill_id };
  }
  const { server, tool: own } = tool.server;
  return { tool: own, origin: `the tool server ${server}`, skill_id: serverSkillId(server) };
}
