import { pick } from "../../base/record.ts";
import { isInternal, type TurnEvent } from "../../core/log/turn-event.ts";
import type { FinishedPosition, TurnFilter, TurnLog, TurnRecord } from "../../core/log/turn-log.ts";
import type { ChatPlatforms } from "../../core/ports/chat-platform.ts";
import { noMeter } from "../../core/ports/model.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { noPackages, noPreparedPackages } from "../../core/skill/packages.ts";
import type { AppDeps } from "../app-deps.ts";
import type { ScheduleService } from "../schedules/create-schedules.ts";
import { Approvals } from "../services/approvals.ts";
import { Audit, auditChannel } from "../services/audit.ts";
import type { ChannelIndex } from "../services/channel-index.ts";
import { createChangeSettings } from "../services/channel-settings.ts";
import { exportData } from "../services/export-data.ts";
import { PersonForgetting } from "../services/forget-person/forget-person.ts";
import { Forgetting } from "../services/forgetting.ts";
import { createReceipts } from "../services/receipt.ts";
import { Retention } from "../services/retention.ts";
import { type SpokenMessage, sayMessage } from "../services/say-message.ts";
import { skillRuns } from "../services/skill-runs.ts";
import { SkillService } from "../services/skill-service.ts";
import { StoredAudit } from "../services/stored-audit.ts";
import type { TeachingService } from "../services/teaching.ts";
import { readAudit } from "../services/turn-audit.ts";
import type { Feed } from "../turns/feed.ts";
import type { StoredOpenings } from "../turns/openings.ts";
import type { PastThreads } from "../turns/past-threads.ts";
import type { Recordings } from "../turns/replay/recorded-turn.ts";
import { createReplay } from "../turns/replay/replay-turn.ts";
import type { Spending } from "../turns/spending.ts";
import type { Submit } from "../turns/submit.ts";
import type { TurnControl } from "../turns/turn-control.ts";
import type { Follow } from "../turns/turn-events.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";
import { Reviewing } from "./packages/reviewing.ts";

/** A value that people can choose, with what it means. */
interface Choice {
  text: string;
  /** Empty if the text says it. */
  description: string;
}

/**
 * A value that a person gives with a command: a field where a platform has fields, words in the text of the command elsewhere. The text
 * has the values in the order of the options.
 */
export interface CommandOption {
  /** One word in lower case, with hyphens. */
  name: string;
  /** What to give, in at most 100 characters. */
  description: string;
  required?: true;
  /** Text by default. A flag is written `--name`. */
  type?: "text" | "number" | "flag";
  /** All values there are, at most 25. */
  choices?: readonly Choice[];
  /** The values that a channel has. Only the first option is completed. */
  complete?(services: Services, namespace: string): Promise<Choice[]>;
  /** How help shows it, if not as `<name>`, `[name]` or its choices. */
  usage?: string;
}

/** A slash command in help and completion. */
export interface CompletableCommand {
  /** `skill enable`, without the slash. */
  name: string;
  options: readonly CommandOption[];
  /** Everybody sees what it did. */
  public?: true | undefined;
  /** Its options as help shows them: `<skill>`. */
  usage: string;
  description: string;
  /** The command whose entry in help and completion also covers this one. */
  partOf?: string | undefined;
}

/** The parts of the app that operations share with turns. */
interface SharedParts {
  ports: TurnPorts;
  platforms: ChatPlatforms;
  channelIndex: ChannelIndex;
  feed: Feed;
  openings: StoredOpenings;
  past: PastThreads;
  recordings: Recordings;
  /** Accepts a message or command. */
  submit: Submit;
  follow: Follow;
  control: TurnControl;
  /** There is work. */
  wake(): void;
  spending: Spending;
  usage: TurnLog["usage"];
  schedules: ScheduleService;
  /** Undefined where no skills are made in the chat. */
  teaching: TeachingService | undefined;
  runner: TurnRunner;
  /** The slash commands of all operations. */
  commands: readonly CompletableCommand[];
}

/** What operations work with. No service checks who calls: `runOperation` has done that. */
export type Services = ReturnType<typeof openServices>;

export function openServices(deps: AppDeps, shared: SharedParts) {
  const { log, store, clock, logger, redact, catalogue, limits, index, copies, servers } = deps;
  const { packages = noPackages, prepared = noPreparedPackages, meter = noMeter } = deps;
  const { due, sealed } = deps.schedules;
  const { ports, platforms, feed, openings, past, control, wake, schedules, spending, runner } = shared;
  const { files, folders, chats, models, offers, grants, rights, picture } = ports;
  const { knowledge } = ports.means;
  const stored = new StoredAudit(store, logger);
  const post = auditChannel(deps.chat.audit_channel, platforms);
  const audit = new Audit({ logger, clock, redact, stored, post });
  const ofTurns = { log, store, clock, logger, files, folders, feed, past, platforms, audit, control };
  const forgetting = new Forgetting(ofTurns);
  const ofPerson = { index, copies, servers, due, sealed, stored, openings, knowledge, forgetting };
  return {
    ...pick(deps, "clock", "store", "catalogue", "servers", "profiles"),
    ...pick(deps, "addFlow", "newId", "time_zone", "version"),
    ...pick(shared, "feed", "control", "schedules", "spending", "submit", "follow", "usage"),
    ...pick(shared, "teaching", "channelIndex", "commands"),
    // The name people call the bot by, and the configured effort.
    ...pick(ports, "grants", "offers", "models", "folders", "name", "effort"),
    audit,
    packages,
    prepared,
    stored,
    reviewing: new Reviewing(),
    goals: schedules.goals,
    skills: new SkillService({ catalogue, store, clock, packages, prepared, offers, grants, rights }),
    readAudit: (after: FinishedPosition) => readAudit(deps, stored, after),
    receipt: createReceipts(deps, chats.actions),
    replay: createReplay(log, shared.recordings, models, redact, { clock, limits, meter, picture }),
    turns: storedTurns(log, feed),
    runs: (filter: TurnFilter) => skillRuns(log, filter),
    changeSettings: createChangeSettings(deps, spending),
    namespaces: (platform: string) => log.namespaces(platform),
    threads: (namespace: string) => log.threads(namespace),
    approvals: new Approvals({ log, store, clock, audit, platforms, wake }),
    say: (message: SpokenMessage) => sayMessage(platforms, chats, message),
    forget: forgetting.forget,
    people: new PersonForgetting({ ...ofTurns, ...ofPerson }),
    exportData: (namespace?: string) =>
      exportData({ log, store, clock, redact, due, knowledge, stored }, namespace),
    retention: new Retention({ ...deps, past, files, folders, stored }),
    preview: (...asked: Parameters<TurnRunner["preview"]>) => runner.preview(...asked),
  };
}

function storedTurns(log: TurnLog, feed: Feed) {
  return {
    get: (turnId: string) => log.get(turnId),
    list: (filter: TurnFilter) => log.list(filter),
    /** The events of a turn so far, including those of a running turn that are not stored yet. */
    async events(turn: TurnRecord): Promise<TurnEvent[]> {
      const tail = turn.status === "finished" ? [] : feed.tail(turn.turn_id);
      return [...(await log.read(turn.turn_id)), ...tail].filter((event) => !isInternal(event));
    },
  };
}
