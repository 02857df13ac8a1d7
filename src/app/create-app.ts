import type { CatalogueLoader } from "../core/catalogue.ts";
import { createChatPlatforms } from "../core/chat-platform.ts";
import type { Clock } from "../core/clock.ts";
import type { HostFacts } from "../core/eligibility.ts";
import { isInternal } from "../core/event-audience.ts";
import type { KeyValue } from "../core/key-value.ts";
import type { Log } from "../core/log.ts";
import { type Meter, noMeter } from "../core/meter.ts";
import { createOfferReader } from "../core/offer-reader.ts";
import { noPackages, type Packages } from "../core/packages.ts";
import type { Place } from "../core/place.ts";
import { noPreparedPackages, type PreparedPackages } from "../core/prepared-packages.ts";
import type { Redact } from "../core/redact.ts";
import type { Servers } from "../core/servers.ts";
import type { Profile, TurnLimits, TurnPorts } from "../core/turn.ts";
import type { TurnLog } from "../core/turn-log.ts";
import type { MetaTool } from "../core/turn-scope.ts";
import type { App } from "./app.ts";
import { type ChatHub, meteredPlatform } from "./chat/chat-hub.ts";
import type { ChatListener } from "./chat/chat-intake.ts";
import type { ChatPolicy } from "./chat/chat-policy.ts";
import { createChatIntake } from "./chat/create-chat-intake.ts";
import { createTurnPresenter } from "./chat/create-turn-presenter.ts";
import { shapingRules } from "./chat/present/shape-answer.ts";
import { createCommandRunner } from "./commands/command-runner.ts";
import { operationCommands } from "./commands/operation-commands.ts";
import { complete } from "./operations/complete.ts";
import type { AddFlow, Services } from "./operations/services.ts";
import { allOperations, createOperationRunner } from "./operations/table.ts";
import { createPinnedFacts } from "./reading/pinned-facts.ts";
import { createPlaceDescriber } from "./reading/place-description.ts";
import { createApprovals } from "./services/approvals.ts";
import { auditChannel, createAudit } from "./services/audit.ts";
import { createChangeSettings } from "./services/channel-settings.ts";
import { createChats } from "./services/chats.ts";
import { createExportData } from "./services/export-data.ts";
import { createForgetPerson } from "./services/forget-person/forget-person.ts";
import { createForget } from "./services/forgetting.ts";
import { createReadiness, type Readiness } from "./services/readiness.ts";
import { createRetention } from "./services/retention.ts";
import type { RetentionPolicy } from "./services/retention-policy.ts";
import { skillRuns } from "./services/skill-runs.ts";
import { createSkillService } from "./services/skill-service.ts";
import { createStoredAudit } from "./services/stored-audit.ts";
import { createAskedSkills } from "./turns/asked-skills.ts";
import { createCommandReader } from "./turns/command-reader.ts";
import { createDispatcher } from "./turns/dispatcher.ts";
import { createFeed } from "./turns/feed.ts";
import { attachedFile, createPictures, turnFile } from "./turns/kept-files.ts";
import { createOpenings } from "./turns/openings.ts";
import { createPastThreads } from "./turns/past-threads.ts";
import { createPromptPreview } from "./turns/prompt-preview.ts";
import { createSpending, type SpendingCaps } from "./turns/spending.ts";
import { createSubmit } from "./turns/submit.ts";
import { createTurnControl } from "./turns/turn-control.ts";
import { type Follow, followTurn } from "./turns/turn-events.ts";
import { createTurnMeasuring } from "./turns/turn-measure.ts";
import { createTurnRunner } from "./turns/turn-runner.ts";
import { createWhere } from "./turns/where.ts";

/** What the app is made of. Times are milliseconds. */
export interface AppDeps {
  log: TurnLog;
  store: KeyValue;
  catalogue: CatalogueLoader;
  metaTools: readonly MetaTool[];
  logger: Log;
  /** Takes secrets out of everything that is stored or shown. */
  redact: Redact;
  clock: Clock;
  /** What this machine and the operator's settings offer to skills. */
  facts: HostFacts;
  ports: Omit<
    TurnPorts,
    | "steering"
    | "signals"
    | "overBudget"
    | "offers"
    | "openings"
    | "deletions"
    | "facts"
    | "picture"
    | "redact"
    | "time_zone"
    | "chats"
  >;
  /** The agents; the first one begins where a channel does not say otherwise. */
  profiles: readonly [Profile, ...Profile[]];
  limits: TurnLimits;
  spending: SpendingCaps;
  /** How long things are kept. */
  retention: RetentionPolicy;
  /** Knack's version. */
  version: string;
  /** Makes ids of turns; unique for ever. */
  newId(): string;
  /** Names this process among those that share the log. */
  owner: string;
  /** Message turns at the same time. */
  concurrent: number;
  /** Commands at the same time. */
  concurrent_commands: number;
  lease_ms: number;
  max_duration_ms: number;
  /** The server's zone, IANA name: for people and channels that have none of their own. */
  time_zone: string;
  /** How the bot behaves on chat platforms. */
  chat: ChatPolicy;
  /** Skills that people install; without it nothing can be installed. */
  packages?: Packages | undefined;
  /** Packages for code in the sandbox; without it none can be prepared. */
  prepared?: PreparedPackages | undefined;
  /** The tool servers of the configuration. */
  servers?: Servers | undefined;
  /** Takes in flows that are in no folder. */
  addFlow?: AddFlow | undefined;
  /** Counts what happens; nothing is counted without it. */
  meter?: Meter | undefined;
  /** What else must be well for the bot to be ready: its connections. */
  checks?: (() => Readiness[]) | undefined;
}

/** The running app. `start` takes up what is queued or was interrupted. */
export interface RunningApp {
  app: App;
  chat: ChatHub;
  start(): void;
  /** Announces what is deleted when, and from then on deletes it. Only for the bot itself, not for a command beside it. */
  startRetention(): Promise<void>;
  /** Lets running turns finish for `drainMs`; the rest is resumed at the next start. */
  stop(drainMs: number): Promise<void>;
}

export function createApp(deps: AppDeps): RunningApp {
  const { log, store, clock, catalogue } = deps;
  const offers = createOfferReader(store, deps.facts, clock);
  const openings = createOpenings(store, clock);
  const platforms = createChatPlatforms();
  const ports = {
    ...deps.ports,
    chats: createChats({ platforms, log, forget: (turnId, by) => services.forget(turnId, by) }),
    offers,
    redact: deps.redact,
    time_zone: deps.time_zone,
    openings,
    facts: createPinnedFacts(store),
    deletions: (place: Place) => log.deletions(place),
    picture: createPictures(deps.ports.files, deps.ports.report),
  };
  const asked = createAskedSkills({ catalogue, offers });
  const feed = createFeed();
  const spending = createSpending(log, deps.spending, clock);
  const past = createPastThreads(log);
  const { meter = noMeter } = deps;
  const measuring = createTurnMeasuring({ ...deps, meter });
  const { report } = ports;
  const describer = createPlaceDescriber({ platforms, clock, shaping: shapingRules, report });
  const whereOf = createWhere(describer, ports.name, ports.chats.actions);
  const stored = createStoredAudit(store, deps.logger);
  const audit = createAudit({ ...deps, stored, post: auditChannel(deps.chat.audit_channel, platforms) });
  const { files, folders } = ports;
  const retention = createRetention({ ...deps, past, files, folders, stored, policy: deps.retention });
  const { packages = noPackages, prepared = noPreparedPackages, servers } = deps;
  const skills = createSkillService({ ...deps, offers, grants: ports.grants });
  const commands = operationCommands(allOperations);
  const reader = createCommandReader(commands, ports.name);
  const dispatcher = createDispatcher({ ...deps, feed });
  const { wake } = dispatcher;
  const submit = createSubmit({ ...deps, files, feed, reader, asked, wake });
  const follow: Follow = (turnId, afterSeq, signal) => followTurn(log, feed, turnId, afterSeq, signal);
  const turns = createTurnRunner({ ...deps, ports, past, spending, platforms, asked, reader, whereOf });
  const presenter = createTurnPresenter({
    ...deps,
    platforms,
    name: ports.name,
    files: ports.files,
    question_ms: deps.limits.question_ms,
  });
  const control = createTurnControl(log, clock, dispatcher);
  const forgetting = { ...deps, feed, past, files, folders, platforms, audit, stop: control.stop };
  const services: Services = {
    ...deps,
    offers,
    packages,
    prepared,
    servers,
    audit,
    feed,
    skills,
    grants: ports.grants,
    submit,
    follow,
    turns: {
      get: (turnId) => log.get(turnId),
      list: (filter) => log.list(filter),
      async events(turn) {
        const tail = turn.status === "finished" ? [] : feed.tail(turn.turn_id);
        return [...(await log.read(turn.turn_id)), ...tail].filter((event) => !isInternal(event));
      },
    },
    folders,
    runs: (filter) => skillRuns(log, filter),
    changeSettings: createChangeSettings({ ...deps, models: ports.models }),
    name: ports.name,
    models: ports.models,
    effort: ports.effort,
    namespaces: (platform) => log.namespaces(platform),
    threads: (namespace) => log.threads(namespace),
    usage: (filter) => log.usage(filter),
    control,
    approvals: createApprovals({ ...deps, audit, platforms, wake }),
    forget: createForget(forgetting),
    forgetPerson: createForgetPerson({ ...forgetting, stored, openings }),
    retention,
    commands,
    preview: createPromptPreview(turns),
  };
  const run = createOperationRunner(services);
  const commandRunner = createCommandRunner(commands, services, turns, reader, platforms);
  dispatcher.serve({
    deadlineOf: turns.deadlineOf,
    run: (claimed, signal) => {
      const runner = claimed.inbound.kind === "command" ? commandRunner : turns;
      const events = presenter.around(claimed, (own) => runner.run(claimed, own), signal);
      return measuring.around(claimed, events);
    },
  });

  const app: App = {
    name: ports.name,
    model: ports.models.main.id,
    run,
    reader,
    submit,
    turn: services.turns.get,
    turns: services.turns.list,
    events: follow,
    exportData: createExportData({ ...deps, stored }),
    file: (turnId, name) => turnFile(ports.files, turnId, name),
    attachment: (turnId, number) => attachedFile({ log, files, folders }, turnId, number),
    namespaces: services.namespaces,
    threads: services.threads,
    watch: (namespace, signal) => feed.watch(namespace, signal),
    skills,
    complete: (text, namespace) => complete(services, text, namespace),
    ready: createReadiness(deps),
  };
  const listeners: readonly ChatListener[] = [];
  const chat: ChatHub = {
    connect(platform) {
      const metered = meteredPlatform(platform, meter);
      platforms.add(metered);
      return createChatIntake({ ...deps, app, platform: metered, policy: deps.chat, listeners });
    },
  };
  return {
    app,
    chat,
    start: wake,
    startRetention: retention.start,
    async stop(drainMs) {
      await Promise.all([dispatcher.stop(drainMs), retention.stop()]);
      await stored.settled();
    },
  };
}
