/**
 * What the bot can do, for every surface: the HTTP API (and through it the console, the terminal and the command line) and
 * the chat platforms. Everything here is checked against the permissions of the person who asks.
 */
import type { Author, Origin } from "../core/inbound.ts";
import type { Json } from "../core/json.ts";
import type { Effort } from "../core/message.ts";
import type { NamespaceState, ProgressLevel, ReplyMode } from "../core/namespace-state.ts";
import type { Preview } from "../core/preview.ts";
import type { Diagnostic } from "../core/skill.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type { ThreadRecord, TurnFilter, TurnRecord } from "../core/turn-log.ts";
import type { Approve } from "./approvals.ts";
import type { ExportData } from "./export-data.ts";
import type { FlowService } from "./flow-service.ts";
import type { ForgetPerson } from "./forget-person/forgotten-person.ts";
import type { GrantService } from "./grant-service.ts";
import type { Outcome } from "./outcome.ts";
import type { PackageService } from "./package-service.ts";
import type { Readiness } from "./readiness.ts";
import type { Retention } from "./retention.ts";
import type { ServerService } from "./server-service.ts";
import type { SkillDetail, SkillListing } from "./skill-listing.ts";
import type { SkillRun } from "./skill-run.ts";

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
  /** The model of all turns here, `provider/model`; `null` goes back to the agent's or the configured one. */
  model?: string | null | undefined;
  /** How hard it thinks here. */
  effort?: Effort | null | undefined;
  /** When the bot answers without being mentioned. */
  reply?: ReplyMode | null | undefined;
  /** Paused, the bot answers nobody here but commands. */
  paused?: boolean | undefined;
  /** The zone for people whose own is not known, in any spelling that `timeZoneNamed` takes. */
  time_zone?: string | null | undefined;
  /** When set, only these skills exist in the channel; `null` allows all again. */
  allowed_skills?: readonly string[] | null | undefined;
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
  approve: Approve;
  /** Stops a turn if it runs, and takes its texts, files and answer away for good. For who asked, and managers. */
  forget(turnId: string, by: Author): Promise<Outcome<{ forgotten: boolean }>>;
  /** Takes a person out of everything stored, or says what would go. For operators. */
  forgetPerson: ForgetPerson;
  /** Everything stored of a channel, or of all. */
  exportData: ExportData;
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

  /** How long things are kept, and what of them is old. */
  readonly retention: Retention;

  /** Completions of a text that begins with `/`, best first. */
  complete(text: string, namespace: string): Promise<Completion[]>;
  /** What a new thread of this namespace would begin with; with a thread, what its next model call would get. */
  prompt(namespace: string, message: string, thread?: string): Promise<Preview>;
  /** Whether store, queue, model and connections are usable, each with what to do when not. */
  ready(): Promise<Readiness[]>;
}
