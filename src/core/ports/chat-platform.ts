/**
 * What the app needs of a chat platform. A platform parses what it receives into a `ChatIntake`, renders what it is given here,
 * and keeps its own limits; everything else (whom to answer, when, what to show) is the app's, once for all platforms.
 */

import type { ApprovalVerdict } from "../log/turn-view.ts";
import type { Author, FileReference } from "../values/inbound.ts";
import type { Place } from "../values/place.ts";
import type { ChatActions, FoundMessages, MessageQuery, ThreadMessage } from "./chat-actions.ts";

/** Sizes and times of a platform. */
export interface PlatformLimits {
  /** Characters of Markdown that fit into one message. */
  message_characters: number;
  /** The same for a message of an answer, where more fits into one. */
  answer_characters?: number;
  /** Least time between two edits of one message, ms. */
  edit_interval_ms: number;
  /** Largest file that can be uploaded, bytes. */
  file_bytes: number;
  /**
   * Set where messages of the purpose `progress` notify nobody. Edits notify nobody either, so there the progress of a turn is a message
   * of its own, which is taken away when the answer begins. Elsewhere one message, of the purpose `answer`, grows from progress to answer.
   */
  posts_quietly?: true;
}

/** Characters of Markdown that fit into one message of an answer. */
export function answerRoom({ message_characters, answer_characters }: AnswerLimits): number {
  return answer_characters ?? message_characters;
}

type AnswerLimits = Pick<PlatformLimits, "message_characters" | "answer_characters">;

/** How to write on a platform, in sentences for a model. */
export interface PlatformWriting {
  /** What people call the platform: `Slack`. */
  name: string;
  /** What of standard Markdown is shown, and what becomes of the rest. */
  formatting: string;
  /** What becomes of a mention that the bot writes. */
  mentions: string;
}

/**
 * What a message of the bot is for: `private` is an answer in the direct messages of its asker. With turn and part it names the message,
 * so that it is found again after a crash.
 */
export interface MessageTag {
  turn_id: string;
  purpose: "answer" | "private" | "progress" | "question" | "approval" | "sent";
  /** 0 for the first; long answers have several, and a turn may send several messages beside its answer. */
  part: number;
}

/** A button. A platform stores `writeButtonId(action)` with it, and hands that back with a press. */
export interface OutgoingButton {
  action: ButtonAction;
  /** At most 75 characters. */
  label: string;
  style?: "primary" | "danger";
  /**
   * It belongs behind a menu ("⋯"): one control that lists all such buttons of the message by their labels, beside the others. A platform
   * without menus shows it as a small button after the others. A choice or press of it is handed back like that of a button.
   */
  menu?: true;
}

/** Progress and text of a message as one Markdown text, for where no tasks are shown. */
export function wordsOf({ progress, markdown }: Pick<OutgoingMessage, "progress" | "markdown">): string {
  return [progress?.markdown, markdown].filter(Boolean).join("\n\n");
}

export interface OutgoingFile {
  name: string;
  media_type: string;
  data: Uint8Array;
}

/**
 * Progress of a turn: it stands above the text of the turn's one message. Platforms that show tasks natively show its parts; all
 * others show `markdown`, which says the same in words.
 */
export interface ProgressCard {
  /** What it does now; when it is `done`, what it did: `3 steps, 12 s`. */
  title: string;
  /** All lines while there is no answer yet; one line above an answer. At most 100 characters above an answer. */
  markdown: string;
  steps: readonly {
    id: string;
    title: string;
    state: "running" | "ok" | "error";
    /** A short line: what it does now, or its result. */
    note?: string | undefined;
    duration_ms?: number | undefined;
  }[];
  /** The turn has ended: shown as the one line of its title. There are no steps then. */
  done: boolean;
}

/** A message of the bot. Platforms neutralise mentions of everyone in it, and render standard Markdown as they can. */
export interface OutgoingMessage {
  /** Absent for messages nobody looks for again: refusals, greetings, notices. */
  tag?: MessageTag;
  /** Empty while a turn has shown nothing but its progress. */
  markdown: string;
  /** Shown as text alone, without blocks, components or tables: the platform has refused another form of it. */
  plain?: true;
  progress?: ProgressCard;
  /** A last line with a time (ms since the epoch) where it says `{time}`, shown in the zone of who reads it. */
  timed?: { text: string; at: number };
  buttons?: readonly OutgoingButton[];
  files?: readonly OutgoingFile[];
  /** A person, platform user id, whom the message is for: the platform calls them. */
  mention?: string;
  /**
   * People and groups, by platform id, whom the text itself may call where it says `<@ID>` or `<@&ID>`; every other mention in it is
   * shown as text.
   */
  calls?: readonly string[];
}

/** What a message answers. */
export interface ReplyTarget {
  /** The platform's id of the message, slash command or click (`Origin.message`); absent where nobody wrote one. */
  message?: string | undefined;
  /** Who is answered, platform user id. */
  person: string;
}

/** An answer that grows while the model writes it. Calls are made one after the other. */
export interface AnswerStream {
  /** The message it grows in. */
  readonly reference: string;
  /** @param calls as `OutgoingMessage.calls` */
  append(markdown: string, calls?: readonly string[]): Promise<void>;
  /** Shows what the turn does, above the text, in the same message. */
  progress(card: ProgressCard): Promise<void>;
  /** Ends it with the whole message, which replaces what was streamed where the two differ. */
  finish(message: OutgoingMessage): Promise<void>;
  /** Takes the message away: what was streamed is void. */
  cancel(): Promise<void>;
}

/** What a person is to the workspace, beside their trust. */
export interface ChatPerson extends Author {
  /**
   * `guest`: invited to single channels; `outsider`: of another company (Slack Connect); `stranger`: shares no server with the bot;
   * `bot`: no person.
   */
  standing: "member" | "guest" | "outsider" | "stranger" | "bot";
  /** Platform role ids (Discord roles, Slack user groups if known). */
  roles: readonly string[];
}

/** Somebody who may decide what asks for approval. */
export interface Decider {
  /** Platform user id. */
  id: string;
  /** Whether they see what is posted in the place. A mention there reaches only those who do. */
  here: boolean;
}

/**
 * The thread of a place that is the channel itself: greetings, and lines for the audit channel. No platform's thread ids look
 * like this, nobody writes in it, and no turn belongs to it.
 */
export const channelThread = "channel";

export interface ChatPlatform {
  /** The first part of its namespaces: `slack`. */
  readonly id: string;
  readonly limits: PlatformLimits;
  readonly writing: PlatformWriting;

  /**
   * Posts into the place, making the thread if it does not exist yet. Answers the message's reference. The thread `channel`
   * (`channelThread`) is no thread: what is posted there stands in the channel itself, at top level, and opens none.
   * @throws PlatformError
   */
  post(place: Place, message: OutgoingMessage, to?: ReplyTarget): Promise<string>;
  /** Replaces a message. Its files stay; those it does not show yet are added to it. @throws PlatformError */
  edit(place: Place, reference: string, message: OutgoingMessage): Promise<void>;
  /** Deletes a message; nothing happens when it is gone already. @throws PlatformError */
  remove(place: Place, reference: string): Promise<void>;
  /** Set where what is whispered stands in the place itself, and passes: answers go to direct messages, and a whisper points there. */
  readonly whispers_here?: true;
  /** Says something that only this person sees; where that is not possible, in a direct message. @throws PlatformError */
  whisper(place: Place, person: string, message: OutgoingMessage, to?: ReplyTarget): Promise<void>;
  /** The message with this tag, if an interrupted process had posted it. Looks through the latest messages of the place. */
  find(place: Place, tag: MessageTag): Promise<string | undefined>;
  /** Where the platform streams natively; otherwise messages are edited. `start` is what it shows at first. @throws PlatformError */
  openStream?(
    place: Place,
    tag: MessageTag,
    to: ReplyTarget,
    start: Pick<OutgoingMessage, "markdown" | "progress" | "buttons" | "calls">,
  ): Promise<AnswerStream>;
  /**
   * Shows that the bot works, until it posts; undefined clears it. `note` says what it does now (`Reading orders.csv`), and is empty
   * while nothing is known. Never throws.
   */
  showWorking(place: Place, note: string | undefined, to: ReplyTarget): Promise<void>;
  /** Whether nobody but their author sees what is answered: a slash command. Absent where everybody does. */
  isUnseen?(to: ReplyTarget): boolean;
  /** Where the platform shows by itself that a command will be answered: takes that away. Never throws. */
  dismiss?(to: ReplyTarget): Promise<void>;
  /** Marks a person's message as seen, or takes the mark away. Never throws. */
  markSeen(place: Place, message: string, seen: boolean): Promise<void>;
  /** Who this is, and what they may do in the place. Answers from a cache where it can. @throws PlatformError */
  person(place: Place, personId: string): Promise<ChatPerson>;
  /** The latest messages of a thread, oldest first, root included; Discord: the reply chain too. @throws PlatformError */
  readThread(place: Place, limit: number): Promise<ThreadMessage[]>;
  /** The bytes of a file somebody sent. @throws PlatformError, also when it is larger than `maxBytes` */
  download(
    place: Place,
    file: FileReference,
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<Uint8Array>;
  /** What the agent can do here beside answering; absent where that is nothing. */
  readonly actions?: ChatActions;
  /**
   * People who may decide what asks for this approver in the place, those who see it first; at most 20. Empty where the platform does
   * not tell. Never throws.
   */
  deciders?(place: Place, approver: "manager" | "operator"): Promise<readonly Decider[]>;
  /** What the channel is called and about. Never throws. */
  describe(place: Place): Promise<{ name?: string; topic?: string }>;
}

/**
 * Why the platform did not do it. `unavailable` and `rate_limited` pass by themselves; `gone` (channel, message or thread deleted,
 * bot removed), `forbidden` (missing permission or scope, token revoked), `invalid` (refused as malformed), `too_large` and
 * `blocked` (a moderation rule of the server forbids these words) do not.
 */
export type PlatformErrorCode =
  | "unavailable"
  | "rate_limited"
  | "gone"
  | "forbidden"
  | "invalid"
  | "too_large"
  | "blocked";

export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  /** How long the platform asked to wait, ms. */
  readonly retryAfterMs: number | undefined;
  /** @param message for a person: what failed and what to do */
  constructor(
    code: PlatformErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The platforms of this process, by the namespaces they have. */
export interface ChatPlatforms {
  add(platform: ChatPlatform): void;
  of(namespace: string): ChatPlatform | undefined;
}

export function createChatPlatforms(): ChatPlatforms {
  const platforms = new Map<string, ChatPlatform>();
  return {
    add(platform) {
      platforms.set(platform.id, platform);
    },
    of: (namespace) => platforms.get(namespace.slice(0, namespace.indexOf(":"))),
  };
}

/** A message of the bot, and whose turn it was made in. */
interface OwnMessage {
  turn_id: string;
  /** Platform id of the person the turn was for. */
  author: string;
  /** It is part of the turn's answer, rather than sent beside it. */
  answer: boolean;
}

/**
 * The chats the bot is in, as its tools reach them. All of it is done as the bot: `effects/create-chat-work.ts` decides first whether the person the turn
 * is for may have it done. Rejects with `PlatformError`.
 */
export interface Chats {
  /** Undefined where nothing can be done. */
  actions(namespace: string): ChatActions | undefined;
  search(namespace: string, query: MessageQuery): Promise<FoundMessages>;
  /** Answers the message's reference. A message that an interrupted process posted under its tag is found instead of posted again. */
  send(place: Place, message: OutgoingMessage & { tag: MessageTag }): Promise<string>;
  edit(place: Place, reference: string, message: OutgoingMessage): Promise<void>;
  /** Deletes a message of the bot; one that is part of an answer with its turn, so that nothing later repeats it. */
  remove(place: Place, reference: string, by: Author): Promise<void>;
  /** Which recent turn a message of the bot belongs to. */
  ownMessage(namespace: string, reference: string): Promise<OwnMessage | undefined>;
}

/** What a press of one of the bot's buttons does. How a button is shown follows from its role. */
export type ButtonAction =
  | { role: "stop"; turn_id: string; below: "progress" | "answer" }
  | { role: "details" | "again" | "continue" | "forget"; turn_id: string }
  | { role: "feedback"; turn_id: string; good: boolean }
  /** A choice of the turn's open question, counted from 0. */
  | { role: "answer"; turn_id: string; choice: number }
  | { role: "decide"; approval_id: string; verdict: ApprovalVerdict }
  /** Whether a late message is still wanted; `token` names the question. */
  | { role: "late"; token: string; wanted: boolean };

/**
 * The action as text that a platform stores with the button and hands back with a press: at most 100 characters. Messages keep their
 * buttons for years, so the written form of an action never changes.
 */
export function writeButtonId(action: ButtonAction): string {
  switch (action.role) {
    case "stop":
      return action.below === "progress" ? `stop:${action.turn_id}` : `stop-answer:${action.turn_id}`;
    case "feedback":
      return action.good ? `good:${action.turn_id}` : `bad:${action.turn_id}`;
    case "answer":
      return `answer:${action.turn_id}:${action.choice}`;
    case "decide":
      return `${action.verdict === true ? "approve" : action.verdict || "refuse"}:${action.approval_id}`;
    case "late":
      return action.wanted ? `wanted:${action.token}` : `unwanted:${action.token}`;
    default:
      return `${action.role}:${action.turn_id}`;
  }
}

/** A word and an id, which is a UUID; choices and approvals of a turn are numbered. */
const plain = /^([a-z-]+):([A-Za-z0-9-]{1,64})$/;
const numbered = /^([a-z]+):([A-Za-z0-9-]{1,64}):(\d{1,6})$/;

/** The action of an id that `writeButtonId` wrote, in this version or an earlier one; undefined for anything else. */
export function readButtonId(text: string): ButtonAction | undefined {
  const [, word, id] = plain.exec(text) ?? [];
  if (word !== undefined && id !== undefined) return readPlain(word, id);
  const [, what, turn_id, number] = numbered.exec(text) ?? [];
  return what === undefined || turn_id === undefined || number === undefined
    ? undefined
    : readNumbered(what, turn_id, number);
}

function readPlain(word: string, id: string): ButtonAction | undefined {
  switch (word) {
    case "stop":
      return { role: "stop", turn_id: id, below: "progress" };
    case "stop-answer":
      return { role: "stop", turn_id: id, below: "answer" };
    case "details":
    case "again":
    case "continue":
    case "forget":
      return { role: word, turn_id: id };
    case "good":
    case "bad":
      return { role: "feedback", turn_id: id, good: word === "good" };
    case "wanted":
    case "unwanted":
      return { role: "late", token: id, wanted: word === "wanted" };
    default:
      return undefined;
  }
}

function readNumbered(word: string, turn_id: string, number: string): ButtonAction | undefined {
  const approval_id = `${turn_id}:${number}`;
  switch (word) {
    case "answer":
      return number.length > 3 ? undefined : { role: "answer", turn_id, choice: Number(number) };
    case "approve":
    case "refuse":
      return { role: "decide", approval_id, verdict: word === "approve" };
    case "always":
    case "turn":
    case "never":
      return { role: "decide", approval_id, verdict: word };
    default:
      return undefined;
  }
}

/** The turn that a button belongs to; undefined for the question about a late message, which has none yet. */
export function turnOfButton(action: ButtonAction): string | undefined {
  if (action.role === "late") return undefined;
  return action.role === "decide" ? action.approval_id.split(":")[0] : action.turn_id;
}

/** The key of a turn that answers what another one asked once more. @param press tells one press from another */
export function repeatKey(turnId: string, press: string): string {
  return `again:${turnId}:${press}`.slice(0, 300);
}

/** The turn whose question a turn answers once more, by its key. */
export function repeatedTurn(key: string): string | undefined {
  return /^again:([^:]+):/.exec(key)?.[1];
}
