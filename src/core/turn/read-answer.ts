import { ModelError, type ModelEvent, type ModelRequest } from "../ports/model.ts";
import type { Clock } from "../ports/storage.ts";
import type { TurnEnd } from "../scope/turn.ts";
import { chosenModel, type TurnScope } from "../scope/turn-scope.ts";
import { serverSkillId } from "../skill/catalogue.ts";
import { fingerprint } from "../values/address.ts";
import { currentProfile } from "../values/profile.ts";
import type { Redactor } from "../values/redact.ts";

type Finished = Extract<ModelEvent, { type: "finished" }>;

/** Times a model is asked again in one round because tools are left out. */
const maxRepeats = 100;

/**
 * Asks the turn's model and answers what it said in the end. Where tools are left out that the transcript does not tell of, it is told so
 * and asked again: `request` is made for each time.
 */
export async function readAnswer(scope: TurnScope, request: () => Promise<ModelRequest>): Promise<Finished> {
  for (let repeats = 0; ; repeats += 1) {
    const said = await readOnce(scope, await request(), repeats < maxRepeats);
    if (said.type === "finished") return said;
    await tellLeftOut(scope, said);
  }
}

/**
 * One request. Meanwhile people see its text grow, what it is doing, and why nothing
 * comes. @throws ModelError, or the reason with which the turn was aborted
 */
async function readOnce(
  scope: TurnScope,
  request: ModelRequest,
  tells: boolean,
): Promise<Finished | LeftOut> {
  const { ports, turn, emit } = scope;
  const model = chosenModel(scope);
  const { clock, redact } = ports;
  const pacer = createTextPacer(clock, redact, (text) => emit({ type: "text_delta", text }));
  const line = createThoughtLine(clock, (text) => void emit({ type: "model_thought", text }));
  // Before a line is made of it: half a secret would not be known for one.
  let thought = redact.stream();
  const endThought = () => {
    line.end();
    thought = redact.stream();
  };
  try {
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case "finished":
          return event;
        case "text":
          endThought();
          pacer.add(event.text);
          break;
        case "thought":
          line.add(thought.add(event.text));
          break;
        case "delayed":
          await emit({ type: "model_delayed", text: event.text, until: event.until });
          break;
        case "left_out": {
          const untold = tells ? untoldOf(scope, event) : undefined;
          if (untold !== undefined) return untold;
          break;
        }
        case "reset":
          endThought();
          pacer.clear();
          await emit({ type: "text_reset" });
      }
    }
  } finally {
    line.end();
    await pacer.flush();
  }
  turn.signal.throwIfAborted();
  throw new ModelError("bad_response", `The model ${model.id} ended without an answer.`);
}

/** How often the line changes at most, ms: people have to be able to read it. */
const thoughtPaceMs = 700;

/** Characters of the line at most. */
const longest = 160;

/** Characters of a thought that are kept to find its latest sentence in. */
const keptBehind = 2_000;

/** Makes one line, what the model is doing now, of the reasoning and notes it streams. */
export interface ThoughtLine {
  add(thought: string): void;
  /** The model has said something else: what it thought before is over, and nothing of it is shown any more. */
  end(): void;
}

/** @param show gets each new line; the next one replaces it */
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
      thought = (thought + more).slice(-keptBehind);
      changed = true;
      if (cancel === undefined) showLatest();
    },
    end() {
      cancel?.();
      cancel = undefined;
      thought = "";
      shown = "";
      changed = false;
    },
  };
}

/** `**Checking the invoices**`, as summaries of reasoning begin. */
const heading = /(?:^|\n)(?:\*\*([^*\n]+)\*\*|#{1,6} +([^\n]+))[ \t]*(?=\n|$)/g;

/** Where a sentence or line ends: what is still being written is not shown. */
const end = /(?<![.!?…])[.!?…]+(?=\s)|[。！？]+|\n/g;

/**
 * The latest thing the thought says about itself as plain text: its last heading, else its last whole sentence. Empty while it has
 * neither.
 */
export function latestLine(thought: string): string {
  const title = [...thought.matchAll(heading)].at(-1);
  const found = title?.[1] ?? title?.[2] ?? lastSentence(thought);
  const line = found
    .replace(/^[\s#>-]+/, "")
    .replaceAll(/[*`]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
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

/** How often streamed text is shown at most, ms: faster than people see. */
const textPaceMs = 16;

/** Joins pieces of streamed text that come faster than anybody can see, and takes secrets out of it. */
interface TextPacer {
  /** Shows the piece now, or together with those that follow within moments. The beginning of a secret waits for its end. */
  add(piece: string): void;
  /** Shows what is left. Resolves once it is recorded. */
  flush(): Promise<void>;
  /** Forgets what is left: it is void. */
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

/** Tools that a provider refuses. */
type LeftOut = Extract<ModelEvent, { type: "left_out" }>;

/** What the transcript has not told yet of the tools that are left out; undefined when it has told all. */
function untoldOf({ transcript }: TurnScope, event: LeftOut): LeftOut | undefined {
  const told = transcript?.told.left_out ?? {};
  const tools = event.tools.filter(({ name }) => told[name] !== printOf(transcript, name));
  return tools.length === 0 ? undefined : { ...event, tools };
}

/** A definition that changed may be refused for something else. */
function printOf(transcript: TurnScope["transcript"], name: string): string {
  return fingerprint(JSON.stringify(transcript?.tools.get(name) ?? name));
}

/**
 * Tells the model and the people of the thread which tools are left out. The provider's words are for people: what they quote of a tool
 * is its server's, and no instruction.
 */
async function tellLeftOut(scope: TurnScope, { model, tools }: LeftOut): Promise<void> {
  const { transcript, ports } = scope;
  const found = tools.map(({ name, why }) => ({ name, why, ...originOf(scope, name) }));
  const lines = found.map(({ name, origin }) => `- ${name}, a tool of ${origin}`);
  const text = `Not available while ${model} answers, because its provider refuses how they are described. Do not call them; if one of them is needed, say that it is left out and why:\n${lines.join("\n")}`;
  const prints = found.map(({ name }) => [name, printOf(transcript, name)]);
  const left_out = { ...transcript?.told.left_out, ...Object.fromEntries(prints) };
  await scope.emit({ type: "transcript_changed", message: { role: "system", text }, told: { left_out } });
  const people = found.map(
    ({ tool, origin, why }) => `${tool} of ${origin}, because ${model} refuses it (${why})`,
  );
  const ids = [...new Set(found.map(({ skill_id }) => skill_id))];
  const cure = ids.map((id) => `\`/skill disable ${id}\``).join(" or ");
  const left = people.length === 1 ? "A tool is left out here" : "Tools are left out here";
  const told = `${left}: ${people.join("; ")}. Everything else works; ${cure} takes it out for good.`;
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

/** How often a turn comes back to its supervisor; after that, what an agent says is the answer. */
const maxReturns = 5;

/** The supervisor that had the turn last, by id. */
function leadOf({ turn, state }: TurnScope): string | undefined {
  const path = [turn.profile.id, ...state.handoffs.map(({ to }) => to)];
  const leads = turn.profiles.filter(({ supervisor }) => supervisor === true).map(({ id }) => id);
  return path.findLast((id) => leads.includes(id));
}

/**
 * The end of the turn, with what the agent that has it answered or a tool answered in its place. Undefined when that agent had the turn from
 * a supervisor, which has it again now.
 */
export async function answered(scope: TurnScope, text: string): Promise<TurnEnd | undefined> {
  const from = currentProfile(scope).id;
  const to = leadOf(scope);
  const returns = scope.state.handoffs.filter(({ returned }) => returned).length;
  if (to === undefined || from === to || returns >= maxReturns) return { outcome: "completed", text };
  // What was streamed is a report now.
  await scope.emit({ type: "text_reset" });
  await scope.emit({ type: "handoff", from, to, report: text });
  return undefined;
}
