import { randomUUID } from "node:crypto";
import type { AppDeps, SpendingCaps } from "../../src/app/app-deps.ts";
import type { ChatPolicy } from "../../src/app/chat/chat-policy.ts";
import { createApp, type RunningApp } from "../../src/app/create-app.ts";
import type { RetentionPolicy } from "../../src/app/services/retention-policy.ts";
import { once } from "../../src/base/made-once.ts";
import type { TurnEvent, TurnEventOf } from "../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import { createMetaTools } from "../../src/core/meta-tools/create-meta-tools.ts";
import type { MessageIndex } from "../../src/core/ports/chat-actions.ts";
import { type DocumentReader, noTranscriber, type Transcriber } from "../../src/core/ports/documents.ts";
import type { Model, Models } from "../../src/core/ports/model.ts";
import type { DueEntries, ScheduleLimits } from "../../src/core/ports/schedules.ts";
import type { Clock, FileStore, KeyValue } from "../../src/core/ports/storage.ts";
import type { Web } from "../../src/core/ports/web.ts";
import { noMeans, type WorkMeans } from "../../src/core/ports/work-means.ts";
import type { WorkingFolders } from "../../src/core/ports/working-folder.ts";
import type { TurnLimits } from "../../src/core/scope/turn.ts";
import { createCatalogueLoader } from "../../src/core/skill/catalogue.ts";
import { NetworkGrants } from "../../src/core/skill/network-grants.ts";
import type { CodeRunner, ScriptRunner } from "../../src/core/skill/programs.ts";
import type { Skill, SkillSource } from "../../src/core/skill/skill.ts";
import type { Rights } from "../../src/core/skill/skill-identifier.ts";
import type { ApprovalRules, Author, Origin } from "../../src/core/values/inbound.ts";
import type { Effort } from "../../src/core/values/message.ts";
import type { Profile } from "../../src/core/values/profile.ts";
import { createRedactor } from "../../src/core/values/redact.ts";
import type { SaidLine } from "../../src/core/values/said-line.ts";
import { countTokens } from "../../src/models/count-tokens.ts";
import { siteOf } from "../../src/net/site-of.ts";
import { createMiniSearchIndex } from "../../src/search/minisearch-index.ts";
import { createHostFacts } from "../../src/skills/host-facts.ts";
import { type SkillEnv, skillEnvironment } from "../../src/skills/skill-settings.ts";
import { createKeyValueLeases } from "../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../src/wiring/system-clock.ts";
import { createMemoryFileStore, createMemoryMessageIndex } from "./fakes/memory-stores.ts";
import { noDocuments } from "./fakes/no-documents.ts";
import { follow } from "./follow.ts";
import { soleModel } from "./models/sole-model.ts";
import { scheduleLimits } from "./skills/schedule-limits.ts";
import { temporaryFolders } from "./temporary-folders.ts";

export const ada: Author = { id: "ada", name: "Ada", trust: "operator" };
export const ben: Author = { id: "ben", name: "Ben", trust: "member" };

/** Stateless and shared, because creating them takes longer than most test turns. */
const metaTools = createMetaTools();

const defaultLimits: TurnLimits = {
  max_rounds: 20,
  max_tool_calls: 50,
  max_concurrent: 3,
  tool_output_tokens: 500,
  transcript_tokens: 20_000,
  message_tokens: 4_000,
  skill_list_tokens: 900,
  open_tools_tokens: 0,
  question_ms: 60_000,
  approval_ms: 60_000,
  away_retry_ms: 0,
  away_ask_ms: 0,
};

export interface TestAppOptions
  extends Pick<
      AppDeps,
      "packages" | "servers" | "addFlow" | "taught" | "meter" | "tracer" | "checks" | "copies"
    >,
    Partial<Pick<AppDeps, "leases" | "shared" | "owner" | "lease_ms">> {
  /** False for a gateway, whose turns other processes run. */
  runsTurns?: boolean;
  skills?: readonly Skill[];
  sources?: readonly SkillSource[];
  limits?: Partial<TurnLimits>;
  log?: TurnLog;
  index?: MessageIndex;
  store?: KeyValue;
  files?: FileStore;
  clock?: Clock;
  web?: Web;
  spending?: Partial<SpendingCaps>;
  /** How long things are kept; for ever unless given. */
  retention?: Partial<RetentionPolicy>;
  concurrent?: number;
  concurrent_commands?: number;
  max_duration_ms?: number;
  /** Where schedules and triggers are kept. `startSchedules` lets them run. */
  due?: DueEntries;
  /** Differences from the usual limits of schedules, goals and jobs. */
  planLimits?: Partial<ScheduleLimits>;
  /** The secrets of webhooks. */
  sealed?: KeyValue;
  /** The server's zone; UTC unless given. */
  time_zone?: string;
  /** The line that a message begins with; default: none, which keeps most tests simple. */
  saidLine?: SaidLine;
  effort?: Effort;
  /** Template of the instructions; one that names the place unless given. */
  instructions?: string;
  /** The models there are; the one given alone unless told. */
  models?: Models;
  /** Told of each log line at info and warn. */
  logged?: (fields: object, message: string) => void;
  /** Hosts that any address may lead to. */
  openHosts?: readonly string[];
  secrets?: readonly string[];
  optIn?: readonly string[];
  /** Runs scripts of skills; they are refused unless given. */
  scripts?: ScriptRunner;
  /** Runs code that models write; default: none. */
  code?: CodeRunner;
  /** Extracts text from documents; default: none. */
  documents?: DocumentReader;
  /** Rights to use skills; default: everyone may use everything. */
  rights?: Rights;
  /** The operator's own rules for approvals; default: none. */
  approvals?: ApprovalRules;
  /** Services for skills; default: none. */
  means?: Partial<WorkMeans>;
  /** Transcribes voice messages; default: none. */
  transcriber?: Transcriber;
  /** Where threads have their files; a folder of the machine's for temporary files unless given. */
  folders?: WorkingFolders;
  /** Variables the operator gives skills. */
  skillEnv?: SkillEnv;
  profiles?: readonly [Profile, ...Profile[]];
  /** Differences from a policy that admits everyone. */
  chat?: Partial<Omit<ChatPolicy, "access">> & { access?: Partial<ChatPolicy["access"]> };
}

/** A whole app on memory storage and a fake model, as a platform would use it. */
export interface TestApp extends RunningApp {
  log: TurnLog;
  store: KeyValue;
  files: FileStore;
  folders: WorkingFolders;
  /** Unexpected errors that were logged. */
  errors: unknown[];
  /** Says something and answers the turn's id. */
  say(
    text: string,
    more?: { by?: Author; namespace?: string; thread?: string; key?: string; origin?: Origin },
  ): Promise<string>;
  /** All events of a turn until it is finished, live ones included. @throws Error if it does not end */
  events(turnId: string): Promise<TurnEvent[]>;
  /** Says something and waits for the end. */
  ask(
    text: string,
    more?: Parameters<TestApp["say"]>[1],
  ): Promise<{ turnId: string; events: TurnEvent[]; end: TurnEventOf<"turn_finished"> }>;
  /** The first event of a turn that fits; waits for it. */
  until<T extends TurnEvent["type"]>(turnId: string, type: T): Promise<TurnEventOf<T>>;
}

const noWeb: Web = {
  fetch: () => Promise.reject(new Error("no network in this test")),
  read: () => Promise.reject(new Error("no network in this test")),
};

const keepAll: RetentionPolicy = {
  conversation_days: "never",
  run_detail_days: "never",
  file_days: "never",
  audit_days: "never",
};

const generous = {
  per_channel_day_usd: 1e6,
  per_user_day_usd: 1e6,
  per_channel_day_tokens: 1e9,
  per_user_day_tokens: 1e9,
  channels: {},
};

function chatPolicy({ access, ...more }: NonNullable<TestAppOptions["chat"]> = {}): ChatPolicy {
  return {
    reply: "thread",
    offers: { per_day: 3, judged_per_day: 50 },
    stale_ms: 15 * 60_000,
    catch_up_ms: 24 * 3_600_000,
    progress_delay_ms: 3_000,
    notify_after_ms: 30_000,
    ...more,
    access: {
      workspaces: ["*"],
      channels: ["*"],
      users: ["*"],
      roles: [],
      guests: false,
      outsiders: false,
      direct_messages: "members",
      bots: [],
      cooldown_ms: 0,
      ...access,
    },
  };
}

/** The same place for a test that does not care. */
export const home = { namespace: "console:local:general", thread: "t1" };

function sharing({ leases, shared, owner = "test", lease_ms = 30_000 }: TestAppOptions, store: KeyValue) {
  return { leases: leases ?? createKeyValueLeases(store, owner), shared, owner, lease_ms };
}

export function createTestApp(model: Model, options: TestAppOptions = {}): TestApp {
  const {
    instructions = "You are {{name}} in {{place}}. {{formatting}} You cannot {{cannot}}.",
    skills = [],
    store = createMemoryKeyValue(),
    files = createMemoryFileStore(),
    clock = systemClock,
    skillEnv = {},
    rights = {},
    approvals = {},
    folders = temporaryFolders(),
    sealed = createMemoryKeyValue(),
    transcriber = noTranscriber("no service that transcribes speech is set up here"),
  } = options;
  const memory = once(() => createMemoryTurnLog(clock));
  const { log = memory() } = options;
  const errors: unknown[] = [];
  const quiet = () => {};
  const { logged = quiet } = options;
  const sources = options.sources ?? [{ id: "test", load: async () => loaded }];
  const loaded = { skills, diagnostics: [] };
  const running = createApp({
    log,
    store,
    ...sharing(options, store),
    clock,
    redact: createRedactor(options.secrets ?? []),
    meter: options.meter,
    tracer: options.tracer,
    checks: options.checks,
    copies: options.copies,
    logger: { debug: quiet, info: logged, warn: logged, error: (fields) => void errors.push(fields) },
    catalogue: createCatalogueLoader(sources, createMiniSearchIndex),
    metaTools,
    transcriber,
    profiles: options.profiles ?? [{ id: "chat", description: "Chats.", prompt: "" }],
    limits: { ...defaultLimits, ...options.limits },
    spending: { ...generous, ...options.spending },
    index: options.index ?? createMemoryMessageIndex(),
    createTextIndex: createMiniSearchIndex,
    retention: { ...keepAll, ...options.retention },
    newId: randomUUID,
    version: "1.2.3",
    concurrent: options.concurrent ?? 8,
    concurrent_commands: options.concurrent_commands ?? 8,
    max_duration_ms: options.max_duration_ms ?? 60_000,
    time_zone: options.time_zone ?? "UTC",
    chat: chatPolicy(options.chat),
    schedules: {
      due: options.due ?? memory().due,
      sealed,
      limits: { ...scheduleLimits, ...options.planLimits },
    },
    packages: options.packages,
    servers: options.servers,
    addFlow: options.addFlow,
    taught: options.taught,
    facts: createHostFacts({ env: {}, skillEnv, config: {}, capabilities: [], optIn: options.optIn ?? [] }),
    ports: {
      name: "Knack",
      instructions,
      effort: options.effort,
      saidLine: options.saidLine ?? (() => ""),
      models: options.models ?? soleModel(model),
      files,
      web: options.web ?? noWeb,
      scripts: options.scripts,
      code: options.code,
      folders,
      documents: options.documents ?? noDocuments,
      rights,
      approvals,
      means: { ...noMeans, ...options.means },
      grants: new NetworkGrants(store, () => [], clock),
      openHosts: options.openHosts ?? [],
      siteOf,
      countTokens,
      environmentOf: (skill) => skillEnvironment(skillEnv, skill),
      report: (error) => void errors.push(error),
    },
  });
  const { app } = running;
  const say: TestApp["say"] = async (
    text,
    { by = ada, namespace = home.namespace, thread = home.thread, key, origin } = {},
  ) => {
    const submitted = await app.submit({
      namespace,
      thread,
      text,
      author: by,
      ...(key === undefined ? {} : { key }),
      ...(origin === undefined ? {} : { origin }),
    });
    if (!submitted.ok) throw new Error(submitted.message);
    return submitted.value.turn_id;
  };
  const events = (turnId: string) => Array.fromAsync(follow(app, turnId));
  running.start({ runsTurns: options.runsTurns !== false });
  return {
    ...running,
    log,
    store,
    files,
    folders,
    errors,
    say,
    events,
    async ask(text, more) {
      const turnId = await say(text, more);
      const all = await events(turnId);
      const end = all.at(-1);
      if (end?.type !== "turn_finished") throw new Error(`the turn did not end: ${JSON.stringify(end)}`);
      return { turnId, events: all, end };
    },
    async until(turnId, type) {
      for await (const event of follow(app, turnId)) {
        if (event.type === type) return event as TurnEventOf<typeof type>;
      }
      throw new Error(`${type} did not come`);
    },
  };
}
