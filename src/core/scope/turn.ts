import type { Opening, PastThread } from "../log/transcript.ts";
import type { TurnEvent, TurnEventBodyOf, TurnOutcome } from "../log/turn-event.ts";
import type { Signal } from "../log/turn-log.ts";
import type { Chats } from "../ports/chat-platform.ts";
import type { DocumentReader } from "../ports/documents.ts";
import type { Models, PartUses } from "../ports/model.ts";
import type { Schedules } from "../ports/schedules.ts";
import type { Clock, FileStore, KeyValue } from "../ports/storage.ts";
import type { Teaching } from "../ports/teaching.ts";
import type { Web } from "../ports/web.ts";
import type { CodeMeans, FoundExchanges, WorkMeans } from "../ports/work-means.ts";
import type { WorkingFolders } from "../ports/working-folder.ts";
import type { Catalogue } from "../skill/catalogue.ts";
import type { OfferReader } from "../skill/make-offer.ts";
import type { NamespaceState } from "../skill/namespace-state.ts";
import type { NetworkGrants } from "../skill/network-grants.ts";
import type { CodeRunner, ScriptRunner } from "../skill/programs.ts";
import type { Skill } from "../skill/skill.ts";
import type { Rights, RolesOf } from "../skill/skill-identifier.ts";
import { type Outcome, WorkEnded } from "../values/failure.ts";
import type { ApprovalRules, Author, BackgroundWork, Cause, LookedAt, Mention } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type { Effort, KeptImage, MessageContext, MessageImage } from "../values/message.ts";
import type { Place } from "../values/place.ts";
import type { CountTokens, PinnedFact, Profile, WhereText } from "../values/profile.ts";
import type { Redactor } from "../values/redact.ts";
import type { SaidLine } from "../values/said-line.ts";

/** Hard limits of a turn. Token counts are approximate; times are in milliseconds. */
export interface TurnLimits {
  /** Maximum model calls. */
  max_rounds: number;
  max_tool_calls: number;
  /** Maximum concurrent tool calls of one response. */
  max_concurrent: number;
  /** Tokens of one tool output that the model sees; `read_file` reads the rest. */
  tool_output_tokens: number;
  /** Maximum size of a transcript before a new one opens. */
  transcript_tokens: number;
  /** Tokens of the person's message that the model sees. */
  message_tokens: number;
  /** Maximum tokens of the list of available skills. */
  skill_list_tokens: number;
  /** Maximum tokens for tools of the bot's own skills that are available without activation. */
  open_tools_tokens: number;
  /** How long a question to a person stays open. */
  question_ms: number;
  /** How long an approval stays open. */
  approval_ms: number;
  /** How long a turn retries by itself when its model is unavailable; 0 fails at once. */
  away_retry_ms: number;
  /** How long after that the bot still asks, once the model is back, whether the answer is wanted; 0 fails instead. */
  away_ask_ms: number;
}

/** The end of a turn. */
export interface TurnEnd {
  outcome: TurnOutcome;
  text: string;
  error?: { code: string; message: string };
  /** As in `turn_finished`. */
  refused?: true | undefined;
}

/** Abort reason of a turn that reached its deadline. */
export class DeadlineError extends WorkEnded {
  constructor(message: string) {
    super("deadline", message);
  }
}

/** One inbound message and its answer. Immutable. */
export interface Turn {
  turn_id: string;
  place: Place;
  author: Author;
  text: string;
  /** Set when a schedule or trigger started the turn. */
  cause?: Cause | undefined;
  /** When the message was sent, ms since the epoch. */
  said_at: number;
  /** Where the message was sent, in words. */
  where: WhereText;
  /** The platform's id of the message that the turn answers (`Origin.message`). */
  message?: string | undefined;
  /** People mentioned in the message, without the bot. */
  mentions?: readonly Mention[] | undefined;
  /** What the person looked at when they wrote the message. */
  looking_at?: readonly LookedAt[] | undefined;
  /** Context read with the message in its place. */
  context?: MessageContext | undefined;
  /** The agent that answers. */
  profile: Profile;
  /** Its sub-run answers without the conversation of the thread, because the message names it. */
  direct?: boolean | undefined;
  /** The first message of a sub-run that works for another agent. `text` remains the person's. */
  task?: string | undefined;
  profiles: readonly Profile[];
  /** All stored events of the turn; entry 0 is the inbound. A resumed turn has more. */
  events: readonly TurnEvent[];
  /** The thread's conversation before the turn. */
  past: PastThread;
  /** When the turn ends at the latest unless it waits, ms since the epoch: `signal` is aborted then. */
  deadline: number;
  limits: TurnLimits;
  /** The reader of the answer runs the bot and sees the full reason of a model failure; a channel gets a plain message. */
  detailed_errors: boolean;
  /** The environment of code that the model writes; undefined where no code can run. */
  code?: CodeMeans | undefined;
  /** Ids of skills that a person requested by name: active in this turn, whatever the namespace says. */
  asked?: readonly string[] | undefined;
  /** The skills at the start of the turn; fixed from then on. */
  catalogue: Catalogue;
  /** Aborts the model stream, tools and child processes. */
  signal: AbortSignal;
  link: TurnLink;
}

/** The person's own words in a turn; empty if an agent wrote its text, as it does for work in the background. */
export function saidIn({ text, cause }: Pick<Turn, "text" | "cause">): string {
  return cause?.background === undefined ? text : "";
}

/** Stores transcript openings by their content. */
export interface Openings {
  /** Stores the opening unless it exists already; returns its name, and one object for all that put the same. */
  put(opening: Opening): Promise<readonly [name: string, opening: Opening]>;
  /** Undefined when it is missing: a transcript that begins with it then cannot be continued. */
  get(name: string): Promise<Opening | undefined>;
}

/** How work in the background ended. */
export interface BackgroundEnd {
  /** The agent's id, and the beginning of its task. */
  agent: string;
  task: string;
  /** Its answer, or why there is none. */
  text: string;
  /** The only person who may read it, by id. */
  only_for?: string | undefined;
}

/** Sub-runs that are turns of their own: their thread goes on meanwhile. */
export interface Background {
  /**
   * Begins one with the rights of the turn's author, once for each key. Undefined if `most` are working in the thread already.
   */
  begin(
    turn: Pick<Turn, "turn_id" | "place" | "author" | "said_at" | "mentions" | "events">,
    work: { key: string; task: string; most: number; means: BackgroundWork },
  ): Promise<Outcome<string> | undefined>;
  /** Undefined while it works. */
  ended(turnId: string): Promise<BackgroundEnd | undefined>;
}

/** What turns need that the app only passes on. */
export interface GivenPorts {
  /** The name that people call the bot by. */
  name: string;
  /** Template of the instructions; see `buildInstructions`. */
  instructions: string;
  /** Default reasoning effort where neither channel nor agent sets one; undefined leaves it to the provider. */
  effort: Effort | undefined;
  saidLine: SaidLine;
  models: Models;
  files: FileStore;
  web: Web;
  /** The services that skills use. */
  means: WorkMeans;
  scripts: ScriptRunner | undefined;
  /** Runs code that models write; undefined where that is not offered. */
  code: CodeRunner | undefined;
  /** The files of threads. */
  folders: WorkingFolders;
  documents: DocumentReader;
  grants: NetworkGrants;
  /** Who may use a skill or tool that is restricted. */
  rights: Rights;
  /** The operator's own rules for approvals. */
  approvals: ApprovalRules;
  /** Hosts whose addresses need no approval: names, `*.` for subdomains, with a port where it is not the default. */
  openHosts: readonly string[];
  /** The part of a host that one owner probably controls, equal for all its hosts. */
  siteOf(host: string): Promise<string>;
  countTokens: CountTokens;
  /** The declared variables of a skill that the operator has set. */
  environmentOf(skill: Skill): Readonly<Record<string, string>>;
  /** Reports an unexpected error that was turned into a result or an outcome. */
  report(error: unknown, where: string): void;
}

/** Everything that turns need from outside core; all turns of an app share it. */
export interface TurnPorts extends GivenPorts {
  store: KeyValue;
  clock: Clock;
  /**
   * The output of a call in an earlier turn of the thread, the text of an earlier long message (`message:TURN_ID`) or of an answer
   * (`answer:TURN_ID`). Undefined when it does not exist or was deleted. Outputs of private turns are returned only to `asker`, a person's id.
   */
  pastOutput(place: Place, callId: string, asker: string | undefined): Promise<Json | undefined>;
  /** The server's time zone, an IANA name. */
  time_zone: string;
  /** Removes secrets from the text that models get and the log keeps. */
  redact: Redactor;
  /** The openings of transcripts, each stored once. */
  openings: Openings;
  /**
   * The uses of the shared parts of prompts, by model and part. Only the price depends on it, so each process remembers its own, and
   * forgets them when it ends.
   */
  partUses: { get(part: string): PartUses | undefined; set(part: string, uses: PartUses): unknown };
  /** Facts that people pinned in a namespace, oldest first. */
  facts(namespace: string): Promise<readonly PinnedFact[]>;
  /** Number of turns of a thread that have been deleted so far. */
  deletions(place: Place): Promise<number>;
  offers: OfferReader;
  /** A picture that a message keeps; undefined when it is no longer available. */
  picture(image: KeptImage): Promise<MessageImage | undefined>;
  /** Searches the earlier conversations of a namespace. */
  searchPast(
    namespace: string,
    query: { words: string; most: number; except_thread?: string | undefined },
    signal: AbortSignal,
  ): Promise<FoundExchanges>;
  /** Schedules for the agent; undefined where it cannot schedule anything. */
  schedules?: Schedules | undefined;
  /** Skills made in the chat; undefined where none can be. */
  teaching?: Teaching | undefined;
  /** The chats that the bot is in. */
  chats: Chats;
  /** The roles of a person on the platform of a place. */
  rolesOf: RolesOf;
  background: Background;
}

/** What reaches one turn while it runs. */
export interface TurnLink {
  /**
   * Queued messages of the turn's author in this thread. `said_at` is ms since the epoch. A message is taken once it is recorded in a
   * `steered` event. A message with files belongs to a turn of its own, which reads them, unless it answers a question (`readWhole`).
   */
  steering(): Promise<
    { turn_id: string; text: string; author: Author; said_at: number; has_files: boolean }[]
  >;
  /**
   * The text of a message of `steering`, with the paths of its files, which it puts into the folder, or what a recording says; and what
   * transcribing has used.
   */
  readWhole(
    turnId: string,
    signal: AbortSignal,
  ): Promise<{ text: string; usage: readonly TurnEventBodyOf<"usage">[] }>;
  signals(): Promise<readonly Signal[]>;
  /** Why nothing more may be spent in a channel with these settings or by this person; undefined when the budget allows it. */
  overBudget(settings: NamespaceState["settings"]): Promise<string | undefined>;
}
