import type { Opening, PastThread } from "../log/transcript.ts";
import type { TurnEvent, TurnOutcome } from "../log/turn-event.ts";
import type { Signal } from "../log/turn-log.ts";
import type { Chats } from "../ports/chat-platform.ts";
import type { DocumentReader, Transcriber } from "../ports/documents.ts";
import type { Models } from "../ports/model.ts";
import type { Schedules } from "../ports/schedules.ts";
import type { Clock, FileStore, KeyValue } from "../ports/storage.ts";
import type { Web } from "../ports/web.ts";
import type { CodeMeans, PastConversations, WorkMeans } from "../ports/work-context.ts";
import type { WorkingFolders } from "../ports/working-folder.ts";
import type { Catalogue } from "../skill/catalogue.ts";
import type { OfferReader } from "../skill/make-offer.ts";
import type { NetworkGrants } from "../skill/network-grants.ts";
import type { CodeRunner, ScriptRunner } from "../skill/programs.ts";
import type { Skill } from "../skill/skill.ts";
import type { Rights, RolesOf } from "../skill/skill-identifier.ts";
import type { Author, Cause, Mention } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Effort, KeptImage, MessageContext, MessageImage } from "../values/message.ts";
import type { Place } from "../values/place.ts";
import type { CountTokens, PinnedFact, Profile, WhereText } from "../values/profile.ts";
import type { Redactor } from "../values/redact.ts";
import type { SaidLine } from "../values/said-line.ts";

/** Hard limits of a turn. Tokens are counted roughly; times are milliseconds. */
export interface TurnLimits {
  /** Model calls. */
  max_rounds: number;
  max_tool_calls: number;
  /** Tool calls of one response that run at the same time. */
  max_concurrent: number;
  /** What the model sees of one tool output; the rest stays readable through `read_file`. */
  tool_output_tokens: number;
  /** What a transcript may have before another one begins. */
  transcript_tokens: number;
  /** What the model sees of the person's message. */
  message_tokens: number;
  /** Room for the list of available skills. */
  skill_list_tokens: number;
  /** Room for the tools of the bot's own skills that are there without activation. */
  open_tools_tokens: number;
  /** How long a question to a person stays open. */
  question_ms: number;
  /** How long a turn tries again by itself when its model does not answer; 0 fails at once. */
  away_retry_ms: number;
  /** How long after that a model that is back makes the bot ask whether the answer is still wanted; 0 fails instead. */
  away_ask_ms: number;
}

/** How a turn ends that is neither stopped nor broken. */
export interface TurnEnd {
  outcome: TurnOutcome;
  text: string;
  error?: { code: string; message: string };
}

/** The reason with which a turn's signal is aborted at its deadline. */
export class DeadlineError extends Error {
  readonly code = "deadline";
}

/** One inbound message → one answer. Immutable. */
export interface Turn {
  turn_id: string;
  place: Place;
  author: Author;
  text: string;
  /** Set when a schedule or trigger began it. */
  cause?: Cause | undefined;
  /** When it was said, ms since the epoch. */
  said_at: number;
  /** Where it was said, in words. */
  where: WhereText;
  /** The platform's id of the message it answers (`Origin.message`). */
  message?: string | undefined;
  /** Whom the message mentions, without the bot. */
  mentions?: readonly Mention[] | undefined;
  /** What was read with the message where it was said. */
  context?: MessageContext | undefined;
  /** The agent that begins; `handoff` may give the turn to another one of `profiles`. */
  profile: Profile;
  profiles: readonly Profile[];
  /** Everything stored of the turn so far; entry 0 is the inbound. More than that on resume. */
  events: readonly TurnEvent[];
  /** What was said before in the thread. */
  past: PastThread;
  /** When the turn ends whatever happens, ms since the epoch: `signal` is aborted then. What expires with the turn is bounded by it. */
  deadline: number;
  limits: TurnLimits;
  /** Whoever reads the answer runs the bot, and is told in full why a model failed; a channel gets plain words. */
  detailed_errors: boolean;
  /** What code that the model writes finds here; undefined where none can run. */
  code?: CodeMeans | undefined;
  /** Ids of skills a person asked for by name: active in this turn, whatever the namespace says. */
  asked?: readonly string[] | undefined;
  /** The skills as they were when the turn began; they stay so. */
  catalogue: Catalogue;
  /** Aborts the model stream, tools and child processes. */
  signal: AbortSignal;
}

/** Keeps what transcripts open with, named by its content. */
export interface Openings {
  /** Stores it unless it is there already; answers its name. */
  put(opening: Opening): Promise<string>;
  /** Undefined when it is not there: then a transcript that begins with it cannot go on. */
  get(name: string): Promise<Opening | undefined>;
}

/** What a turn needs from outside. */
export interface TurnPorts {
  /** The name people call the bot by. */
  name: string;
  /** The text that instructions are made from, with `{{name}}`, `{{place}}`, `{{formatting}}` and `{{cannot}}`. */
  instructions: string;
  /** How hard models think where neither channel nor agent says so; the provider decides unless given. */
  effort: Effort | undefined;
  /** Writes down what people say in voice messages. */
  transcriber: Transcriber;
  /** The server's time zone, an IANA name. */
  time_zone: string;
  saidLine: SaidLine;
  /** Takes secrets out of what a model is sent and the log keeps. */
  redact: Redactor;
  /** What transcripts open with, each stored once. */
  openings: Openings;
  /** What people pinned in a namespace, oldest first. */
  facts(namespace: string): Promise<readonly PinnedFact[]>;
  /** How many turns of a thread have been deleted so far. */
  deletions(place: Place): Promise<number>;
  models: Models;
  offers: OfferReader;
  store: KeyValue;
  files: FileStore;
  /** A picture that a message keeps; undefined when it cannot be had any more. */
  picture(image: KeptImage): Promise<MessageImage | undefined>;
  /**
   * The output of a call in an earlier turn of the thread, the text of an earlier long message (`message:TURN_ID`) or of a file
   * (`file:NAME`). Undefined when there is none, or when it was forgotten. Outputs of private turns are there for `asker`, a person's id,
   * alone.
   */
  pastOutput(place: Place, callId: string, asker: string | undefined): Promise<Json | string | undefined>;
  web: Web;
  /** What skills work with beside it. */
  means: WorkMeans;
  /** Searches earlier conversations; undefined where there are none. */
  conversations?: PastConversations | undefined;
  /** How the agent plans to come back; undefined where nothing can be planned. */
  schedules?: Schedules | undefined;
  scripts: ScriptRunner | undefined;
  /** Runs code that models write; undefined where that is not offered at all. */
  code: CodeRunner | undefined;
  /** The files of threads. */
  folders: WorkingFolders;
  documents: DocumentReader;
  /** The chats the bot is in. */
  chats: Chats;
  grants: NetworkGrants;
  /** Who may use what, where not everybody may. */
  rights: Rights;
  /** The roles of somebody on the platform of a place. */
  rolesOf: RolesOf;
  /** Hosts that any address may lead to: names, `*.` for subdomains, with a port where it is not the usual one. */
  openHosts: readonly string[];
  clock: Clock;
  countTokens: CountTokens;
  /** The declared variables of a skill that the operator has set. */
  environmentOf(skill: Skill): Readonly<Record<string, string>>;
  /**
   * Queued messages of the turn's author in this thread. `said_at` is ms since the epoch. Those answered with a `steered` event are taken. One with files is
   * better left to its own turn, which reads them: its text here has only their names.
   */
  steering(): Promise<
    { turn_id: string; text: string; author: Author; said_at: number; has_files: boolean }[]
  >;
  signals(): Promise<readonly Signal[]>;
  /** Why no more may be spent here and by this person; undefined when it may. */
  overBudget(): string | undefined;
  /** An unexpected error that was turned into a result or an outcome. */
  report(error: unknown, where: string): void;
}
