import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { ThreadRecord, TurnFilter, TurnLog, TurnRecord } from "../../core/log/turn-log.ts";
import type { Models } from "../../core/ports/model.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import type { CatalogueLoader } from "../../core/skill/catalogue.ts";
import type { OfferReader } from "../../core/skill/make-offer.ts";
import type { NetworkGrants } from "../../core/skill/network-grants.ts";
import type { Packages, PreparedPackages, Servers } from "../../core/skill/packages.ts";
import type { Effort } from "../../core/values/message.ts";
import type { Profile } from "../../core/values/profile.ts";
import type { Goals } from "../schedules/goals.ts";
import type { Plans } from "../schedules/keep-plans.ts";
import type { Approvals } from "../services/approvals.ts";
import type { Audit } from "../services/audit.ts";
import type { ChannelIndex } from "../services/channel-index.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";
import type { ForgetPerson } from "../services/forget-person/forgotten-person.ts";
import type { MakeReceipt } from "../services/receipt.ts";
import type { Retention } from "../services/retention-policy.ts";
import type { SayMessage } from "../services/say-message.ts";
import type { Forget } from "../services/shapes.ts";
import type { SkillRun } from "../services/skill-runs.ts";
import type { SkillService } from "../services/skill-service.ts";
import type { TeachingService } from "../services/teaching.ts";
import type { ReadAudit } from "../services/turn-audit.ts";
import type { Feed } from "../turns/feed.ts";
import type { PreviewPrompt } from "../turns/prompt-preview.ts";
import type { ReplayTurn } from "../turns/replay/replay-turn.ts";
import type { Spending } from "../turns/spending.ts";
import type { Submit } from "../turns/submit.ts";
import type { TurnControl } from "../turns/turn-control.ts";
import type { Follow } from "../turns/turn-events.ts";

/** Adds the file of a flow until the bot stops. Returns its id as a skill, or why it is not a flow. */
export type AddFlow = (
  text: string,
  path: string,
) => Promise<{ ok: true; id: string } | { ok: false; reason: string }>;

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

/** What operations work with. No service checks who calls: `runOperation` has done that. */
export interface Services {
  audit: Audit;
  feed: Feed;
  clock: Pick<Clock, "now" | "after">;
  store: KeyValue;
  catalogue: CatalogueLoader;
  skills: SkillService;
  /** Absent where no skills are made in the chat. */
  teaching: TeachingService | undefined;
  grants: NetworkGrants;
  offers: OfferReader;
  packages: Packages;
  /** Packages that operators install for code in the sandbox. */
  prepared: PreparedPackages;
  /** Absent where flows come from folders alone. */
  addFlow?: AddFlow | undefined;
  /** The configured tool servers; absent where servers are impossible. */
  servers: Servers | undefined;
  /** Returns a unique id. */
  newId(): string;
  /** Accepts a message or command. */
  submit: Submit;
  follow: Follow;
  readAudit: ReadAudit;
  receipt: MakeReceipt;
  replay: ReplayTurn;
  turns: {
    get(turnId: string): Promise<TurnRecord | undefined>;
    list(filter: TurnFilter): Promise<TurnRecord[]>;
    /** The events of a turn so far, including those of a running turn that are not stored yet. */
    events(turn: TurnRecord): Promise<TurnEvent[]>;
  };
  schedules: Plans;
  goals: Goals;
  /** The files of threads. */
  folders: WorkingFolders;
  /** Executions of skills in the turns that match a filter, newest first. */
  runs(filter: TurnFilter): Promise<SkillRun[]>;
  changeSettings: ChangeSettings;
  /** The name people call the bot by, and Knack's version. */
  name: string;
  version: string;
  models: Models;
  /** For model calls outside of turns, and what channels may spend. */
  spending: Spending;
  /** The agents; the first one is the default of channels. */
  profiles: readonly [Profile, ...Profile[]];
  /** The configured effort. */
  effort: Effort | undefined;
  /** The zone of channels that have none of their own, IANA name. */
  time_zone: string;
  namespaces(platform: string): Promise<string[]>;
  threads(namespace: string): Promise<ThreadRecord[]>;
  usage: TurnLog["usage"];
  control: TurnControl;
  approvals: Approvals;
  channelIndex: ChannelIndex;
  /** Posts on a chat platform without a turn. */
  say: SayMessage;
  /** Deletes a turn permanently, with its posts. */
  forget: Forget;
  forgetPerson: ForgetPerson;
  retention: Pick<Retention, "status" | "run">;
  /** The slash commands of all operations. */
  commands: readonly CompletableCommand[];
  preview: PreviewPrompt;
}
