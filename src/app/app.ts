/**
 * The functions of the bot for every surface: the HTTP API (and through it the console, the terminal and the command line) and
 * the chat platforms. Every call is checked against the permissions of the person who makes it.
 */
import type { ThreadRecord, TurnFilter, TurnRecord } from "../core/log/turn-log.ts";
import type { Completion } from "./operations/operation.ts";
import type { CompletableCommand } from "./operations/services.ts";
import type { RunOperation } from "./operations/table.ts";
import type { HookRequest } from "./schedules/hook-signatures.ts";
import type { HookAnswer } from "./schedules/webhooks.ts";
import type { ExportData } from "./services/export-data.ts";
import type { Readiness } from "./services/readiness.ts";
import type { SkillService } from "./services/skill-service.ts";
import type { CommandReader } from "./turns/command-reader.ts";
import type { FeedItem } from "./turns/feed.ts";
import type { Submit } from "./turns/submit.ts";
import type { Follow } from "./turns/turn-events.ts";

export interface App {
  /** The name people call the bot by. */
  readonly name: string;
  /** The model in use, `offline` when none is configured. */
  readonly model: string;

  /** Runs an operation of the table. */
  run: RunOperation;

  /** Distinguishes commands from messages. */
  readonly reader: CommandReader;
  submit: Submit;
  turn(turnId: string): Promise<TurnRecord | undefined>;
  turns(filter: TurnFilter): Promise<TurnRecord[]>;
  /**
   * The events of a turn from after `afterSeq` (-1: all) until `turn_finished`, live ones included. Ends early with the signal.
   * Undefined for an unknown turn.
   */
  events: Follow;
  /** All stored data of a channel, or of all channels. */
  exportData: ExportData;
  /** A file of a turn. */
  file(turnId: string, name: string): Promise<{ media_type: string; data: Uint8Array } | undefined>;

  /** A file that came with a turn's message, counted from 0. */
  attachment(
    turnId: string,
    number: number,
  ): Promise<{ name: string; media_type: string; data: Uint8Array } | undefined>;

  namespaces(platform: string): Promise<string[]>;
  threads(namespace: string): Promise<ThreadRecord[]>;
  /** All events in a namespace from now on, until the signal. */
  watch(namespace: string, signal: AbortSignal): Promise<AsyncIterable<FeedItem>>;

  /** Skills as they are in a channel. */
  readonly skills: Pick<SkillService, "list" | "detail" | "suggest">;

  /** A request to the webhook of a trigger. */
  hook(request: HookRequest): Promise<HookAnswer>;

  /** The slash commands, in the order of help. */
  readonly commands: readonly Omit<CompletableCommand, "usage" | "partOf">[];
  /** Completions of a text that begins with `/`, best first. */
  complete(text: string, namespace: string): Promise<Completion[]>;
  /** Whether store, queue, model and connections are usable, each with its remedy when not. */
  ready(): Promise<Readiness[]>;
}
