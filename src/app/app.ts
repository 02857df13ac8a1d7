/**
 * What the bot can do, for every surface: the HTTP API (and through it the console, the terminal and the command line) and
 * the chat platforms. Everything here is checked against the permissions of the person who asks.
 */
import type { Author, Origin } from "../core/inbound.ts";
import type { Json } from "../core/json.ts";
import type { ToolDefinition } from "../core/model.ts";
import type { NamespaceState, ProgressLevel, ReplyMode, SkillState } from "../core/namespace-state.ts";
import type { Parameter } from "../core/parameter.ts";
import type { Diagnostic, SkillKind } from "../core/skill.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type { ThreadRecord, TurnFilter, TurnRecord } from "../core/turn-log.ts";
import type { FlowService } from "./flow-service.ts";
import type { GrantService } from "./grant-service.ts";
import type { PackageService } from "./package-service.ts";
import type { Readiness } from "./readiness.ts";
import type { ServerService } from "./server-service.ts";

/** A message or command to be accepted. */
export interface Submission {
  namespace: string;
  thread: string;
  text: string;
  author: Author;
  /** The platform's message id; a second submission with the same key answers the same turn. */
  key?: string;
  /** Given by chat platforms: the turn is shown and answered there. */
  origin?: Origin;
}

/** A skill as listings show it. */
export interface SkillListing {
  id: string;
  name: string;
  kind: SkillKind;
  description: string;
  category: string;
  version: string;
  source: string;
  path: string;
  hash: string;
  state: SkillState;
  eligible: boolean;
  /** Why it is not eligible, in words for a person. Empty when eligible. */
  reasons: string[];
  risk: "low" | "medium" | "high";
  emoji?: string | undefined;
  parent?: string | undefined;
}

/** One skill in full. */
export interface SkillDetail extends SkillListing {
  author: string;
  tags: string[];
  parameters: Parameter[];
  output_schema?: Json | undefined;
  examples: { prompt: string; call: string }[];
  tools: ToolDefinition[];
  files: { path: string; bytes: number }[];
  parts: SkillListing[];
  instructions: string;
  max_execution_seconds: number;
  max_iterations: number;
  license?: string | undefined;
  homepage?: string | undefined;
  /** Hosts its code may reach. */
  network: { granted: string[] };
  /** Tools of servers it brings along; an empty list is all of a server. */
  tool_list: Record<string, string[]>;
  /** What was found wrong in its files. */
  problems: Diagnostic[];
  package?: InstalledSkill | undefined;
}

/** Of an installed skill: where from, and how many findings of each gravity its review has. */
export interface InstalledSkill {
  from: string;
  by: string;
  installed_at: number;
  hash: string;
  /** Its files are no longer those that were installed. */
  changed: boolean;
  danger: number;
  warnings: number;
}

/** What people watching a namespace see: every turn event, and changes of its state. */
export type FeedItem =
  | { kind: "event"; thread: string; event: TurnEvent }
  | { kind: "state"; namespace: string };

/** One turn with its stored events. */
export interface TurnWithEvents {
  turn: TurnRecord;
  events: TurnEvent[];
}

/** A completion of a slash command being typed. */
export interface Completion {
  /** The whole text after accepting it. */
  text: string;
  label: string;
  description: string;
}

/** A change of a namespace's settings. */
export interface SettingsChange {
  progress?: ProgressLevel | undefined;
  while_running?: "steer" | "queue" | undefined;
  profile?: string | null | undefined;
  /** When the bot answers without being mentioned. */
  reply?: ReplyMode | null | undefined;
  /** Paused, the bot answers nobody here but commands. */
  paused?: boolean | undefined;
  /** When set, only these skills exist in the channel; `null` allows all again. */
  allowed_skills?: readonly string[] | null | undefined;
}

/** An execution of one skill, from the turn log. */
export interface SkillRun {
  run_id: string;
  turn_id: string;
  skill_id: string;
  user: string;
  namespace: string;
  status: "running" | "completed" | "failed";
  input: Json;
  output?: Json | undefined;
  /** Why it failed. */
  error?: string | undefined;
  started_at: number;
  finished_at?: number | undefined;
  duration_ms?: number | undefined;
}

export type Outcome<T> =
  | { ok: true; value: T }
  | { ok: false; status: 400 | 403 | 404 | 409 | 413 | 429 | 503; message: string };

/** Who asks for something, and where it is noted. */
export interface Asker {
  by: Author;
  namespace: string;
}

export interface App {
  /** The name people call the bot by. */
  readonly name: string;
  /** The model in use, `offline` when none is configured. */
  readonly model: string;

  submit(submission: Submission): Promise<Outcome<{ turn_id: string; accepted: boolean }>>;
  turn(turnId: string): Promise<TurnRecord | undefined>;
  turns(filter: TurnFilter): Promise<TurnRecord[]>;
  /**
   * The events of a turn from after `afterSeq` (-1: all) until `turn_finished`, live ones included. Ends early with the signal.
   * Undefined for an unknown turn.
   */
  events(
    turnId: string,
    afterSeq: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<TurnEvent> | undefined>;
  stop(turnId: string, by: Author): Promise<Outcome<{ stopped: boolean }>>;
  answer(
    turnId: string,
    questionId: string,
    text: string,
    by: Author,
  ): Promise<Outcome<{ answered: boolean }>>;

  /** Approves or refuses what a tool asked for. `approval_id` is as in `approval_requested`. */
  approve(approvalId: string, approved: boolean, by: Author): Promise<Outcome<{ decided: boolean }>>;
  /** Stops a turn if it runs, and takes its texts, files and answer away for good. For who asked, and managers. */
  forget(turnId: string, by: Author): Promise<Outcome<{ forgotten: boolean }>>;
  /** A file of a turn. */
  file(turnId: string, name: string): Promise<{ media_type: string; data: Uint8Array } | undefined>;

  namespaces(platform: string): Promise<string[]>;
  namespace(namespace: string): Promise<NamespaceState>;
  /** What is left out stays as it is; `null` goes back to the default. */
  changeSettings(namespace: string, settings: SettingsChange, by: Author): Promise<Outcome<NamespaceState>>;
  threads(namespace: string): Promise<ThreadRecord[]>;
  /** The turns of a thread, oldest first, with their stored events and the live tail of running ones. */
  thread(namespace: string, thread: string): Promise<TurnWithEvents[]>;
  /** Everything that happens in a namespace from now on, until the signal. */
  watch(namespace: string, signal: AbortSignal): AsyncIterable<FeedItem>;

  skills(
    namespace: string,
    filter?: { category?: string; query?: string },
  ): Promise<{ skills: SkillListing[]; diagnostics: Diagnostic[] }>;
  skill(id: string, namespace: string): Promise<SkillDetail | undefined>;
  /** `pinned` enables, `blocked` disables, `available` resets. */
  setSkill(
    namespace: string,
    id: string,
    state: "pinned" | "blocked" | "available",
    by: Author,
  ): Promise<Outcome<SkillListing>>;
  /** The `invoke_skill` path, outside of a conversation. */
  runSkill(id: string, params: Json, namespace: string, by: Author): Promise<Json>;
  runs(filter: TurnFilter): Promise<SkillRun[]>;

  readonly packages: PackageService;
  readonly servers: ServerService;
  readonly grants: GrantService;
  readonly flows: FlowService;

  /** Completions of a text that begins with `/`, best first. */
  complete(text: string, namespace: string): Promise<Completion[]>;
  /** What the next model call in this namespace would get. */
  prompt(
    namespace: string,
    message: string,
  ): Promise<{ system: string; tools: ToolDefinition[]; tokens: number }>;
  /** Whether store, queue, model and connections are usable, each with what to do when not. */
  ready(): Promise<Readiness[]>;
}
