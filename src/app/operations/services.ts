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
import type { Planning } from "../schedules/keep-plans.ts";
import type { Approvals } from "../services/approvals.ts";
import type { Audit } from "../services/audit.ts";
import type { ChannelIndex } from "../services/channel-index.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";
import type { ForgetPerson } from "../services/forget-person/forgotten-person.ts";
import type { Retention } from "../services/retention-policy.ts";
import type { SayMessage } from "../services/say-message.ts";
import type { Forget } from "../services/shapes.ts";
import type { SkillRun } from "../services/skill-runs.ts";
import type { SkillService } from "../services/skill-service.ts";
import type { Feed } from "../turns/feed.ts";
import type { PreviewPrompt } from "../turns/prompt-preview.ts";
import type { Submit } from "../turns/submit.ts";
import type { TurnControl } from "../turns/turn-control.ts";
import type { Follow } from "../turns/turn-events.ts";

/** Takes a flow's file in for as long as the bot runs, and answers the id it has as a skill, or why it is no flow. */
export type AddFlow = (
  text: string,
  path: string,
) => Promise<{ ok: true; id: string } | { ok: false; reason: string }>;

/** What help and completion tell of a slash command. */
export interface CompletableCommand {
  /** `skill enable`, without the slash. */
  name: string;
  /** What follows the name, as help shows it: `<skill>`. */
  usage: string;
  description: string;
  /** The command whose usage line documents this one. */
  partOf?: string | undefined;
  /** What the first word after the name may be. */
  complete?(services: Services, namespace: string): Promise<{ text: string; description: string }[]>;
}

/** What operations work with. None of it asks who calls: `runOperation` has asked. */
export interface Services {
  audit: Audit;
  feed: Feed;
  clock: Pick<Clock, "now">;
  store: KeyValue;
  catalogue: CatalogueLoader;
  skills: SkillService;
  grants: NetworkGrants;
  offers: OfferReader;
  packages: Packages;
  /** Packages that operators install for code in the sandbox. */
  prepared: PreparedPackages;
  /** Absent where flows come from folders alone. */
  addFlow?: AddFlow | undefined;
  /** The tool servers of the configuration; absent where there can be none. */
  servers: Servers | undefined;
  /** Makes ids that are unique for ever. */
  newId(): string;
  /** Takes a message or command in, and what happens in its turn. */
  submit: Submit;
  follow: Follow;
  turns: {
    get(turnId: string): Promise<TurnRecord | undefined>;
    list(filter: TurnFilter): Promise<TurnRecord[]>;
    /** What happened in a turn so far, the live tail of a running one included. */
    events(turn: TurnRecord): Promise<TurnEvent[]>;
  };
  schedules: Planning;
  /** The files of threads. */
  folders: WorkingFolders;
  /** The executions of skills in the turns of a filter, the latest first. */
  runs(filter: TurnFilter): Promise<SkillRun[]>;
  changeSettings: ChangeSettings;
  /** The name people call the bot by, and Knack's version. */
  name: string;
  version: string;
  models: Models;
  /** The agents; the first one begins where a channel does not say otherwise. */
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
  /** Takes a turn away for good, with what it posted. */
  forget: Forget;
  forgetPerson: ForgetPerson;
  retention: Pick<Retention, "status" | "run">;
  /** The slash commands of all operations. */
  commands: readonly CompletableCommand[];
  preview: PreviewPrompt;
}
