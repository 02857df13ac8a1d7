/**
 * Operations: what people, programs and operators can do. Each is one definition; the HTTP route with its part of openapi.json, the
 * typed client, the slash command with help and completion, the subcommand on Discord and the command line are projections of it.
 *
 * A surface reads the input, `runOperation` decides who may and runs it, and the surface shows what the definition says.
 */
import type { z } from "zod";
import type { TurnRecord } from "../../core/log/turn-log.ts";
import type { NewFile } from "../../core/ports/storage.ts";
import type { ToolResult } from "../../core/skill/tool.ts";
import { type Asker, failed, type Outcome } from "../../core/values/failure.ts";
import { type Author, mayManage, mayOperate } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import type { Place } from "../../core/values/place.ts";
import type { KnownCommand } from "../turns/command-reader.ts";
import type { CommandOption, CompletableCommand, Services } from "./services.ts";

/** The input of an operation, and what it works with. */
export interface OperationCall<Input> {
  input: Input;
  /** The person who asks, and the channel. */
  asker: Asker;
  services: Services;
  signal: AbortSignal;
  /** Files attached to a slash command or uploaded by a program. */
  files?: readonly CommandFile[];
  /** The slash command it was given as; absent when a program asks. */
  command?: CommandCall;
}

/** Who may run an operation. A refusal says whom to ask. */
export type Who<Input> =
  | "anyone"
  | { least: "manager" | "operator"; refusal: string }
  | { decide(call: OperationCall<Input>): Promise<Outcome<unknown>> };

/** What an operation is about where its input names no channel (`ns` or `namespace`). */
type About<Input> =
  /** Nothing that belongs to a channel or a person. */
  | "bot"
  /** What belongs to the asker, or to the channel in which they ask: `run` looks at nothing else. */
  | "asker"
  /** A turn; undefined if there is none. `missing` is what people are told where there is none that they may reach. */
  | { turn(call: OperationCall<Input>): Promise<TurnRecord | undefined>; missing?: string };

/** A route of the HTTP API. Input in braces is in the path, the rest in the query (GET, DELETE) or the JSON body. */
interface HttpForm {
  /** `POST /skills/{id}/grant`, below `/api/v1`. */
  route: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  summary: string;
  /** What a successful answer carries. */
  answers: string;
  /** The answer has `lines` and `next`: a request that accepts `application/x-ndjson` gets the lines, and `next` as a header. */
  lines?: true;
  /** Fields of a form (multipart/form-data) that is accepted as well as JSON. Its files are in `OperationCall.files`. */
  form?: z.ZodObject;
  /** Input that only programs on the bot's machine may send. */
  ownMachine?: readonly string[];
}

/** A slash command. It is also a text command, and a subcommand on Discord. */
export type ChatForm<Input, Output> = {
  /** `skill grant`. */
  command: string;
  /** What it does, in at most 100 characters. */
  description: string;
  options?: readonly CommandOption[];
  /** The command whose entry in help and completion also covers this one: `agent index` for `agent index on`. */
  partOf?: string;
  /** A listing that the words before its last one name too: `agent schedule` for `agent schedule list`. */
  alsoAlone?: true;
  /** Everybody sees what it did. Without it only the person who gave it sees the answer, where a platform asks before it runs. */
  public?: true;
  /** Stops something, so it does not wait for other commands. */
  urgent?: true;
} & (
  | {
      /** The input, from the words after the command; undefined when something is missing. */
      read(words: string, place: Place): Input | undefined;
      /** The form that asks for what is missing. */
      form?: KnownCommand["form"];
      /** Words that it does not read are a message to the agent, where a model answers. */
      elseAgent?: true;
      /** The answer when something is missing: what to write. `words` are those after the command. */
      missing?: string | ((words: string) => string);
      /** The answer, where it is not the operation's `text`. */
      say?(output: Output, call: OperationCall<Input>): CommandResult | Promise<CommandResult>;
    }
  | (Pick<KnownCommand, "read" | "guide" | "form"> & {
      /** A command that does its work in its own turn, with events. @throws WaitingForPerson */
      answer(call: CommandCall, services: Services): Promise<CommandResult>;
    })
);

/** Where a result is read. */
export interface Reading {
  /** Nothing is left out for lack of room, and folders of the bot are named: on the command line. */
  whole: boolean;
  /** ms since the epoch. */
  now: number;
}

interface Follow<Output> {
  /** The name of an operation without input that is polled. */
  operation: string;
  /** Reads its output: a line of progress, or the end. */
  look(output: unknown): { line: string } | { ended: Output; failed: boolean };
  /** Whether the work continues after the answer. */
  goesOn(output: Output): boolean;
}

/**
 * A command of the command line. It prints the operation's `text`; `--json` prints the output as it is. What help says of it, the input
 * and the route say already; an input `namespace` is the option `--namespace`.
 */
export interface CommandLineForm<Output> {
  /** Its words and arguments: `skills grant <id> <host...>`. An argument has the name of an input, or of one of its list. */
  command: string;
  /** What it does; the summary of the route unless given. */
  description?: string;
  /** `--name <value>`, with its description unless the input has it. */
  options?: readonly (string | readonly [flags: string, description: string])[];
  /** The input, from arguments and options; by default those of the same name. A missing list is empty. */
  read?(given: { readonly [name: string]: string & readonly string[] }): unknown;
  /** Waits until all skills have started. */
  settled?: true;
  /** How to show and await work that takes long. */
  follow?: Follow<Output>;
  /** Why this needs a running bot; completes “The bot has to run for this,”. */
  needsBot?: string;
  /** A warning on stderr if no bot was running, so that this one ends with the command. */
  warnHere?: string;
}

/** The audit line of an operation that succeeded: an action for searches, its object, and Markdown that follows the name. */
interface AuditNote {
  action: string;
  subject: string;
  detail: string;
  about?: Pick<Author, "id" | "name">;
}

export function auditNote(action: string, subject: string, detail: string): AuditNote {
  return { action, subject, detail };
}

type OneOrMore<T> = T | readonly T[];

export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** `skill.grant`. A contract: stored commands contain it. */
  readonly name: Name;
  readonly input: Input;
  readonly output: Output;
  readonly who: Who<z.output<Input>>;
  /** Required where people may run it and its input has neither `ns` nor `namespace`. */
  readonly about?: About<z.output<Input>>;
  readonly http?: HttpForm;
  /** One operation may be several commands. */
  readonly chat?: OneOrMore<ChatForm<z.output<Input>, z.input<Output>>>;
  readonly commandLine?: OneOrMore<CommandLineForm<z.output<Output>>>;
  run(call: OperationCall<z.output<Input>>): Promise<Outcome<z.input<Output>>>;
  /** The result for people, in Markdown: a chat posts it, the command line renders it. */
  text?(output: z.output<Output>, input: z.output<Input>, reading: Reading): string;
  /** Whether the output means failure: a chat shows it only to the person who asked, and the command line has exit code 1. */
  failed?(output: z.output<Output>, input: z.output<Input>): boolean;
  /** The audit lines. An operation with audit lines also updates everyone who watches its channel. */
  audit?(
    output: z.input<Output>,
    call: OperationCall<z.output<Input>>,
  ): AuditNote | readonly AuditNote[] | undefined;
}

/** Defines an operation; the types of its parts follow from its schemas. */
export function operation<const Name extends string, Input extends z.ZodObject, Output extends z.ZodType>(
  definition: Operation<Name, Input, Output>,
): Operation<Name, Input, Output> {
  return definition;
}

/** Only managers of the channel. */
export function managers(refusal: string): Who<unknown> {
  return { least: "manager", refusal };
}

/** Only operators of the bot: `refusal` continues “Only operators of the bot may”. */
export function operators(refusal: string): Who<unknown> {
  return { least: "operator", refusal: `Only operators of the bot may ${refusal}. Ask one of them.` };
}

/**
 * Runs an operation if this person may. Every surface calls this function, so nothing else checks permissions or writes the audit.
 * `call.input` was parsed with the schema of the operation.
 */
export async function runOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  { who, about, run, audit }: Operation<string, Input, Output>,
  call: OperationCall<z.output<Input>>,
): Promise<Outcome<z.input<Output>>> {
  const allowed = await mayRun({ who, about }, call);
  if (!allowed.ok) return allowed;
  const outcome = await run(call);
  if (!outcome.ok || audit === undefined) return outcome;
  const { asker, services } = call;
  const noted = audit(outcome.value, call);
  if (noted === undefined) return outcome;
  for (const note of [noted].flat()) services.audit.record({ ...asker, ...note });
  services.feed.changed(asker.namespace);
  return outcome;
}

/** The invalid values of an input, each with the reason. */
export function inputProblems({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

/**
 * The only rule about where people may reach: the channel in which they ask, and their own turns everywhere. A surface has looked up that
 * the person is in the channel it names as theirs (`Asker.namespace`). What they may not reach is reported as not found. Operators reach
 * everything.
 */
async function isReached<Input extends object>(
  about: About<Input> | undefined,
  call: OperationCall<Input>,
): Promise<Outcome<unknown>> {
  const { by, namespace: here } = call.asker;
  const reached = { ok: true, value: undefined } as const;
  if (mayOperate(by) || about === "bot" || about === "asker") return reached;
  if (about !== undefined) {
    const turn = await about.turn(call);
    if (turn?.namespace === here || turn?.author.id === by.id) return reached;
    return { ok: false, status: 404, message: about.missing ?? "There is nothing with that id here." };
  }
  const { ns, namespace = ns }: { ns?: unknown; namespace?: unknown } = call.input;
  if (namespace === here) return reached;
  return failed(404, "That belongs to another channel. Ask there.");
}

async function mayRun<Input extends object>(
  { who, about }: { who: Who<Input>; about: About<Input> | undefined },
  call: OperationCall<Input>,
): Promise<Outcome<unknown>> {
  if (who !== "anyone" && "least" in who) {
    const { by, namespace } = call.asker;
    const may = who.least === "operator" ? mayOperate(by) : mayManage(by, namespace);
    if (!may) return failed(403, who.refusal);
  }
  const reached = await isReached(about, call);
  return reached.ok && who !== "anyone" && "decide" in who ? who.decide(call) : reached;
}

/** The answer of a slash command, in Markdown. */
export interface CommandResult {
  ok: boolean;
  text: string;
  /** The output for programs. */
  output?: Json;
  /** A file of the answer. Never with `private`, because everybody sees files. */
  file?: NewFile;
  /** Only for the person who asked: help, listings, refusals. */
  private?: true;
  /** The effect is visible in the thread, so a chat platform posts nothing. */
  silent?: true;
}

/** A file that came with a command. */
export interface CommandFile {
  name: string;
  bytes: number;
  /** @throws PlatformError when the platform does not give it */
  read(maxBytes: number): Promise<Uint8Array>;
}

/** A slash command as a person gave it. */
export interface CommandCall {
  turn_id: string;
  place: Place;
  author: Author;
  /** The words after its name, for people. */
  words: string;
  /** The input; undefined when something required is missing. */
  input: Json | undefined;
  files: readonly CommandFile[];
  signal: AbortSignal;
  /** Shows people a text until the answer replaces it. */
  show(text: string): void;
  /**
   * Runs a skill; its events belong to the command's turn.
   * @throws WaitingForPerson while a person has to answer. Do not catch it: the command runs again after the answer
   */
  runSkill(skillId: string, params: Json): Promise<ToolResult>;
}

/** One slash command: `/skill enable`. */
export interface Command extends KnownCommand, CompletableCommand {
  run(call: CommandCall, services: Services): Promise<CommandResult>;
}

/** A public answer of a command that succeeded. */
export function said(text: string): CommandResult {
  return { ok: true, text };
}

/** A private answer: help, listings, settings. */
export function shown(text: string): CommandResult {
  return { ok: true, text, private: true };
}

/** A private answer of a command that failed: why, and what to do or whom to ask. */
export function refused(text: string): CommandResult {
  return { ok: false, text, private: true };
}

/** A completion of a slash command being typed. */
export interface Completion {
  /** The whole text after accepting it. */
  text: string;
  label: string;
  description: string;
}

/** Commands that give an overview. They come first before anything is typed. */
const overviews: ReadonlySet<string> = new Set(["skill list", "agent status", "flow list", "mcp list"]);

/** Completions of a text that begins with `/`, best first. */
export async function complete(services: Services, text: string, namespace: string): Promise<Completion[]> {
  const commands = services.commands.filter(({ partOf }) => partOf === undefined);
  const typed = text.replace(/^[/／]/, "").toLowerCase();
  const command = commands.find(({ name }) => typed.startsWith(`${name} `));
  if (command === undefined) {
    const fitting = commands.filter(({ name }) => name.startsWith(typed));
    if (typed === "")
      fitting.sort((one, other) => Number(overviews.has(other.name)) - Number(overviews.has(one.name)));
    return fitting.map(({ name, usage, description }) => ({
      text: `/${name}${usage === "" ? "" : " "}`,
      label: `/${[name, usage].filter(Boolean).join(" ")}`,
      description,
    }));
  }
  const word = typed.slice(command.name.length + 1);
  if (/\s/.test(word)) return [];
  const [first] = command.options;
  const values = first?.choices ?? (await first?.complete?.(services, namespace)) ?? [];
  const ranked = values.filter((value) => value.text.toLowerCase().includes(word));
  ranked.sort(
    (a, b) => Number(b.text.toLowerCase().startsWith(word)) - Number(a.text.toLowerCase().startsWith(word)),
  );
  return ranked.slice(0, 12).map((value) => ({
    text: `/${command.name} ${value.text}`,
    label: value.text,
    description: value.description,
  }));
}
