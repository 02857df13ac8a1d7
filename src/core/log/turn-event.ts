/**
 * Turn events: the only output of core, the entries of the turn log, and the content of the API's streams. Stored events make a turn
 * replayable; ephemeral events (`isEphemeral`) are only seen live.
 *
 * Words used in core:
 * - turn: one inbound message and its answer. Entry 0 of its log is the inbound.
 * - round: one model call of a turn and the tool calls it asks for.
 * - sub-run: an agent that works on a call of another one, or on a message that names it, in a conversation of its own. In the
 *   background it is a turn of the thread, in a line of its own, and its answer is told to a later model call of the thread.
 * - call: one run of a tool, made by the model, a skill or a person. Calls made by a call have it as their parent.
 * - step: a named part of a call whose result is journalled, so that a resumed call does not repeat it.
 * - stage: progress of a call or step that people see.
 * - namespace: the state of one channel or direct message. Thread: one conversation in a namespace.
 * - transcript: a thread's conversation as models get it. It begins with an opening and is only ever appended to.
 * - told: the state of the channel that the transcript has told the model, for comparison with the current state.
 * - offer: the skills and tools of the catalogue as a channel and thread may use them.
 *
 * Invariants:
 * [log-1] One fold applies the events, live and after a crash, so a resumed turn continues exactly where its log ends.
 * [log-2] `seq` increases within a turn, across claims too, whether or not an event was stored.
 * [log-3] An event is stored before the turn continues if a crash would otherwise repeat or lose an effect, and is on disk before a side
 * effect begins.
 * [log-4] After an event that could not be stored, none is.
 * [log-5] What belongs to a call has the same id when the turn is resumed.
 */

import type { Seen } from "../values/address.ts";
import type { CallInWords, OnlyDecider } from "../values/call-arguments.ts";
import type { Binding } from "../values/call-binding.ts";
import type { Allowed, Approver, Inbound, ToolEffect, Trust } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type {
  AssistantMessage,
  CutAnswer,
  Message,
  MessageContext,
  SystemMessage,
  UserMessage,
} from "../values/message.ts";
import type { PictureWords } from "../values/picture-words.ts";
import type { Place } from "../values/place.ts";
import type { Told } from "../values/told.ts";
import type { Untrusted } from "../values/untrusted.ts";
import type { VerdictFields } from "../values/verdict.ts";
import type { Usage } from "./usage.ts";

/** A message that the turn sent, changed or deleted in addition to its answer. */
interface SentEvent {
  did: "sent" | "edited" | "deleted";
  place: Place;
  reference: string;
  link?: string | undefined;
}

/** How a turn ended. After `limit_reached` there is still an answer, which names the limit. */
export type TurnOutcome = "completed" | "stopped" | "limit_reached" | "failed";

/** An event before it gets its turn, sequence number and time. */
export type TurnEventBody =
  | PlainEvent
  /** The sub-run of call `call_id` goes on with a conversation of its own. What its calls do is logged as that of other calls. */
  | { type: "run"; call_id: string; event: ConversationEvent };

/** Stands for the call of the sub-run that answers a message directly. */
export const directRun = "direct";

const conversationTypes = [
  "round_started",
  "model_message",
  "transcript_opened",
  "user_message",
  "transcript_changed",
  "skill_activated",
  "skill_offloaded",
  "model_away",
  "background_ended",
] as const satisfies readonly PlainEvent["type"][];

/** What happens in the conversation with a model. */
export type ConversationEvent = Extract<PlainEvent, { type: (typeof conversationTypes)[number] }>;

type PlainEvent =
  /** Entry 0: the person's message. */
  | { type: "inbound"; inbound: Inbound }
  /** `direct`: the message names an agent, whose sub-run answers it without the conversation of the thread. */
  | { type: "turn_started"; profile: string; model: string; direct?: true | undefined }
  /** A worker resumed the turn after a crash or a wait. */
  | { type: "turn_resumed" }
  /** The turn waits until the tools of these skills are known. `text` is shown to people. */
  | { type: "skills_starting"; skill_ids: string[]; text: string }
  | { type: "round_started"; round: number }
  | { type: "text_delta"; text: string }
  /** Discards the text streamed so far in this round. */
  | { type: "text_reset" }
  /** One plain-text line about the model's current work, in its own words. The next one replaces it. Not part of the answer. */
  | { type: "model_thought"; text: string }
  /**
   * The model's answer is delayed, or another model is asked; `text` tells people why. `until` is when the next attempt is made, ms since
   * the epoch.
   */
  | { type: "model_delayed"; text: string; until?: number | undefined }
  /** The model's provider refuses these tools, so they are not offered. `text` is shown to people. */
  | { type: "tools_left_out"; tools: { tool: string; skill_id: string }[]; text: string }
  /**
   * The complete message of a round. Replaces the text streamed in that round. `note` is one plain-text line that the model wrote beside
   * its text about the calls that follow. It is not part of the conversation.
   */
  | {
      type: "model_message";
      round: number;
      message: AssistantMessage;
      note?: string | undefined;
      model: string;
      /** Why the message is incomplete. */
      cut?: CutAnswer | undefined;
    }
  /**
   * `round`: the round of the turn's own model call; absent for calls that skills, summaries and sub-runs make. `run`: the call whose
   * sub-run had this round.
   */
  | ({ type: "usage"; model: string; round?: number | undefined; run?: string | undefined } & Usage)
  /** A transcript of the thread opens here. */
  | ({ type: "transcript_opened" } & TranscriptOpening)
  /** The person's message as the transcript contains it from now on. */
  | { type: "user_message"; message: UserMessage }
  /** Tells the model about a change since the transcript opened. */
  | { type: "transcript_changed"; message: SystemMessage; told: Partial<Told> }
  /**
   * `by` is `agent`, or the person who requested the skill by name. `guide` is the fingerprint of the guide that the model gets in the
   * result of call `call_id`.
   */
  | {
      type: "skill_activated";
      skill_id: string;
      by: string;
      call_id?: string | undefined;
      guide?: string | undefined;
    }
  | { type: "skill_offloaded"; skill_id: string; by: string }
  | {
      type: "tool_started";
      call_id: string;
      parent_call_id?: string | undefined;
      tool: string;
      title: string;
      skill_id: string;
      /** The effect of the call outside the bot; absent if nothing runs. */
      effect?: ToolEffect | undefined;
      /** Of a call with an effect: what it does in words, why it may run, and the account it uses. */
      deed?: string | undefined;
      allowed?: Allowed | undefined;
      account?: string | undefined;
      /** Rules in trial (`skills.approvals`) that would have had somebody asked: `chat_send: manager`. */
      shadow?: readonly string[] | undefined;
      input: Json;
    }
  /** A call that waited for a person continues: from here on it may have an effect that must not be repeated. */
  | { type: "call_resumed"; call_id: string }
  /** A call stopped running because a person has to answer first. It had no effect after its question. */
  | { type: "call_waiting"; call_id: string }
  | {
      type: "tool_progress";
      call_id: string;
      note: string;
      progress?: number | undefined;
      total?: number | undefined;
    }
  | {
      type: "tool_finished";
      call_id: string;
      tool: string;
      status: "ok" | "error";
      /** The complete output of the tool. An error is `{error, hint?}`. */
      output: Json;
      /** The text that the model gets in place of the output: cut, or with the guide of a skill that this call activated. */
      shown?: string | undefined;
      duration_ms: number;
      /** Set when this output is the user's answer, without a further model call. */
      direct?: true | undefined;
      /** Details for programs, in addition to the output of a flow that answered directly. */
      details?: { [key: string]: Json } | undefined;
      /** Hosts that the call, or its code in a sandbox, sent requests to. */
      hosts?: readonly string[] | undefined;
      /** The kind of addresses in the output, as in `Tool`. */
      finds?: "results" | "links" | "mentions" | undefined;
    }
  /** A call goes to an address that no person named; such requests are counted per site. `page` is the key of the address. */
  | { type: "link_followed"; call_id: string; site: string; page: string }
  | {
      type: "stage";
      call_id: string;
      skill_id: string;
      name: string;
      status: "running" | "completed" | "failed";
    }
  /** Journal entry of a step of a built-in skill; `step` is `name#occurrence`. On resume the step returns this result. */
  | { type: "step_finished"; call_id: string; step: string; result: Json }
  | { type: "skill_output"; skill_id: string; output: Json }
  /** A tool created a file; `url` is its address in the HTTP API. */
  | ({
      type: "file";
      call_id?: string | undefined;
      name: string;
      media_type: string;
      bytes: number;
      url: string;
    } & PictureWords)
  /** A picture that a call looked at. It is a file of the turn, and the model sees it with the call's result. */
  | { type: "picture_shown"; call_id: string; name: string; media_type: string; bytes: number }
  /** Context that the bot read in the place where it was called: the thread so far and the files of the message. */
  | ({ type: "context_read" } & MessageContext)
  /** The call starts a sub-run of the agent `to`; in the background, it is the turn `background`. */
  | { type: "handoff"; from: string; to: string; call_id: string; background?: string | undefined }
  /** The model reads how a sub-run in the background ended, the turn `from_turn`. */
  | { type: "background_ended"; from_turn: string; message: UserMessage }
  /** From here on, messages of the turn may mention these people and groups, given by platform id. */
  | { type: "people_named"; call_id: string; ids: string[] }
  /**
   * Only the asker may see the turn's answer. `because` says why, for people; `from` is the namespace that was read. Without `call_id`, the
   * conversation already contains such an answer.
   */
  | { type: "answer_private"; call_id?: string | undefined; because: string; from?: string | undefined }
  /** The turn sent, changed or deleted a message in addition to its answer, in `place`. */
  | ({ type: "message_sent"; call_id: string } & SentEvent)
  /** `earlier`: turns whose messages were said before it was asked, so that they do not answer it. */
  | {
      type: "question_asked";
      question_id: string;
      text: string;
      choices: string[];
      expires_at: number;
      earlier?: string[] | undefined;
    }
  | { type: "question_answered"; question_id: string; text: string; by: string }
  /** `approver` is the minimum for deciding: the asker, or a person of at least this trust. */
  | {
      type: "approval_requested";
      approval_id: string;
      call_id: string;
      tool: string;
      skill_id: string;
      input: Json;
      /** The question for people; if absent, whether the tool may run with this input. */
      question?: string | undefined;
      /** The reason for asking, one sentence or more for people. */
      reason?: string | undefined;
      /** Name in lists and refusals, where it differs from `tool`. Quotes nothing of a conversation. */
      label?: string | undefined;
      /** The call in words; absent if a skill asks in its own words. */
      says?: CallInWords | undefined;
      /** Progress text of a call that has not started, as in `tool_started`. */
      title?: string | undefined;
      /** What "always here" and "never" would apply to; absent if every call asks. */
      binds?: Binding | undefined;
      /** The files that the call names, with the content that the decision holds for. */
      files?: readonly AskedFile[] | undefined;
      /** Keys of web addresses that nobody named and that a request would go to. Their hosts can be allowed for the whole turn. */
      addresses?: readonly string[] | undefined;
      approver: Trust | Approver;
      /** Decides alone, whatever `approver` says. */
      person?: OnlyDecider | undefined;
      expires_at: number;
    }
  /**
   * `by` is empty if nobody decided in time; `name` is the display name. `edited`: the text that runs in place of the quoted one.
   * `replaced`: nobody can decide it any more, because the call or its files have changed and were asked about again.
   */
  | ({
      type: "approval_decided";
      approval_id: string;
      by: string;
      name?: string | undefined;
      edited?: string | undefined;
      replaced?: true | undefined;
    } & VerdictFields)
  /** An approval card in the direct messages of a person who may decide it (`person`); `place` is where. */
  | { type: "approval_shown"; approval_id: string; person: string; place: Place; reference: string }
  /**
   * The model did not answer, for a temporary reason. `text` is shown to people; `since` is the start of the outage (ms since the epoch),
   * `rounds` the number of rounds before it, `until` the time of the next attempt.
   */
  | {
      type: "model_away";
      code: string;
      message: string;
      text: string;
      since: number;
      rounds: number;
      until?: number | undefined;
    }
  /** The turn frees its worker and waits for a person, or for its model, until `until` (ms since the epoch). */
  | { type: "turn_waiting"; until: number }
  /** A further message of the asker, taken into the running turn; `shown` is its text for the model. */
  | { type: "steered"; text: string; by: string; from_turn: string; shown?: string | undefined }
  /** `interrupted`: the turn cannot continue at the moment and is kept; only live watchers see this event. */
  | { type: "error"; code: string; message: string }
  /** The turn's work is done and its answer is being posted. Nothing in the turn is run again. */
  | {
      type: "answer_ready";
      outcome: TurnOutcome;
      text: string;
      output?: Json | undefined;
      private?: true | undefined;
    }
  /** A message of the bot was posted. `reference` is the platform's id of the message; `place` is where, if not the turn's place. */
  | { type: "message_posted"; purpose: string; part: number; reference: string; place?: Place | undefined }
  | {
      type: "turn_finished";
      outcome: TurnOutcome;
      text: string;
      /** Output of a command for programs. */
      output?: Json | undefined;
      /** The turn that took this message in, so that it got no answer of its own. */
      merged_into?: string | undefined;
      /** Only the person who asked sees it: help, listings and refusals of commands. */
      private?: true | undefined;
      /** For a command whose effect everybody in the thread sees: a chat platform posts nothing. */
      silent?: true | undefined;
      /** The turn ended before its first model call, with the reason why it could not start: models never read it. */
      refused?: true | undefined;
      /** Set when the turn was deleted, by this person; its texts are permanently gone. */
      forgotten_by?: string | undefined;
    }
  /**
   * Replaces the deleted run details of a finished turn; only its messages, posts and answer remain. A transcript cannot continue from such
   * a turn.
   */
  | { type: "details_removed" };

/** Why a transcript opens: there is none, it is full, the provider's cache for it is cold, or some of its text was deleted. */
export type OpeningReason = "first" | "full" | "cold" | "deleted";

/** A file that people are asked about. */
export interface AskedFile {
  name: string;
  media_type: string;
  bytes: number;
  /** Identifies its content. */
  sha256: string;
  /** Its name among the files of the turn, and where operators open it; absent if it is not kept. */
  stored?: string | undefined;
  url?: string | undefined;
}

/** How a transcript opens. */
export interface TranscriptOpening {
  /** Name of the stored instructions and initial tools. */
  opening: string;
  because: OpeningReason;
  /** Number of deleted turns of the thread at that time. The transcript may still contain text that was deleted later. */
  deletions: number;
  /** The messages carried over, without reasoning: a summary, and the latest turns in full. */
  messages: readonly Message[];
  /** The number of these messages, counted from the end, that belong to the running turn. */
  own: number;
  /** The summary, and the latest turn it covers. */
  summary?: { text: string; through_turn: string } | undefined;
  /** Turns that work in the background and whose end the model has not been told. */
  background?: readonly string[] | undefined;
  /** Skills that the agent had activated and that stay active. */
  active: readonly string[];
  /** Skills that are active by default and that the agent offloaded. */
  offloaded: readonly string[];
  /** Untrusted parts of the previous transcript, which the summary may repeat; absent if the messages and the summary show them. */
  untrusted?: readonly Untrusted[] | undefined;
  /** Addresses that the thread has shown so far. */
  seen: Seen;
}

/**
 * A turn event as stored and streamed. `seq` increases within a turn, across restarts too, and is unique; there may be gaps. `at` is ms
 * since the epoch.
 */
export type TurnEvent = TurnEventBody & { turn_id: string; seq: number; at: number };

/**
 * Takes the events of a turn, one after the other. Resolves once the turn may continue after the event; rejects when the turn is given up or the
 * event cannot be stored.
 */
export type Emit = (event: TurnEventBody) => Promise<void>;

/** The event with a given `type`. */
export type TurnEventOf<T extends TurnEventBody["type"]> = Extract<TurnEvent, { type: T }>;

/** One kind of event by its `type`, before it is stored. */
export type TurnEventBodyOf<T extends TurnEventBody["type"]> = Extract<TurnEventBody, { type: T }>;

const internal: ReadonlySet<TurnEventBody["type"]> = new Set([
  "transcript_opened",
  "transcript_changed",
  "user_message",
  "background_ended",
  "call_resumed",
  "call_waiting",
  "link_followed",
  "picture_shown",
  "details_removed",
]);

/** Whether the event only serves to replay the turn. People who watch see its content in other events. */
export function isInternal(event: TurnEventBody): boolean {
  return internal.has(unwrapped(event).type);
}

const ofConversation: ReadonlySet<TurnEventBody["type"]> = new Set(conversationTypes);

/** Whether the event is part of a conversation with a model. */
export function isOfConversation(event: TurnEventBody): event is ConversationEvent {
  return ofConversation.has(event.type);
}

/** The event; for one of a sub-run's conversation, the event in it. */
export function unwrapped(event: TurnEventBody): PlainEvent {
  return event.type === "run" ? event.event : event;
}

/** The events that remain of a finished turn when its run details are deleted: its messages, posts and answer. */
export const withoutDetails: readonly TurnEventBody["type"][] = [
  "inbound",
  "turn_started",
  "steered",
  "file",
  "message_posted",
  "message_sent",
  "error",
  "turn_finished",
  "details_removed",
];

const ephemeral: ReadonlySet<TurnEventBody["type"]> = new Set([
  "skills_starting",
  "text_delta",
  "text_reset",
  "model_thought",
  "model_delayed",
  "tool_progress",
]);

/** Whether the event only goes to live watchers: the log does not store it, so a stream cannot resume after it. */
export function isEphemeral(event: TurnEventBody): boolean {
  return ephemeral.has(event.type) || (event.type === "error" && event.code === "interrupted");
}
