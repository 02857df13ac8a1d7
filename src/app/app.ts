import type { Clock, KeyValue, Leases, Log } from "../core/ports/storage.ts";
import type { AppDeps } from "./app-deps.ts";
import type { ChatHub } from "./chat/chat-hub.ts";
import { complete } from "./operations/operation.ts";
import type { CompletableCommand, Services } from "./operations/services.ts";
import { createOperationRunner } from "./operations/table.ts";
import type { HookRequest } from "./schedules/webhooks.ts";
import { createReadiness } from "./services/readiness.ts";
import type { SkillService } from "./services/skill-service.ts";
import type { CommandReader } from "./turns/command-reader.ts";
import type { FeedItem } from "./turns/feed.ts";
import { attachedFile, turnFile } from "./turns/kept-files.ts";

/**
 * The functions of the bot for every surface: the HTTP API (and through it the console, the terminal and the command line) and
 * the chat platforms. Every call is checked against the permissions of the person who makes it.
 */
export type App = ReturnType<typeof createSurface>;

/** The bot as the connection to a chat platform gets it. */
export interface ChatHost {
  app: App;
  hub: ChatHub;
  store: KeyValue;
  /** An encrypted store, for the platform's secrets. */
  sealed: KeyValue;
  leases: Leases;
  clock: Clock;
  logger: Log;
  /** Whether no other process uses the store; false by default. */
  isAlone?: boolean;
}

export function createSurface(
  deps: AppDeps,
  services: Services,
  reader: Pick<CommandReader, "read" | "formOf">,
) {
  const { log, ports } = deps;
  const { feed, schedules } = services;
  const skills: Pick<SkillService, "list" | "detail" | "suggest"> = services.skills;
  const commands: readonly Omit<CompletableCommand, "usage" | "partOf">[] = services.commands.filter(
    ({ partOf }) => partOf === undefined,
  );
  return {
    /** The name people call the bot by. */
    name: ports.name,
    /** The model in use, `offline` when none is configured. */
    model: ports.models.main.id,
    /** Runs an operation of the table. */
    run: createOperationRunner(services),
    /** Distinguishes commands from messages. */
    reader,
    submit: services.submit,
    turn: services.turns.get,
    turns: services.turns.list,
    /**
     * The events of a turn from after `afterSeq` (-1: all) until `turn_finished`, live ones included. Ends early with the signal.
     * Undefined for an unknown turn.
     */
    events: services.follow,
    /** All stored data of a channel, or of all channels. */
    exportData: services.exportData,
    /** A file of a turn. */
    file: (turnId: string, name: string) => turnFile(ports.files, turnId, name),
    /** A file that came with a turn's message, counted from 0. */
    attachment: (turnId: string, number: number) => attachedFile(log, ports, turnId, number),
    namespaces: services.namespaces,
    threads: services.threads,
    /** All events in a namespace from now on, until the signal. */
    watch: (namespace: string, signal: AbortSignal): Promise<AsyncIterable<FeedItem>> =>
      feed.watch(namespace, signal),
    /** Skills as they are in a channel. */
    skills,
    /** A request to the webhook of a trigger. */
    hook: (request: HookRequest) => schedules.hooks.take(request),
    /** The slash commands, in the order of help. */
    commands,
    /** Completions of a text that begins with `/`, best first. */
    complete: (text: string, namespace: string) => complete(services, text, namespace),
    /** Whether store, queue, model and connections are usable, each with its remedy when not. */
    ready: createReadiness(deps),
  };
}
