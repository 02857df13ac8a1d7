import type { TurnCalls, TurnLog } from "../core/log/turn-log.ts";
import type { MessageIndex } from "../core/ports/chat-actions.ts";
import type { Transcriber } from "../core/ports/documents.ts";
import type { Meter, TurnTracer } from "../core/ports/model.ts";
import type { DueEntries, ScheduleLimits } from "../core/ports/schedules.ts";
import type {
  Clock,
  CreateTextIndex,
  KeyValue,
  Leases,
  Log,
  UpgradeCopies,
  Wire,
} from "../core/ports/storage.ts";
import type { GivenPorts, TurnLimits } from "../core/scope/turn.ts";
import type { MetaTool } from "../core/scope/turn-scope.ts";
import type { CatalogueLoader } from "../core/skill/catalogue.ts";
import type { HostFacts } from "../core/skill/eligibility.ts";
import type { Packages, PreparedPackages, Servers } from "../core/skill/packages.ts";
import type { TaughtSkills } from "../core/skill/taught-skills.ts";
import type { Profile } from "../core/values/profile.ts";
import type { Redactor } from "../core/values/redact.ts";
import type { ChatPolicy } from "./chat/chat-policy.ts";
import type { Readiness } from "./services/readiness.ts";
import type { RetentionPolicy } from "./services/retention-policy.ts";

/** How the processes that share the stores hear of each other's work. */
export interface SharedWork {
  calls: TurnCalls;
  wire: Wire;
  /** The database by its name, host and port. */
  place: string;
}

/** The stores of schedules and triggers, and their limits. */
export interface ScheduleSetup {
  due: DueEntries;
  /** Encrypted, for the secrets of webhooks. */
  sealed: KeyValue;
  limits: ScheduleLimits;
}

/** Spending limits per day (UTC). Tokens are input and output together; models without a price cost no dollars. */
export interface SpendingCaps {
  per_channel_day_usd: number;
  per_user_day_usd: number;
  per_channel_day_tokens: number;
  per_user_day_tokens: number;
  /** Limits of single channels by namespace, in place of those of all channels. */
  channels: {
    readonly [namespace: string]: { day_usd?: number | undefined; day_tokens?: number | undefined };
  };
}

/** Adds the file of a flow until the bot stops. Returns its id as a skill, or why it is not a flow. */
type AddFlow = (
  text: string,
  path: string,
) => Promise<{ ok: true; id: string } | { ok: false; reason: string }>;

/** Dependencies and settings of the app, from which each part takes what it needs. Times are milliseconds. */
export interface AppDeps {
  log: TurnLog;
  store: KeyValue;
  catalogue: CatalogueLoader;
  metaTools: readonly MetaTool[];
  logger: Log;
  /** Transcribes voice messages. */
  transcriber: Transcriber;
  /** Removes secrets from everything stored or shown. */
  redact: Redactor;
  clock: Clock;
  /** What only one of several processes may do. */
  leases: Leases;
  /** Present where other processes use the stores, too. */
  shared?: SharedWork | undefined;
  /** Facts about machine and settings that decide which skills are eligible. */
  facts: HostFacts;
  ports: GivenPorts;
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
  createTextIndex: CreateTextIndex;
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
