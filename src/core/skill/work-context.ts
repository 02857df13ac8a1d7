/** What the shipped skills may do in a call, apart from running steps, asking people and models, and the web. */

import type {
  ChannelAccess,
  ChannelHistory,
  ChannelMessage,
  ChannelSummary,
  FoundMessages,
  FoundReference,
  KnownGroup,
  KnownPerson,
  MessageQuery,
  OutgoingPoll,
  TimeRange,
} from "../ports/chat-actions.ts";
import type { ReadContent } from "../ports/documents.ts";
import type { PlanChange, PlannedView, Proposal, Wish } from "../ports/schedules.ts";
import type {
  Drawn,
  Embeddings,
  FoundPiece,
  KnownDocument,
  KnownPiece,
  MadeImages,
  WantedChart,
  WantedImage,
} from "../ports/services.ts";
import type { Draft, DryRun, Lesson, TaughtCheck } from "../ports/teaching.ts";
import type { WebFindings, WebQuery } from "../ports/web.ts";
import type { CodeLanguage, CodeMeans, FoundExchanges, ScriptOutcome } from "../ports/work-means.ts";
import type { WorkingFile } from "../ports/working-folder.ts";
import type { Outcome } from "../values/failure.ts";

/** Services for the shipped skills, in addition to the web. Costs are counted, and limited by the budget of the channel. */
export interface WorkContext {
  /** Actions in the chat in addition to answering, with the rights of the person the turn is for. */
  chat: ChatWork;
  /** Schedules for the person of the turn, in its channel; absent where scheduling is not available. */
  schedules?: PlanningContext | undefined;
  /** Skills that are made in the chat; absent where none can be. */
  teaching?: TeachingContext | undefined;
  threadFiles: ThreadFiles;
  /** Searches with every available engine, including the model provider's own. @throws SkillFailure if none answers */
  searchWeb(query: WebQuery): Promise<WebFindings>;
  /** @throws SkillFailure with the reason for people */
  makeImages(wanted: WantedImage): Promise<MadeImages>;
  drawChart(chart: WantedChart): Promise<Drawn>;
  /** As `Charts.picture`. */
  drawSvg(svg: string, width?: number): Promise<Drawn>;
  /** Undefined where no code can run. */
  code: CodeWork | undefined;
  /** Vectors of texts; undefined if none are available. */
  embed(texts: readonly string[]): Promise<Embeddings | undefined>;
  /** Undefined where no documents are stored. */
  knowledge: ChannelKnowledge | undefined;
  /** Earlier conversations of this channel with the bot, in other threads. */
  searchPast(words: string, most: number): Promise<FoundExchanges>;
}

/** The files of the thread, for skills to read. Skills write through `ToolContext.file` and `inFolder`. */
export interface ThreadFiles {
  list(): Promise<readonly WorkingFile[]>;
  /**
   * The content of a file: text, table, document or picture. `path` is a path in the working folder, or only the name of a file.
   * @throws SkillFailure `no_such_file` with the nearest names, `not_readable`
   */
  content(path: string): Promise<Exclude<ReadContent, { kind: "unreadable" }> & { path: string }>;
  /** Its bytes. @throws SkillFailure `no_such_file`, `file_too_large` */
  bytes(path: string): Promise<{ path: string; data: Uint8Array }>;
}

/** Code run for a skill in the same way as the agent's own code: in the sandbox, on the working folder of the thread. */
export interface CodeWork {
  /** The environment of the code. */
  means: CodeMeans;
  /**
   * Runs a whole program. The person gets the files it leaves in its output folder (`KNACK_OUTPUT_DIR`). `notes` list these files, one line
   * each. If the code can reach hosts and the agent has read untrusted text, a person is asked first.
   */
  run(program: {
    language: CodeLanguage;
    code: string;
    /** The rest of the call's text: the code also sees the files that it names. */
    about?: string;
    timeout_ms?: number;
  }): Promise<{ outcome: ScriptOutcome; notes: readonly string[] }>;
}

/** The channel's knowledge from documents. */
export interface ChannelKnowledge {
  add(document: { title: string; source: string }, pieces: readonly KnownPiece[]): Promise<KnownDocument>;
  list(): Promise<readonly KnownDocument[]>;
  remove(ids: readonly number[]): Promise<readonly KnownDocument[]>;
  search(words: string, most: number): Promise<readonly FoundPiece[]>;
}

/** A sent message. */
interface SentMessage {
  /** Its place in words: `#random`, `a direct message to Cleo`. */
  where: string;
  /** Its id, for changing it later in this channel. */
  id: string;
  link?: string | undefined;
}

/** A message to send. */
interface NewMessage {
  text: string;
  /** A channel by name, a person by name or id, or `here`: this channel itself, outside the thread. */
  to: string;
  /** A message of this channel, whose thread receives the new message; only with `here`. */
  thread?: string | undefined;
  /** Paths in the working folder. */
  files: readonly string[];
  /** Makes it a poll; the text is the question. */
  poll?: Omit<OutgoingPoll, "question"> | undefined;
}

/**
 * Actions of tools in the chat, with the rights of the person the turn is for. Every method fails with a `SkillFailure`, for the model, if
 * that person may not have it done or the platform does not support it.
 */
export interface ChatWork {
  /** Posts a message. A message to another place first asks the person, with its exact text and place. */
  send(message: NewMessage): Promise<SentMessage>;
  /** Replaces the text of a message that the bot posted for this person, or for anybody if they manage the channel. */
  edit(reference: string, text: string): Promise<void>;
  /** Deletes such a message. */
  remove(reference: string): Promise<void>;
  /** Channels that the person and the bot can read, by name. */
  channels(): Promise<readonly ChannelSummary[]>;
  /**
   * A channel by its name or namespace; by default the channel of the turn. Fails in the same way for a channel that does not exist and for
   * one that the person may not read.
   */
  channel(name?: string): Promise<ChannelAccess>;
  /**
   * Reads messages. The content of another channel goes to the asking person only, and the content of a private channel stays there, except
   * for the person's direct messages. `alone`: the answer is private in any case.
   */
  read(
    channel: ChannelAccess,
    what: TimeRange & { thread?: string | undefined; most: number; alone?: boolean | undefined },
  ): Promise<ChannelHistory>;
  /** Searches a channel, under the rules of `read`. Its author may be given by name, too. */
  search(channel: ChannelAccess, query: MessageQuery): Promise<FoundMessages>;
  /**
   * Searches everything that the person may read, with the platform's own search. In a channel only public channels are searched, and the
   * answer is for the person alone. `message` is absent where the bot cannot read it itself. Fails where there is no such search.
   */
  searchAll(query: MessageQuery): Promise<(FoundReference & { message?: ChannelMessage })[]>;
  people(
    words: string,
    most: number,
  ): Promise<{ people: readonly KnownPerson[]; groups: readonly KnownGroup[]; more: boolean }>;
  /**
   * Lets messages of the turn mention these people and groups, given by id or by a name that nobody else has. Those mentioned in the
   * person's own message are allowed; for others the person is asked.
   */
  name(called: readonly string[]): Promise<{ id: string; name: string; mention: string }[]>;
  /** Adds or removes the bot's reaction to a message of this channel. */
  react(reference: string, emoji: string, on: boolean): Promise<void>;
  pin(reference: string, on: boolean): Promise<void>;
  /**
   * Copies a file of a message of this channel into the working folder of the thread, if the person may read the channel. Returns its path.
   * @throws SkillFailure if the message has no such file, or it is too large
   */
  file(reference: string, name: string): Promise<string>;
  /** A message of this channel; `this` is the message that the turn answers, `last` the bot's latest one in the thread. */
  message(reference: string): Promise<ChannelMessage>;
}

/** `Schedules` for one call. If a proposal needs approval, the tool has to ask before it adds the plan. */
export interface PlanningContext {
  /**
   * `whom`: the name or id of the person whom a reminder is for. `asks` is also set if text that the model read may be the origin of the
   * wish, or if the person's message does not name `whom`. @throws SkillFailure unless that is one person
   */
  plan(wish: Wish, whom?: string): Promise<Outcome<Proposal>>;
  /**
   * One call adds one plan, however often it is run. Asks the person whom it is for, and waits as `approve` does.
   * @throws SkillFailure unless they agree
   */
  add(proposal: Proposal): Promise<Outcome<PlannedView>>;
  list(): Promise<PlannedView[]>;
  change(id: string, to: PlanChange): Promise<Outcome<PlannedView>>;
}

/** `Teaching` for one call. Who keeps a draft has to ask a manager, or an operator, before. */
export interface TeachingContext {
  /** As `Teaching.check`. */
  check(lesson: Lesson): Promise<Outcome<Draft>>;
  /** As `Teaching.dryRun`, with the model of the turn; empty for a guide if there is none. */
  dryRun(draft: Draft): Promise<DryRun[]>;
  /** As `Teaching.keep`. One call keeps one version, however often it is run. */
  keep(
    draft: Draft,
    accepted: { by: string; name: string; checks: readonly TaughtCheck[] },
  ): Promise<Outcome<{ id: string; version: number }>>;
}
