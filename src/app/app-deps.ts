import type { TurnLog } from "../core/log/turn-log.ts";
import type { MessageIndex } from "../core/ports/chat-actions.ts";
import type { Meter } from "../core/ports/model.ts";
import type { Clock, GrowingTextIndex, KeyValue, Log, UpgradeCopies } from "../core/ports/storage.ts";
import type { TurnLimits, TurnPorts } from "../core/scope/turn.ts";
import type { MetaTool } from "../core/scope/turn-scope.ts";
import type { CatalogueLoader } from "../core/skill/catalogue.ts";
import type { HostFacts } from "../core/skill/eligibility.ts";
import type { Packages, PreparedPackages, Servers } from "../core/skill/packages.ts";
import type { Profile } from "../core/values/profile.ts";
import type { Redactor } from "../core/values/redact.ts";
import type { App } from "./app.ts";
import type { ChatHub } from "./chat/chat-hub.ts";
import type { ChatPolicy } from "./chat/chat-policy.ts";
import type { AddFlow } from "./operations/services.ts";
import type { ScheduleSetup } from "./schedules/create-schedules.ts";
import type { Readiness } from "./services/readiness.ts";
import type { RetentionPolicy } from "./services/retention-policy.ts";
import type { SpendingCaps } from "./turns/spending.ts";

/** What the app is made of. Times are milliseconds. */
export interface AppDeps {
  log: TurnLog;
  store: KeyValue;
  catalogue: CatalogueLoader;
  metaTools: readonly MetaTool[];
  logger: Log;
  /** Takes secrets out of everything that is stored or shown. */
  redact: Redactor;
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
    | "schedules"
    | "conversations"
    | "rolesOf"
  >;
  /** The agents; the first one begins where a channel does not say otherwise. */
  profiles: readonly [Profile, ...Profile[]];
  limits: TurnLimits;
  spending: SpendingCaps;
  /** How long things are kept. */
  retention: RetentionPolicy;
  /** What the databases were before an upgrade; without it there are no such copies. */
  copies?: UpgradeCopies | undefined;
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
  /** What was said in channels that are searched by an index. */
  index: MessageIndex;
  /** Full-text search over what channels talked about with the bot. */
  createTextIndex(): GrowingTextIndex;
  /** Where the console is reached from outside. */
  public_url?: string | undefined;
  /** Skills that people install; without it nothing can be installed. */
  packages?: Packages | undefined;
  /** Packages for code in the sandbox; without it none can be prepared. */
  prepared?: PreparedPackages | undefined;
  /** The tool servers of the configuration. */
  servers?: Servers | undefined;
  /** How much comes back by itself, and where it is kept. */
  schedules: ScheduleSetup;
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
  /** From now on schedules and triggers run. Only for the bot itself, not for a command beside it. */
  startSchedules(): void;
  /** Announces what is deleted when, and from then on deletes it. Only for the bot itself, not for a command beside it. */
  startRetention(): Promise<void>;
  /** Lets running turns finish for `drainMs`; the rest is resumed at the next start. */
  stop(drainMs: number): Promise<void>;
}
