import type { z } from "zod";
import type { ChatWork } from "../ports/chat-actions.ts";
import type { PlannedView } from "../ports/schedule.ts";
import type { Plan, PlanChange, SpokenTime, Wish } from "../ports/schedules.ts";
import type { KeyValue, NewFile } from "../ports/storage.ts";
import type { Web } from "../ports/web.ts";
import type { WorkContext } from "../ports/work-context.ts";
import type { MountedFolder } from "../ports/working-folder.ts";
import type { Outcome } from "../values/failure.ts";
import type { ApprovalNeed, Approver, Author, ToolEffect } from "../values/inbound.ts";
import {
  countLineBreaks,
  type Json,
  type JsonSchema,
  lastPartStart,
  partEnd,
  readableJson,
  readableJsonText,
} from "../values/json.ts";
import type { Place } from "../values/place.ts";
import type { CountTokens } from "../values/profile.ts";

/** What decides whether calls of a server's tool ask. */
export interface ServerTool {
  /** The server's name in the configuration. */
  server: string;
  /** The tool's name at the server. */
  tool: string;
  /** Names server and tool as they are now: trust in an earlier definition does not count for a changed one. */
  definition: string;
  /** The operator configured the server; false: it came in a package, and what it says of its tools counts for nothing. */
  own: boolean;
  /** What the server says of the tool. */
  hints: { read_only?: boolean | undefined; destructive?: boolean | undefined };
  /** What the operator's configuration says of it. */
  configured: { effect?: ToolEffect | undefined; approver?: Approver | "none" | undefined };
}

/** An expected failure is a value. `hint` tells the model what to try instead. */
export type ToolResult =
  /**
   * `readable` says the same as `output` in words, for a model to read; programs, flows and the log keep `output`. `details` is what
   * the log keeps beside it for programs.
   */
  | { status: "ok"; output: Json; direct?: boolean; readable?: string; details?: { [key: string]: Json } }
  | { status: "error"; code: string; message: string; hint?: string; details?: { [key: string]: Json } };

export type Validation = { ok: true; value: Json } | { ok: false; message: string };

/** What a model calls. */
export interface Tool {
  /** Satisfies `^[a-zA-Z0-9_-]{1,64}$`; unique within a toolset. */
  name: string;
  /** What progress shows while it runs, e.g. `Reading a page`. */
  title: string | ((input: Json) => string);
  description: string;
  parameters: JsonSchema;
  skill_id: string;
  /** May depend on the input. */
  effect: (input: Json) => ToolEffect;
  /** Checks arguments and applies defaults. Callers use `checkArguments`, which brings them to the types of `parameters` first. */
  validate(input: unknown): Validation | Promise<Validation>;
  run(input: Json, context: ToolContext): Promise<ToolResult>;
  /** What `run` would do with this input, as far as that can be told without doing any of it. */
  dryRun?(input: Json): Promise<Json>;
  /** Web addresses the call sends something to, as far as its input says them. Whether they may be reached is decided before it runs. */
  addresses?(input: Json): readonly string[];
  /**
   * What addresses in its output are: those a search found, links of the page it read, or what a server mentions, where one of a host that
   * the call names itself does not count. Unless given, they count for nothing.
   */
  finds?: "results" | "links" | "mentions";
  /**
   * Arguments that lead nowhere and run nothing, where their names do not say so: "always here" leaves them open. Only code of the bot's
   * own skills may say it.
   */
  open?: readonly string[];
  /** That the call asks before it runs, by itself; what else asks is decided in `decide-call.ts`. */
  approval?(input: Json): Approver | ApprovalNeed | undefined;
  /** True: others in the channel can see what a call leaves, e.g. a fact or a file of the thread. A private turn asks before. */
  shares?: true | undefined;
  /** Set for tools of servers. */
  server?: ServerTool;
  /** Of a flow: whether its own steps change something, beside the calls it makes, each of which is decided about by itself. */
  acts?: boolean;
  /** The id of the skill whose code the call runs, where the tool is none of that skill's own. */
  runsCodeOf?(input: Json): string | undefined;
  /**
   * How a model is shown the output, which is cut to the limit of tokens unless given: whole, because it is bounded by itself; or as the
   * guide that the call activated, which is whole and not told a second time behind it.
   */
  shown?: "whole" | "guide" | undefined;
  /** True: the same call with the same arguments is run again (polling) instead of answered from the first. */
  repeatable?: boolean;
  /** A second call within this time is refused, ms. */
  cooldown_ms?: number;
  /** A second call in the same turn is refused. */
  once_per_turn?: boolean;
  /** Limits; the skill's, unless the tool has its own. */
  max_execution_ms: number;
  max_iterations: number;
  max_output_bytes: number;
}

/** What people are asked to allow in the middle of a call. */
export interface ApprovalRequest {
  /** Names what would happen, e.g. `send_mail`. */
  action: string;
  /** What is asked, as a sentence for people; made from `action` unless given. */
  question?: string;
  /** What lists, refusals and audit lines call it, where that is not `action`. Quotes nothing of a conversation. */
  label?: string;
  input: Json;
  /** Manager unless given. */
  approver?: Approver;
  /** Why it is asked, a sentence for people, where the question does not say it. */
  reason?: string;
  /** Where a request would go: keys of web addresses. Approved, they are known from then on. */
  addresses?: readonly string[];
  /** As for `ToolContext.ask`. */
  key?: string;
}

/** `Schedules` for one call. What a plan asks, the tool has to ask before it adds the plan. */
export interface PlanningContext {
  /** As `Schedules.timeOf`. */
  timeOf(words: string, time_zone?: string): Promise<Outcome<SpokenTime>>;
  /** As `Schedules.read`. */
  read(words: string, time_zone?: string): Promise<Outcome<Wish>>;
  /** `asks` is set too where the model may have been made to wish it by what it read. */
  plan(wish: Wish): Promise<Outcome<Plan>>;
  /** The same call adds one plan, however often it is run. */
  add(plan: Plan): Promise<Outcome<PlannedView>>;
  list(): Promise<PlannedView[]>;
  change(id: string, to: PlanChange): Promise<Outcome<PlannedView>>;
}

/** The model for work inside a tool: `small` for what needs no great one, or one by name, `provider/model`; the turn's own unless given. */
export type WorkModel = "small" | (string & {});

/**
 * Asks a model inside a tool for one JSON value of a schema; repaired or asked again when it does not fit. `model` is `small` for
 * work that needs no great model, or a name, `provider/model`; the turn's own unless given.
 */
export type Generate = <Schema extends z.ZodType>(request: {
  instructions: string;
  input: string;
  schema: Schema;
  model?: WorkModel | undefined;
}) => Promise<z.infer<Schema>>;

/** One plain message to a model, without tools and without the conversation. Answers its text. `model` as for `Generate`. */
type Write = (request: {
  input: string;
  instructions?: string | undefined;
  model?: WorkModel | undefined;
}) => Promise<string>;

/** The execution context of a tool call: who, where, with which means. Nothing else is reachable. */
export interface ToolContext extends WorkContext {
  call_id: string;
  turn_id: string;
  /** The profile the turn runs under. */
  agent: string;
  place: Place;
  user: Author;
  permissions: readonly string[];
  /** Only the variables the skill declared and the operator set. */
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  now(): number;
  /** A line of live progress; `progress` of `total` if known. */
  progress(note: string, progress?: number, total?: number): void;
  /**
   * A named step. Emits its stage, counts as an iteration (over the limit it throws), and its JSON result is journalled:
   * after a crash a finished step is answered from the journal and not run again.
   */
  step<T extends Json>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** Whether a model that can write text is configured; without one `generate` and `write` throw `ModelError`. */
  generative: boolean;
  generate: Generate;
  write: Write;
  /**
   * Asks the person a question and answers what they said. While they think, the turn waits and the tool ends here; it is
   * run again when the answer is there, so work before the question belongs in steps. Rejects when nobody answers in time.
   * Questions of a call are known again by their order, unless they have a `key`: a call that goes on after a wait instead of being
   * run again (`ParkedCalls`) gives each its own.
   */
  ask(question: { text: string; choices?: readonly string[]; key?: string }): Promise<string>;
  /**
   * Asks people to allow something in the middle of the call, with buttons; `input` is shown exactly. As with `ask`, the tool ends
   * here while they decide, and is run again. `by` is empty when nobody decided in time; `name` is what they call themselves.
   */
  approve(request: ApprovalRequest): Promise<{ approved: boolean; by: string; name?: string | undefined }>;
  /** What sandboxed code of this skill may reach. */
  network: {
    /** As `NetworkGrants.hostsOf`. */
    hosts(): Promise<readonly string[]>;
    /** As `NetworkGrants.couldReach`: nobody is asked for other hosts. */
    couldReach(host: string): boolean;
    /** Asks an operator to let the skill reach these hosts from now on; waits as `approve` does. Answers whether it may. */
    request(hosts: readonly string[]): Promise<boolean>;
  };
  /** Runs another skill, at most three deep. */
  invoke(skillId: string, params: Json): Promise<ToolResult>;
  /**
   * Adds a file to the turn's answer: at most 25 MB, under a name that is made safe and unique. The same name again in this call
   * replaces it, also when the call is run again after a crash. Answers its name there. @throws SkillFailure when it is too large
   */
  file(file: NewFile): Promise<string>;
  /** Shows the model a picture with the result of this call; people do not get it. It is kept with the turn. */
  look(picture: NewFile): Promise<void>;
  /**
   * Runs code in the working folder of the thread: the skill's own part of it, or the agent's. What it leaves in its output folder the
   * person gets. `text` is all that the call says: files it names are shown to the code too. Answers what came of it, and what a model is
   * told of the files, a line each. @throws what `run` throws, and WorkingFolderError
   */
  inFolder<T>(
    text: string,
    run: (working: MountedFolder) => Promise<T>,
  ): Promise<{ value: T; notes: readonly string[] }>;
  /** What can be done in the chat beside answering, with the rights of the person the turn is for. */
  chat: ChatWork;
  /** The zone in which this person reads times, IANA name. */
  time_zone: string;
  /** Storage of this skill in this namespace. */
  store: KeyValue;
  /** How the agent comes back for the person of the turn, in its channel; absent where nothing can be planned. */
  schedules?: PlanningContext | undefined;
  web: Web;
  /**
   * Whether the call may send something to an address that it did not declare (`Tool.addresses`). An address that carries nothing of the
   * conversation out may be reached; about any other the person who asked decides, and the call waits as `approve` does. `foreign`: the
   * address came from elsewhere than the call's own arguments.
   */
  reach(address: string, options?: { foreign?: boolean }): Promise<boolean>;
}

/** What the log keeps of a result: the output, or `{error, code, hint?, …}`. */
export function outputOf(result: ToolResult): Json {
  if (result.status === "ok") return result.output;
  const { message, code, hint, details } = result;
  return { error: message, code, ...(hint === undefined ? {} : { hint }), ...details };
}

/**
 * An output as text: a string as it is, anything else as `readableJson`, and so a long string that is JSON in few lines. Offsets of
 * `read_file` count in this text.
 */
export function outputText(output: Json): string {
  if (typeof output !== "string") return readableJson(output);
  return readableJsonText(output) ?? output;
}

/** How much of the room the beginning of a long text gets; its end gets the rest. */
const headShare = 0.7;

/**
 * A text that fits into about `tokens`: whole, or its beginning and its end with a note between them that says how much is left
 * out and how `read_file` reads it. `callId` is what that tool takes.
 */
export function cutForModel(text: string, tokens: number, callId: string, countTokens: CountTokens): string {
  if (text.length <= tokens) return text;
  // Hardly a token has more than twelve characters.
  if (text.length <= tokens * 12 && countTokens(text) <= tokens) return text;
  const headEnd = partEnd(text, 0, fittingLength(text, tokens * headShare, countTokens, "head"));
  const tailStart = lastPartStart(text, fittingLength(text, tokens * (1 - headShare), countTokens, "tail"));
  if (tailStart <= headEnd) return text;
  const characters = tailStart - headEnd;
  const lines = countLineBreaks(text, headEnd, tailStart);
  const read = `read_file(path: ${JSON.stringify(callId)}`;
  const note = `[cut: ${characters} characters, ${lines} lines; ${read}, offset: ${headEnd}) reads on, ${read}, search: "words") finds a place]`;
  const head = text.slice(0, headEnd);
  return `${head}${head.endsWith("\n") ? "" : "\n"}${note}\n${text.slice(tailStart)}`;
}

/** Characters of a text's beginning or end that have at most so many tokens; at least 100. */
function fittingLength(
  text: string,
  tokens: number,
  countTokens: CountTokens,
  side: "head" | "tail",
): number {
  let length = Math.min(text.length, Math.ceil(tokens * 6));
  for (;;) {
    const part = side === "head" ? text.slice(0, length) : text.slice(text.length - length);
    const counted = countTokens(part);
    if (counted <= tokens || length <= 100) return length;
    length = Math.max(100, Math.floor(length * Math.min(0.95, tokens / counted)));
  }
}
