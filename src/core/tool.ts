import type { z } from "zod";
import type { NewFile } from "./file-store.ts";
import type { Author } from "./inbound.ts";
import type { Json, JsonSchema } from "./json.ts";
import type { KeyValue } from "./key-value.ts";
import type { Place } from "./place.ts";
import type { Web } from "./web.ts";

/**
 * What running a tool does to the world. A `read_only` or `idempotent` call may be run again after a crash; a
 * `side_effect` call that had started is not, and the model is told that its outcome is unknown.
 */
export type ToolEffect = "read_only" | "idempotent" | "side_effect";

/** The least trust that may approve a call. In a direct message its person counts as manager. */
export type Approver = "manager" | "operator";

/** An expected failure is a value. `hint` tells the model what to try instead. */
export type ToolResult =
  /** `readable` says the same as `output` in words, for a model to read; programs, flows and the log keep `output`. */
  | { status: "ok"; output: Json; direct?: boolean; readable?: string }
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
  /** Checks arguments and applies defaults. */
  validate(input: unknown): Validation;
  run(input: Json, context: ToolContext): Promise<ToolResult>;
  /** What `run` would do with this input, as far as that can be told without doing any of it. */
  dryRun?(input: Json): Promise<Json>;
  /** The least trust that may approve the call before it runs; undefined when nobody has to. A skill's high risk asks by itself. */
  approval?(input: Json): Approver | undefined;
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
  input: Json;
  /** Manager unless given. */
  approver?: Approver;
  /** As for `ToolContext.ask`. */
  key?: string;
}

/** Asks a model inside a tool for one JSON value of a schema; repaired or asked again when it does not fit. */
export type Generate = <Schema extends z.ZodType>(request: {
  instructions: string;
  input: string;
  schema: Schema;
}) => Promise<z.infer<Schema>>;

/** One plain message to the model, without tools and without the conversation. Answers its text. */
export type Write = (request: { input: string; instructions?: string | undefined }) => Promise<string>;

/** The execution context of a tool call: who, where, with which means. Nothing else is reachable. */
export interface ToolContext {
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
   * replaces it, also when the call is run again after a crash. @throws SkillFailure when it is too large
   */
  file(file: NewFile): Promise<void>;
  /** Storage of this skill in this namespace. */
  store: KeyValue;
  web: Web;
}
