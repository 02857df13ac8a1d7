/**
 * The port to a chat platform. A platform parses incoming events into a `ChatIntake`, renders outgoing messages, and enforces its own
 * limits. Everything else (whom to answer, when, what to show) is the app's task, once for all platforms.
 */

import { turnOfApproval } from "../log/call-id.ts";
import type { Author, FileReference } from "../values/inbound.ts";
import type { PictureWords } from "../values/picture-words.ts";
import type { Place } from "../values/place.ts";
import { type Verdict, verdicts } from "../values/verdict.ts";
import type {
  ChatActions,
  FoundMessages,
  MessageQuery,
  OutgoingPoll,
  Searcher,
  ThreadMessage,
} from "./chat-actions.ts";

/** Limits of a platform. */
export interface PlatformLimits {
  /** Maximum characters of Markdown in one message. */
  message_characters: number;
  /** The same for a message of an answer, if the limit is higher. */
  answer_characters?: number;
  /** Minimum interval between two edits of one message, ms. */
  edit_interval_ms: number;
  /** Maximum size of an uploaded file, bytes. */
  file_bytes: number;
  /** Tables that people can page through, sort and filter; larger ones, and those of other platforms, are cut and attached. */
  tables?: { rows: number; columns: number; characters: number };
  /**
   * Set if messages with the purpose `progress` notify nobody. Edits notify nobody either, so the progress of a turn is a message of its
   * own, which is removed when the answer begins. On other platforms one message, with the purpose `answer`, grows from progress to answer.
   */
  posts_quietly?: true;
}

/** Maximum characters of Markdown in one message of an answer. */
export function answerRoom({
  message_characters,
  answer_characters = message_characters,
}: Pick<PlatformLimits, "message_characters" | "answer_characters">): number {
  return answer_characters;
}

/** How to write on a platform, in sentences for a model. */
export interface PlatformWriting {
  /** The platform's name for people: `Slack`. */
  name: string;
  /** Which standard Markdown is rendered, and how the rest is shown. */
  formatting: string;
  /** How a mention written by the bot is shown. */
  mentions: string;
}

/**
 * The purpose of a bot message; `private` is an answer in the direct messages of its asker. Together with turn and part it identifies the
 * message, so that it is found again after a crash.
 */
export interface MessageTag {
  turn_id: string;
  purpose: "answer" | "private" | "progress" | "question" | "approval" | "reminder" | "sent";
  /** 0 for the first. Long answers have several parts, and a turn may send several messages in addition to its answer. */
  part: number;
}

/** A button. A platform stores `writeButtonId(action)` with it, and passes that back when the button is pressed. */
export interface OutgoingButton {
  action: ButtonAction;
  /** Maximum 75 characters. */
  label: string;
  style?: "primary" | "danger";
  /**
   * Belongs in a menu ("⋯"): one control next to the other buttons that lists all such buttons of the message by their labels. A platform
   * without menus shows it as a small button after the others. Choosing it is reported like a press.
   */
  menu?: true;
}

/** Progress and text of a message as one Markdown text, for platforms that do not show tasks. */
export function wordsOf({ progress, markdown }: Pick<OutgoingMessage, "progress" | "markdown">): string {
  return [progress?.markdown, markdown].filter(Boolean).join("\n\n");
}

export interface OutgoingFile extends PictureWords {
  name: string;
  media_type: string;
  data: Uint8Array;
}

/**
 * Progress of a turn, shown above the text of the turn's message. Platforms with native tasks show its parts; all others show `markdown`,
 * which has the same content.
 */
export interface ProgressCard {
  /** The current activity; if `done`, a summary: `3 steps, 12 s`. */
  title: string;
  /** All lines while there is no answer yet; a single line of at most 100 characters above an answer. */
  markdown: string;
  steps: readonly {
    id: string;
    title: string;
    state: "running" | "ok" | "error";
    /** A short line: the current activity, or the result. */
    note?: string | undefined;
    duration_ms?: number | undefined;
  }[];
  /** The turn has ended: only the title is shown, and there are no steps. */
  done: boolean;
}

/** A message of the bot. Platforms neutralise mentions of everyone in it, and render standard Markdown as far as they can. */
export interface OutgoingMessage {
  /** Absent for messages that are never looked up again: refusals, greetings, notices. */
  tag?: MessageTag | undefined;
  /** Empty while a turn has shown only its progress. */
  markdown: string;
  /** Shown as plain text, without blocks, components or tables, because the platform refused the richer form. */
  plain?: true | undefined;
  progress?: ProgressCard | undefined;
  /** A last line in which `{time}` is replaced by a time (ms since the epoch), in the reader's time zone. */
  timed?: { text: string; at: number } | undefined;
  buttons?: readonly OutgoingButton[] | undefined;
  files?: readonly OutgoingFile[] | undefined;
  /** A poll beside the text, which may be empty; only on platforms that have polls (`ChatActions.polls`). */
  poll?: OutgoingPoll | undefined;
  /** Platform user id of the person that the message is for; the platform mentions them. */
  mention?: string | undefined;
  /** Nobody asked for this whisper: if the person cannot get it, nothing is shown in its place. */
  unasked?: true | undefined;
  /** This whisper takes the place of the message whose button it answers, where the platform can do that. */
  closes?: true | undefined;
  /** People and groups, by platform id, that the text may mention as `<@ID>` or `<@&ID>`. All other mentions in it are shown as text. */
  calls?: readonly string[] | undefined;
}

/** What the bot does in a conversation. */
export type ConversationState = "working" | "waiting" | "idle";

/** The message and person that a message answers. */
export interface ReplyTarget {
  /** The platform's id of the message, slash command or click (`Origin.message`); absent if there is none. */
  message?: string | undefined;
  /** The person who is answered, platform user id. */
  person: string;
}

/** An answer that grows while the model writes it. Calls are made one after the other. */
export interface AnswerStream {
  /** The message that it is written to. */
  readonly reference: string;
  /** @param calls as `OutgoingMessage.calls` */
  append(markdown: string, calls?: readonly string[]): Promise<void>;
  /** Shows the progress of the turn above the text, in the same message. */
  progress(card: ProgressCard): Promise<void>;
  /** Completes the stream with the whole message, which replaces the streamed text where the two differ. */
  finish(message: OutgoingMessage): Promise<void>;
  /** Deletes the message; the streamed text is discarded. */
  cancel(): Promise<void>;
}

/** A person's status in the workspace, in addition to their trust. */
export interface ChatPerson extends Author {
  /**
   * `guest`: invited to single channels; `outsider`: from another company (Slack Connect); `stranger`: shares no server with the bot;
   * `bot`: not a person.
   */
  standing: "member" | "guest" | "outsider" | "stranger" | "bot";
  /** Platform role ids (Discord roles, Slack user groups if known). */
  roles: readonly string[];
}

/** A person who may decide an approval. */
export interface Decider {
  /** Platform user id. */
  id: string;
  /** Whether they see messages in the place. A mention there only reaches people who do. */
  here: boolean;
}

/**
 * The thread id that denotes the channel itself: for greetings, and lines in the audit channel. It differs from all thread ids of
 * platforms; nobody writes in it, and no turn belongs to it.
 */
export const channelThread = "channel";

/** Signs of what the bot does, apart from messages. No method throws. */
interface ChatSigns {
  /**
   * Shows that the bot is working, until it posts a message; undefined clears the sign. `note` is the current activity (`Reading
   * orders.csv`), empty if unknown.
   */
  showWorking(place: Place, note: string | undefined, to: ReplyTarget): Promise<void>;
  /**
   * Shows the state of a conversation where the platform lists conversations with agents and offers people its own way to stop them, which
   * arrives as `ChatIntake.stopped`. Called at each change. `waiting`: for a person. `title` names a conversation that is new.
   */
  showState?(place: Place, state: ConversationState, title: string): Promise<void>;
  /** Removes the platform's own sign that a command will be answered. */
  dismiss?(to: ReplyTarget): Promise<void>;
  /** Marks a person's message as seen, or removes the mark. */
  markSeen(place: Place, message: string, seen: boolean): Promise<void>;
}

export interface ChatPlatform extends ChatSigns {
  /** The first part of its namespaces: `slack`. */
  readonly id: string;
  readonly limits: PlatformLimits;
  readonly writing: PlatformWriting;

  /**
   * Posts to the place, creating the thread if necessary. Returns the message's reference. The thread `channel` (`channelThread`) means the
   * channel itself: the message is posted at top level and opens no thread.
   * @param stillWanted called right before the message is sent; throws if it must not be any more
   * @throws PlatformError
   */
  post(place: Place, message: OutgoingMessage, to?: ReplyTarget, stillWanted?: () => void): Promise<string>;
  /** Replaces a message. Its files stay, and new ones are added. @throws PlatformError */
  edit(place: Place, reference: string, message: OutgoingMessage): Promise<void>;
  /** Deletes a message; no-op if it no longer exists. @throws PlatformError */
  remove(place: Place, reference: string): Promise<void>;
  /** Set if a whisper appears in the place itself and is temporary: answers then go to direct messages, and a whisper points to them. */
  readonly whispers_here?: true;
  /** Sends a message that only this person sees; if the platform cannot do that, a direct message. @throws PlatformError */
  whisper(place: Place, person: string, message: OutgoingMessage, to?: ReplyTarget): Promise<void>;
  /** The message with this tag, if an interrupted process has posted it. Searches the latest messages of the place. */
  find(place: Place, tag: MessageTag): Promise<string | undefined>;
  /**
   * Opens a native stream, if the platform has one; otherwise messages are edited. `start` is the initial content. @throws PlatformError
   */
  openStream?(
    place: Place,
    tag: MessageTag,
    to: ReplyTarget,
    start: Pick<OutgoingMessage, "markdown" | "progress" | "buttons" | "calls">,
  ): Promise<AnswerStream>;
  /** Whether only the author of a command sees the reply to it, as for a slash command. Absent where everybody does. */
  isUnseen?(to: ReplyTarget): boolean;
  /** A person and their permissions in the place; from a cache if possible. @throws PlatformError */
  person(place: Place, personId: string): Promise<ChatPerson>;
  /** The latest messages of a thread, oldest first, root included; on Discord also the reply chain. @throws PlatformError */
  readThread(place: Place, limit: number): Promise<ThreadMessage[]>;
  /** The bytes of a file that a person sent. @throws PlatformError, including for files larger than `maxBytes` */
  download(
    place: Place,
    file: FileReference,
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<Uint8Array>;
  /** The agent's actions in addition to answering; absent if there are none. */
  readonly actions?: ChatActions;
  /**
   * People who may decide an approval for this approver in the place, starting with those who see the place; at most 20. Empty if the
   * platform does not tell. Never throws.
   */
  deciders?(place: Place, approver: "manager" | "operator"): Promise<readonly Decider[]>;
  /** Name and topic of the channel. Never throws. */
  describe(place: Place): Promise<{ name?: string | undefined; topic?: string | undefined }>;
}

/**
 * Why the platform refused. `unavailable` and `rate_limited` are temporary. `gone` (channel, message or thread deleted, bot removed),
 * `forbidden` (missing permission or scope, token revoked), `invalid` (malformed), `too_large` and `blocked` (a moderation rule of the
 * server forbids this text) are not.
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

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.code === "unavailable" || this.code === "rate_limited";
  }
}

export type ChatPlatforms = ReturnType<typeof createChatPlatforms>;

/** The platforms of this process, by their namespaces. */
export function createChatPlatforms() {
  const platforms = new Map<string, ChatPlatform>();
  return {
    add(platform: ChatPlatform): void {
      platforms.set(platform.id, platform);
    },
    of: (namespace: string) => platforms.get(namespace.slice(0, namespace.indexOf(":"))),
  };
}

/** A message of the bot, with its turn. */
interface OwnMessage {
  turn_id: string;
  /** Platform id of the person the turn was for. */
  author: string;
  /** True for a part of the turn's answer, false for a message sent in addition. */
  answer: boolean;
}

/**
 * The chats that the bot is in, for its tools. All actions are done as the bot: `effects/create-chat-work.ts` first checks whether the
 * person the turn is for may have them done. Rejects with `PlatformError`.
 */
export interface Chats {
  /** Undefined if no actions are available. */
  actions(namespace: string): ChatActions | undefined;
  search(namespace: string, query: MessageQuery, by: Searcher): Promise<FoundMessages>;
  /** Returns the message's reference. A message that an interrupted process already posted under its tag is found and not posted again. */
  send(place: Place, message: OutgoingMessage & { tag: MessageTag }): Promise<string>;
  edit(place: Place, reference: string, message: OutgoingMessage): Promise<void>;
  /** Deletes a message of the bot. If it is part of an answer, its turn is deleted too, so that nothing repeats the text later. */
  remove(place: Place, reference: string, by: Author): Promise<void>;
  /** As `ChatPlatform.download`. */
  download: ChatPlatform["download"];
  /** The recent turn that a message of the bot belongs to. */
  ownMessage(namespace: string, reference: string): Promise<OwnMessage | undefined>;
}

/** The effect of one of the bot's buttons. A button's appearance follows from its role. */
export type ButtonAction =
  | { role: "stop"; turn_id: string; below: "progress" | "answer" }
  | { role: "details" | "again" | "continue" | "teach" | "forget"; turn_id: string }
  | { role: "feedback"; turn_id: string; good: boolean }
  /** A choice of the turn's open question, counted from 0. */
  | { role: "answer"; turn_id: string; choice: number }
  | { role: "decide"; approval_id: string; verdict: Verdict }
  /** Opens a form with the quoted text of an approval; submitting it approves the call with the changed text. */
  | { role: "edit"; approval_id: string }
  /** Shows the exact arguments of an approval. */
  | { role: "arguments"; approval_id: string }
  /** Whether a late message is still wanted; `token` names the question. */
  | { role: "late"; token: string; wanted: boolean }
  /** The reply to an offer to answer; `token` names the offer. `never`: no more offers to this person; `again` takes that back. */
  | { role: "offer"; token: string; reply: OfferReply };

export type OfferReply = "yes" | "no" | "never" | "again";

/** The first word of a button's id, the kind of id that follows, and what else the action has. Messages keep their buttons for years. */
const buttons: readonly (readonly [word: string, id: "turn_id" | "approval_id" | "token", fixed: object])[] =
  [
    ["stop", "turn_id", { role: "stop", below: "progress" }],
    ["stop-answer", "turn_id", { role: "stop", below: "answer" }],
    ...["details", "again", "continue", "teach", "forget"].map(
      (role) => [role, "turn_id", { role }] as const,
    ),
    ["good", "turn_id", { role: "feedback", good: true }],
    ["bad", "turn_id", { role: "feedback", good: false }],
    ...Object.entries(verdicts).map(
      ([verdict, { word }]) => [word, "approval_id", { role: "decide", verdict }] as const,
    ),
    ...["edit", "arguments"].map((role) => [role, "approval_id", { role }] as const),
    ["wanted", "token", { role: "late", wanted: true }],
    ["unwanted", "token", { role: "late", wanted: false }],
    ...["yes", "no", "never", "again"].map(
      (reply) => [`offer-${reply}`, "token", { role: "offer", reply }] as const,
    ),
  ];

/**
 * The action as text that a platform stores with the button and passes back when it is pressed: at most 100 characters. The written form
 * of an action never changes.
 */
export function writeButtonId(action: ButtonAction): string {
  if (action.role === "answer") return `answer:${action.turn_id}:${action.choice}`;
  const given: Readonly<Record<string, unknown>> = action;
  const found = buttons.find(([, , fixed]) =>
    Object.entries(fixed).every(([name, value]) => given[name] === value),
  );
  return found === undefined ? "" : `${found[0]}:${given[found[1]]}`;
}

/** A word and an id, which is a UUID. Choices and approvals of a turn also have a number. */
const buttonId = /^([a-z-]+):([A-Za-z0-9-]{1,64})(?::(\d{1,6}))?$/;

/** The action of an id written by `writeButtonId`, in this version or an earlier one; undefined for anything else. */
export function readButtonId(text: string): ButtonAction | undefined {
  const [, word, id = "", number] = buttonId.exec(text) ?? [];
  if (word === "answer")
    return number === undefined || number.length > 3
      ? undefined
      : { role: "answer", turn_id: id, choice: Number(number) };
  const [, kind = "", fixed] = buttons.find(([each]) => each === word) ?? [];
  if (fixed === undefined || (kind === "approval_id") !== (number !== undefined)) return undefined;
  return { ...fixed, [kind]: number === undefined ? id : `${id}:${number}` } as ButtonAction;
}

/** The turn that a button belongs to; undefined for questions about a message that has no turn yet. */
export function turnOfButton(action: ButtonAction): string | undefined {
  if (action.role === "late" || action.role === "offer") return undefined;
  return "approval_id" in action ? turnOfApproval(action.approval_id) : action.turn_id;
}

/** The key of a turn that answers an earlier turn's question again. @param press distinguishes several presses */
export function repeatKey(turnId: string, press: string): string {
  return `again:${turnId}:${press}`.slice(0, 300);
}

/** The turn whose question is answered again, from the key of the new turn. */
export function repeatedTurn(key: string): string | undefined {
  return /^again:([^:]+):/.exec(key)?.[1];
}
