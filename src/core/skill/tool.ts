import type { z } from "zod";
import type { KeyValue, NewFile } from "../ports/storage.ts";
import type { Web } from "../ports/web.ts";
import type { MountedFolder } from "../ports/working-folder.ts";
import type { CallInWords, OnlyDecider } from "../values/call-arguments.ts";
import type { ApprovalNeed, Approver, Author, ToolEffect } from "../values/inbound.ts";
import { type Json, type JsonSchema, objectOf } from "../values/json.ts";
import type { PictureWords } from "../values/picture-words.ts";
import type { Place } from "../values/place.ts";
import type { VerdictFields } from "../values/verdict.ts";
import type { WorkContext } from "./work-context.ts";

/** Facts that decide whether calls of a server's tool need approval. */
export interface ServerTool {
  /** The server's name in the configuration. */
  server: string;
  /** The tool's name at the server. */
  tool: string;
  /** Identifies the current server and tool: trust in an earlier definition does not apply to a changed one. */
  definition: string;
  /** True if the operator configured the server. False if it came in a package; its statements about its tools are then ignored. */
  own: boolean;
  /** The server's statements about the tool. */
  hints: { read_only?: boolean | undefined; destructive?: boolean | undefined };
  /** The operator's configuration for the tool. */
  configured: { effect?: ToolEffect | undefined; approver?: Approver | "none" | undefined };
  /** Whose account at the server a call uses; absent if it has none. */
  credentials?: "shared" | "per_user" | undefined;
  /** The host of the server; absent if it is a program. */
  host?: string | undefined;
}

/** Result of a tool call. Expected failures are values; `hint` tells the model what to try instead. */
export type ToolResult =
  /**
   * `readable` is the same as `output` in words, for a model; programs, flows and the log use `output`. `details` is additional data that
   * the log keeps for programs.
   */
  | {
      status: "ok";
      output: Json;
      direct?: boolean | undefined;
      readable?: string | undefined;
      details?: { [key: string]: Json };
    }
  | {
      status: "error";
      code: string;
      message: string;
      hint?: string | undefined;
      details?: { [key: string]: Json };
    };

/** The error result of a call. */
export type ErrorResult = Extract<ToolResult, { status: "error" }>;

/** Makes the error result of an expected failure. @param hint what the model can try instead */
export function failure(code: string, message: string, hint?: string): ErrorResult {
  return { status: "error", code, message, hint };
}

export type Validation = { ok: true; value: Json } | { ok: false; message: string };

/** A function that a model can call. */
export interface Tool {
  /** Matches `^[a-zA-Z0-9_-]{1,64}$`; unique within a toolset. */
  name: string;
  /** Progress text during a call, e.g. `Reading a page`. */
  title: string | ((input: Json) => string);
  /** The call in words for people; by default derived from its names and arguments. Only code of the bot's own skills may set this. */
  says?: ((input: Json) => CallInWords) | undefined;
  description: string;
  parameters: JsonSchema;
  skill_id: string;
  /** May depend on the input. */
  effect: (input: Json) => ToolEffect;
  /** Checks arguments and applies defaults. Callers use `checkArguments`, which first converts them to the types of `parameters`. */
  validate(input: unknown): Validation | Promise<Validation>;
  run(input: Json, context: ToolContext): Promise<ToolResult>;
  /** A description of what `run` would do with this input, as far as that can be determined without any effect. */
  dryRun?(input: Json): Promise<Json>;
  /**
   * Web addresses that the call sends something to, as far as its input contains them. Whether they may be reached is decided before it
   * runs. Those of a server's tool may lack a scheme; then they count if their ending may be one of a host.
   */
  addresses?(input: Json): readonly string[];
  /**
   * The kind of addresses in its output: results of a search, links of the page it read, or addresses mentioned by a server (except those
   * whose host the call itself names). If absent, addresses in the output are ignored.
   */
  finds?: "results" | "links" | "mentions" | undefined;
  /**
   * Arguments that neither name a destination nor run anything, although their names do not show it: "always here" leaves them open. Only
   * code of the bot's own skills may set this.
   */
  open?: readonly string[];
  /** The tool's own need for approval before a call runs; other reasons to ask are determined in `decide-call.ts`. */
  approval?(input: Json): Approver | ApprovalNeed | undefined;
  /** True if others in the channel can see the effect of a call, e.g. a fact or a file of the thread. A private turn asks first. */
  shares?: true | undefined;
  /** Set for tools of servers. */
  server?: ServerTool;
  /** At a server where people connect their own accounts: whether a person (`personKey`) has. */
  isConnected?: ((person: string) => Promise<boolean>) | undefined;
  /** For a flow: whether its own steps change something. The calls it makes are decided separately. */
  acts?: boolean;
  /** The id of the skill whose code the call runs, if the tool does not belong to that skill. */
  runsCodeOf?(input: Json): string | undefined;
  /** How a model gets the output; by default cut to the token limit. `whole`: not cut, because its size is bounded. */
  shown?: "whole" | undefined;
  /** True: even if its skill is open, models are told about it in the list of skills, because it is rarely needed. */
  listed?: true | undefined;
  /** True: a repeated call with the same arguments is run again (polling) and not answered with the first result. */
  repeatable?: boolean;
  /**
   * The step by which a call goes on outside the bot. Once it is journalled, an interrupted call is run again whatever its effect: it
   * follows what goes on, and repeats nothing. It is run with an aborted signal if its turn has been stopped (`WorkEnded`) meanwhile.
   */
  continues?: string | undefined;
  /** Minimum interval between two calls, ms; an earlier call is refused. */
  cooldown_ms?: number;
  /** A second call in the same turn is refused. */
  once_per_turn?: boolean;
  /** Limits; by default the skill's. */
  max_execution_ms: number;
  max_iterations: number;
  max_output_bytes: number;
}

/** A decision about a call. */
export interface Decided extends VerdictFields {
  /** Empty if nobody decided in time. */
  by: string;
  /** The display name. */
  name?: string | undefined;
  /** The text that runs in place of the quoted one (`CallInWords.edits`). */
  edited?: string | undefined;
}

/** A request to people for permission in the middle of a call. */
export interface ApprovalRequest {
  /** Name of the action, e.g. `send_mail`. */
  action: string;
  /** The question, as a sentence for people; by default derived from `says`, or from `action`. */
  question?: string;
  /** The request in words. Only code of the bot itself and of its own skills may set this. */
  says?: CallInWords;
  /** Name in lists, refusals and audit lines, where it differs from `action`. Quotes nothing of a conversation. */
  label?: string;
  input: Json;
  /** Manager by default. */
  approver?: Approver;
  person?: OnlyDecider;
  /** The reason for asking, a sentence for people, if the question does not contain it. */
  reason?: string;
  /** Destinations of a request: keys of web addresses. Once approved, they count as known. */
  addresses?: readonly string[];
  /** As for `ToolContext.ask`. */
  key?: string;
}

/** The model for work inside a tool: `small` for simple work, or a name, `provider/model`; by default the turn's own. */
export type WorkModel = "small" | (string & {});

/** What a tool asks of a model. */
export interface WantedValue<Schema extends z.ZodType> {
  instructions: string;
  input: string;
  schema: Schema;
  model?: WorkModel | undefined;
  /** The answer is short and needs little thought: low effort, and a few thousand tokens at most. */
  brief?: true | undefined;
  /** Maximum time for all attempts, ms. Later it is a `ModelError` that the model is unavailable. */
  longest_ms?: number | undefined;
}

/** The execution context of a tool call: person, place, and available services. A tool can reach nothing else. */
export interface ToolContext extends WorkContext {
  call_id: string;
  turn_id: string;
  place: Place;
  user: Author;
  /** The person who lends the call their account at the tool's server, by platform id; absent if it uses the user's own. */
  lender?: string | undefined;
  signal: AbortSignal;
  now(): number;
  /** Shows a line of live progress; `progress` of `total` if known. */
  progress(note: string, progress?: number, total?: number): void;
  /**
   * Runs a named step. Emits its stage, counts it as an iteration (and throws above the limit), and journals its JSON result: after a
   * crash, a finished step returns its journalled result and is not run again.
   */
  step<T extends Json>(name: string, work: () => Promise<T> | T): Promise<T>;
  /** The journalled result of the first step of this name; undefined if it has not finished. */
  journalled(step: string): Json | undefined;
  /** Whether a model that can write text is configured; otherwise `generate` and `write` throw `ModelError`. */
  generative: boolean;
  /** Asks a model for one JSON value of a schema. An answer that does not match is repaired, or the model is asked again. */
  generate<Schema extends z.ZodType>(request: WantedValue<Schema>): Promise<z.infer<Schema>>;
  /** Sends one plain message to a model, without tools and without the conversation. Returns the text. */
  write(request: {
    input: string;
    instructions?: string | undefined;
    model?: WorkModel | undefined;
  }): Promise<string>;
  /**
   * Whether the model that made this call has the whole text in front of it, in a message or a result. False for calls of people, skills
   * and flows.
   */
  isInFront(text: string): boolean;
  /**
   * Asks the person a question and returns the answer. Meanwhile the turn waits and the tool's run ends; the tool is run again when the
   * answer has arrived, so work before the question belongs in steps. Rejects if nobody answers in time. On the next run, a question is
   * identified by its order within the call, or by its `key`. A call that continues after a wait without being run again (`ParkedCalls`)
   * needs a key for every question.
   */
  ask(question: { text: string; choices?: readonly string[]; key?: string }): Promise<string>;
  /**
   * Asks people for permission in the middle of the call, with buttons; `input` is shown exactly. As with `ask`, the tool's run ends while
   * they decide, and the tool is run again.
   */
  approve(request: ApprovalRequest): Promise<Decided>;
  /** Network access of this skill's sandboxed code. */
  network: {
    /** As `NetworkGrants.hostsOf`. */
    hosts(): Promise<readonly string[]>;
    /** As `NetworkGrants.couldReach`: other hosts cannot be requested. */
    couldReach(host: string): boolean;
    /** Asks an operator to let the skill reach these hosts from now on; waits as `approve` does. Returns whether it may. */
    request(hosts: readonly string[]): Promise<boolean>;
    /** Notes that the code has connected to a host, for the record of this call. */
    reached(host: string): void;
  };
  /** Runs another skill, at most three levels deep. */
  invoke(skillId: string, params: Json): Promise<ToolResult>;
  /**
   * Adds a file to the turn's answer: at most 25 MB, under a safe and unique name. The same name again in this call replaces the file, even
   * if the call is run again after a crash. Returns the file's name. @throws SkillFailure if it is too large
   */
  file(file: NewFile & PictureWords): Promise<string>;
  /**
   * Runs code in the working folder of the thread. The person gets the files it leaves in its output folder. `text` is the whole text of
   * the call: what the code makes counts as derived from the files that it names. Returns the value, and notes on the files for a model,
   * one line each. @throws the errors of `run`, and WorkingFolderError
   */
  inFolder<T>(
    text: string,
    run: (working: MountedFolder) => Promise<T>,
  ): Promise<{ value: T; notes: readonly string[] }>;
  /** The zone in which this person reads times, IANA name. */
  time_zone: string;
  /** Storage of this skill in this namespace. */
  store: KeyValue;
  web: Web;
  /**
   * Whether the call may send something to an address that it did not declare (`Tool.addresses`). Allowed if the address cannot carry data
   * of the conversation out; otherwise the person who asked decides, and the call waits as `approve` does. `foreign`: the address does not
   * come from the call's own arguments.
   */
  reach(address: string, options?: { foreign?: boolean }): Promise<boolean>;
}

/** A result in the form that the log stores: the output, or `{error, code, hint?, …}`. */
export function outputOf(result: ToolResult): Json {
  if (result.status === "ok") return result.output;
  const { message, code, hint, details } = result;
  return { error: message, code, ...(hint === undefined ? {} : { hint }), ...details };
}

/**
 * The code in the output of a failed call, for counting. Own codes are short words; any other code of a skill is `failed`, so that the
 * number of codes stays small and none quotes a text.
 */
export function errorCodeOf(output: Json): string {
  const { code } = objectOf(output);
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "failed";
}
