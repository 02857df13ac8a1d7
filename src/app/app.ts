/**
 * What the bot can do, for every surface: the HTTP API (and through it the console, the terminal and the command line) and
 * the chat platforms. Everything here is checked against the permissions of the person who asks.
 */
import type { Author } from "../core/inbound.ts";
import type { NamespaceState } from "../core/namespace-state.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Preview } from "../core/preview.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type { ThreadRecord, TurnFilter, TurnRecord } from "../core/turn-log.ts";
import type { Completion } from "./commands/command-runner.ts";
import type { RunOperation } from "./operations/table.ts";
import type { Approve } from "./services/approvals.ts";
import type { ChangeSettings } from "./services/channel-settings.ts";
import type { ExportData } from "./services/export-data.ts";
import type { FlowService } from "./services/flow-service.ts";
import type { ForgetPerson } from "./services/forget-person/forgotten-person.ts";
import type { Readiness } from "./services/readiness.ts";
import type { Retention } from "./services/retention.ts";
import type { SkillService } from "./services/skill-service.ts";
import type { CommandReader } from "./turns/command-reader.ts";
import type { FeedItem } from "./turns/feed.ts";
import type { Submit } from "./turns/submit.ts";
import type { TurnControl } from "./turns/turn-control.ts";
import type { Follow } from "./turns/turn-events.ts";

/** One turn with its stored events. */
export interface TurnWithEvents {
  turn: TurnRecord;
  events: TurnEvent[];
}

export interface App {
  /** The name people call the bot by. */
  readonly name: string;
  /** The model in use, `offline` when none is configured. */
  readonly model: string;

  /** Runs an operation of the table. */
  run: RunOperation;

  /** Tells commands from messages. */
  readonly reader: CommandReader;
  submit: Submit;
  turn(turnId: string): Promise<TurnRecord | undefined>;
  turns(filter: TurnFilter): Promise<TurnRecord[]>;
  /**
   * The events of a turn from after `afterSeq` (-1: all) until `turn_finished`, live ones included. Ends early with the signal.
   * Undefined for an unknown turn.
   */
  events: Follow;
  stop: TurnControl["stop"];
  answer: TurnControl["answer"];

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
  changeSettings: ChangeSettings;
  threads(namespace: string): Promise<ThreadRecord[]>;
  /** The turns of a thread, oldest first, with their stored events and the live tail of running ones. */
  thread(namespace: string, thread: string): Promise<TurnWithEvents[]>;
  /** Everything that happens in a namespace from now on, until the signal. */
  watch(namespace: string, signal: AbortSignal): AsyncIterable<FeedItem>;

  /** Skills as they are in a channel. */
  readonly skills: Pick<SkillService, "list" | "detail">;
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
