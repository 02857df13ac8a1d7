import type { TurnCalls, TurnLog } from "../core/log/turn-log.ts";
import type { MessageIndex } from "../core/ports/chat-actions.ts";
import type { Meter, TurnTracer } from "../core/ports/model.ts";
import type {
  Clock,
  GrowingTextIndex,
  KeyValue,
  Leases,
  Log,
  UpgradeCopies,
  Wire,
} from "../core/ports/storage.ts";
import type { TurnLimits, TurnPorts } from "../core/scope/turn.ts";
import type { MetaTool } from "../core/scope/turn-scope.ts";
import type { CatalogueLoader } from "../core/skill/catalogue.ts";
import type { HostFacts } from "../core/skill/eligibility.ts";
import type { Packages, PreparedPackages, Servers } from "../core/skill/packages.ts";
import type { TaughtSkills } from "../core/skill/taught-skills.ts";
import type { Profile } from "../core/values/profile.ts";
import type { Redactor } from "../core/values/redact.ts";
import type { App } from "./app.ts";
import type { ChatHub } from "./chat/chat-hub.ts";
import type { ChatPolicy } from "./chat/chat-policy.ts";
import type { AddFlow } from "./operations/services.ts";
import type { ScheduleSetup } from "./schedules/planning.ts";
import type { Readiness } from "./services/readiness.ts";
import type { RetentionPolicy } from "./services/retention-policy.ts";
import type { SpendingCaps } from "./turns/spending.ts";

/** How the processes that share the stores hear of each other's work. */
export interface SharedWork {
  calls: TurnCalls;
  wire: Wire;
  /** The database by its name, host and port. */
  place: string;
}

/** Dependencies and settings of the app. Times are milliseconds. */
export interface AppDeps {
  log: TurnLog;
  store: KeyValue;
  catalogue: CatalogueLoader;
  metaTools: readonly MetaTool[];
  logger: Log;
  /** Removes secrets from everything stored or shown. */
  redact: Redactor;
  clock: Clock;
  /** What only one of several processes may do. */
  leases: Leases;
  /** Present where other processes use the stores, too. */
  shared?: SharedWork | undefined;
  /** Facts about machine and settings that decide which skills are eligible. */
  facts: HostFacts;
  ports: Omit<
    TurnPorts,
    | "steering"
    | "readWhole"
    | "signals"
    | "overBudget"
    | "offers"
    | "openings"
    | "partUses"
    | "deletions"
    | "facts"
    | "picture"
    | "redact"
    | "time_zone"
    | "chats"
    | "schedules"
    | "teaching"
    | "background"
    | "conversations"
    | "rolesOf"
  >;
  /** The agents; the first one is the default of channels. */
  profiles: readonly [Profile, ...Profile[]];
  limits: TurnLimits;
  spending: SpendingCaps;
  /** Retention times. */
  retention: RetentionPolicy;
  /** Copies of the databases from before an upgrade; absent when there are none. */
  copies?: UpgradeCopies | undefined;
  /** Knack's version. */
  version: string;
  /** Creates globally unique ids of turns. */
  newId(): string;
  /** Identifies this process among those that share the log. */
  owner: string;
  /** Maximum message turns at the same time. */
  concurrent: number;
  /** Maximum commands at the same time. */
  concurrent_commands: number;
  lease_ms: number;
  max_duration_ms: number;
  /** The default time zone of people and channels, IANA name. */
  time_zone: string;
  /** How the bot behaves on chat platforms. */
  chat: ChatPolicy;
  /** The messages of indexed channels. */
  index: MessageIndex;
  /** Creates a full-text index for the conversations of channels with the bot. */
  createTextIndex(): GrowingTextIndex;
  /** The public address of the console. */
  public_url?: string | undefined;
  /** Installation of skills by people; without it nothing can be installed. */
  packages?: Packages | undefined;
  /** Packages for code in the sandbox; without it none can be prepared. */
  prepared?: PreparedPackages | undefined;
  /** The tool servers of the configuration. */
  servers?: Servers | undefined;
  /** Limits and storage of schedules and triggers. */
  schedules: ScheduleSetup;
  /** Adds flows that are not in a folder. */
  addFlow?: AddFlow | undefined;
  /** The skills made in the chat; absent where none can be. */
  taught?: TaughtSkills | undefined;
  /** Metrics; without it nothing is counted. */
  meter?: Meter | undefined;
  /** Traces; without it nothing is traced. */
  tracer?: TurnTracer | undefined;
  /** Further readiness checks: the connections to platforms. */
  checks?: (() => Readiness[]) | undefined;
}

/** The running app. */
export interface RunningApp {
  app: App;
  chat: ChatHub;
  /** Begins to take part in the work. Queued and interrupted turns are resumed, unless other processes run them (`runsTurns`). */
  start(how?: { runsTurns: boolean }): void;
  /** Starts schedules and triggers. Only for the bot itself, not for a separate command. */
  startSchedules(): void;
  /** Announces upcoming deletions and starts them. Only for the bot itself, not for a separate command. */
  startRetention(): Promise<void>;
  /** Lets running turns finish for `drainMs`; the rest is resumed at the next start. */
  stop(drainMs: number): Promise<void>;
}
