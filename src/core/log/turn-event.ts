/**
 * Turn events: the only output of core, the entries of the turn log, and what the API streams.
 * Stored events make a turn replayable; ephemeral ones (`isEphemeral`) are only seen live.
 */

import type { Seen, Told, Untrusted } from "../values/address.ts";
import type { Binding } from "../values/call-binding.ts";
import type { Approver, Inbound, ToolEffect, Trust } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import type {
  AssistantMessage,
  Message,
  MessageContext,
  SystemMessage,
  UserMessage,
} from "../values/message.ts";
import type { Place } from "../values/place.ts";

/** What was done with a message beside the answer. */
interface SentEvent {
  did: "sent" | "edited" | "deleted";
  place: Place;
  reference: string;
  link?: string | undefined;
}

/** How a turn ended. `limit_reached` still carries an answer that says which limit. */
export type TurnOutcome = "completed" | "stopped" | "limit_reached" | "failed";

/** Token counts of one model call; `cost_usd` only for models in the price table. */
export interface Usage {
  /** All of the request, what came from the provider's cache or was written to it included. */
  input_tokens: number;
  /** Of these, read from the provider's cache. */
  cached_tokens?: number | undefined;
  /** Of these, written to the provider's cache. */
  cache_write_tokens?: number | undefined;
  output_tokens: number;
  cost_usd?: number | undefined;
}

/** An event before it is stamped with turn, sequence number and time. */
export type TurnEventBody =
  /** Entry 0: what a person said. */
  | { type: "inbound"; inbound: Inbound }
  | { type: "turn_started"; profile: string; model: string }
  /** A worker took the turn up again after a crash or a wait. */
  | { type: "turn_resumed" }
  /** The turn waits until the tools of these skills are known. `text` is what people are told. */
  | { type: "skills_starting"; skill_ids: string[]; text: string }
  | { type: "round_started"; round: number }
  | { type: "text_delta"; text: string }
  /** What was streamed so far in this round is void. */
  | { type: "text_reset" }
  /** What the model is doing, by its own words: a line of plain text that the next one replaces. No part of the answer. */
  | { type: "model_thought"; text: string }
  /**
   * The model answers later, or another one is asked: why, for people. `until` is when the next attempt is made, ms since the epoch.
   */
  | { type: "model_delayed"; text: string; until?: number | undefined }
  /** Tools that the model's provider refuses are not offered to it. `text` is what people are told. */
  | { type: "tools_left_out"; tools: { tool: string; skill_id: string }[]; text: string }
  /** The whole message of a round; it replaces the text streamed in that round. */
  | { type: "model_message"; round: number; message: AssistantMessage; model: string }
  /** `round`: of the turn's own model call in that round; absent for calls that skills and summaries make. */
  | ({ type: "usage"; model: string; round?: number | undefined } & Usage)
  /** A transcript of the thread begins here. */
  | ({ type: "transcript_opened" } & TranscriptOpening)
  /** What the person said, as the model is told it from now on. */
  | { type: "user_message"; message: UserMessage }
  /** Something changed since the transcript opened, and the model is told. */
  | { type: "transcript_changed"; message: SystemMessage; told: Partial<Told> }
  /**
   * `by` is `agent`, or who asked for the skill by name. `guide` is the fingerprint of the guide that the result of call
   * `call_id` gives the model.
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
      /** What running it does to the world; absent where nothing runs. */
      effect?: ToolEffect | undefined;
      input: Json;
    }
  /** A call that had waited for a person goes on: from here on it may have an effect that must not be repeated. */
  | { type: "call_resumed"; call_id: string }
  /** A call ended its run because a person still has to answer; it had no effect after its question. */
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
      /** What the tool answered, whole. An error is `{error, hint?}`. */
      output: Json;
      /** What the model is told instead of all of it: cut, or with the guide of a skill that this call activated. */
      shown?: string | undefined;
      duration_ms: number;
      /** Set when this output answers the user as it is, without a further model call. */
      direct?: true | undefined;
      /** What programs are told beside the output of a flow that answered directly. */
      details?: { [key: string]: Json } | undefined;
      /** What addresses in it are; as for `Tool`. */
      finds?: "results" | "links" | "mentions" | undefined;
    }
  /** A call followed a link; those of one site are counted. `page` is the key of its address, of earlier versions a hash of it. */
  | { type: "link_followed"; call_id: string; site: string; page: string }
  | {
      type: "stage";
      call_id: string;
      skill_id: string;
      name: string;
      status: "running" | "completed" | "failed";
    }
  /** The journal of a step of a built-in skill; `step` is `name#occurrence`. Answered from here on resume. */
  | { type: "step_finished"; call_id: string; step: string; result: Json }
  | { type: "skill_output"; skill_id: string; output: Json }
  /** A tool made a file; `url` is its address in the HTTP API. */
  | {
      type: "file";
      call_id?: string | undefined;
      name: string;
      media_type: string;
      bytes: number;
      url: string;
    }
  /** A picture that a call looked at is shown to the model with the call's result: a file of the turn. */
  | { type: "picture_shown"; call_id: string; name: string; media_type: string; bytes: number }
  /** What the bot read where it was called: the thread so far and the files of the message. */
  | ({ type: "context_read" } & MessageContext)
  /** `report`: what the agent had answered, as which it went back to the supervisor by itself. */
  | { type: "handoff"; from: string; to: string; report?: string }
  /** From here on messages of the turn may call these people and groups, by platform id. */
  | { type: "people_named"; call_id: string; ids: string[] }
  /**
   * What the turn answers is for the asker alone. `because` says why, for people; `from` is the namespace it was read in. Without
   * `call_id` the conversation holds such an answer already.
   */
  | { type: "answer_private"; call_id?: string | undefined; because: string; from?: string | undefined }
  /** The turn sent, changed or deleted a message beside its answer. `place` is where. */
  | ({ type: "message_sent"; call_id: string } & SentEvent)
  | { type: "question_asked"; question_id: string; text: string; choices: string[]; expires_at: number }
  | { type: "question_answered"; question_id: string; text: string; by: string }
  /** `approver` is the least that may decide: the asker, or somebody of at least this trust. */
  | {
      type: "approval_requested";
      approval_id: string;
      call_id: string;
      tool: string;
      skill_id: string;
      input: Json;
      /** What is asked, for people; without it whether the tool may run with this input. */
      question?: string | undefined;
      /** Why it is asked, a sentence or more for people. */
      reason?: string | undefined;
      /** What it is called in lists, refusals and audit lines, where that is not `tool`. Quotes nothing of a conversation. */
      label?: string | undefined;
      /** What "always here" and "never" would be bound to; absent where it is asked each time. */
      binds?: Binding | undefined;
      /** Where a request would go that nobody named: keys of web addresses. Their hosts can be allowed for the whole turn. */
      addresses?: readonly string[] | undefined;
      approver: Trust | Approver;
      expires_at: number;
    }
  /**
   * `by` is empty when nobody decided in time; `name` is what they call themselves. `always`: such calls are not asked about here any
   * more. `never`: they are refused here without asking.
   */
  | {
      type: "approval_decided";
      approval_id: string;
      approved: boolean;
      by: string;
      name?: string | undefined;
      always?: true | undefined;
      never?: true | undefined;
      /** The hosts it asked for may be reached for the rest of the turn. */
      for_turn?: true | undefined;
    }
  /** A card of an approval that stands in the direct messages of somebody who may decide it (`person`); `place` is where. */
  | { type: "approval_shown"; approval_id: string; person: string; place: Place; reference: string }
  /**
   * The model did not answer, for a reason that passes. `text` is what people are told; `since` is when it began (ms since the
   * epoch), `rounds` how many rounds the turn had before.
   */
  | { type: "model_away"; code: string; message: string; text: string; since: number; rounds: number }
  /** The turn waits for a person, or for its model, until `until` (ms since the epoch) and frees its worker. */
  | { type: "turn_waiting"; until: number }
  /** A further message of the asker, taken into the running turn; `shown` is how the model is told it. */
  | { type: "steered"; text: string; by: string; from_turn: string; shown?: string | undefined }
  /** Of earlier versions: everything in the thread up to and including that turn is represented by the summary. */
  | { type: "history_compacted"; through_turn: string; summary: string }
  /** `interrupted`: the turn could not go on just now and is kept; only those who watch live see it. */
  | { type: "error"; code: string; message: string }
  /** The turn's work is done; its answer is on its way to the platform. Nothing of the turn is run again. */
  | {
      type: "answer_ready";
      outcome: TurnOutcome;
      text: string;
      output?: Json | undefined;
      private?: true | undefined;
    }
  /** A message of the bot is on the platform. `reference` is the platform's id of it; `place` is where, unless it is the turn's. */
  | { type: "message_posted"; purpose: string; part: number; reference: string; place?: Place | undefined }
  | {
      type: "turn_finished";
      outcome: TurnOutcome;
      text: string;
      /** What a command answers to programs. */
      output?: Json | undefined;
      /** The turn this message was taken into instead of getting its own answer. */
      merged_into?: string | undefined;
      /** Only for who asked: help, listings and refusals of commands. */
      private?: true | undefined;
      /** Of a command: everybody in the thread sees what it did, so a chat platform posts nothing. */
      silent?: true | undefined;
      /** Set when somebody deleted the turn: its texts are gone for good. */
      forgotten_by?: string | undefined;
    }
  /**
   * Stands in a finished turn where its run details were: they are deleted, and only what was said, posted and answered is left.
   * A transcript cannot go on from such a turn.
   */
  | { type: "details_removed" };

/** Why a transcript begins: there is none, it is full, the provider's cache of it is cold, or something in it was deleted. */
export type OpeningReason = "first" | "full" | "cold" | "deleted";

/** How a transcript begins. */
export interface TranscriptOpening {
  /** Names the stored instructions and first tools. */
  opening: string;
  because: OpeningReason;
  /** How many turns of the thread had been deleted: what was deleted since may still be in it. */
  deletions: number;
  /** What is carried over, without reasoning: a summary, and the latest turns whole. */
  messages: readonly Message[];
  /** How many of these, at the end, are of the running turn itself. */
  own: number;
  /** The summary by itself, and the latest turn it covers. */
  summary?: { text: string; through_turn: string } | undefined;
  /** Private messages among `messages` are marked, and the summary holds none. Absent in logs of earlier versions. */
  audiences?: true | undefined;
  /** Skills that the agent had activated and goes on with. */
  active: readonly string[];
  /** Skills that are active by themselves and that the agent put away. */
  offloaded: readonly string[];
  /** What of the transcript before it, which the summary may repeat, was untrusted; absent in logs of earlier versions. */
  untrusted?: readonly Untrusted[] | undefined;
  /** What the thread has shown so far of addresses; absent in logs of earlier versions. */
  seen?: Seen | undefined;
}

/**
 * A turn event as stored and streamed. `seq` rises within a turn, over restarts too, and no two events have the same; there are
 * gaps. `at` is ms since the epoch.
 */
export type TurnEvent = TurnEventBody & { turn_id: string; seq: number; at: number };

/** One kind of event by its `type`. */
export type TurnEventOf<T extends TurnEventBody["type"]> = Extract<TurnEvent, { type: T }>;

const internal: ReadonlySet<TurnEventBody["type"]> = new Set([
  "transcript_opened",
  "transcript_changed",
  "user_message",
  "call_resumed",
  "call_waiting",
  "link_followed",
  "picture_shown",
  "details_removed",
]);

/** Whether the event is only for replaying the turn; those who watch it see the same in other events. */
export function isInternal(event: TurnEventBody): boolean {
  return internal.has(event.type);
}

/** What is left of a finished turn when its run details are deleted: what was said, posted and answered. */
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

/** Whether the event is only for those who watch live: the log does not keep it, so nobody can resume after it. */
export function isEphemeral(event: TurnEventBody): boolean {
  return ephemeral.has(event.type) || (event.type === "error" && event.code === "interrupted");
}

type Verdict = Pick<TurnEventOf<"approval_decided">, "approved" | "always" | "never" | "for_turn">;

/** What somebody decided, as it follows their name: `approved, always here`. */
export function verdictText({ approved, always, never, for_turn }: Verdict): string {
  if (!approved) return never ? "refused, for good here" : "refused";
  if (always) return "approved, always here";
  return for_turn ? "approved, this site for this turn" : "approved";
}

/** What model calls used together. */
export interface UsageTotal {
  /** All of the requests, what came from a provider's cache or was written to it included. */
  input_tokens: number;
  /** Of the input, read from the provider's cache. */
  cached_tokens: number;
  /** Of the input, written to the provider's cache. */
  cache_write_tokens: number;
  output_tokens: number;
  /** US dollars for the calls of models with a price; absent when there were none. */
  cost_usd?: number | undefined;
  /** Input and output of the calls of models without a price: `cost_usd` leaves them out. */
  unpriced_tokens: number;
}

/** Before the first model call. */
export const noUsage: Readonly<UsageTotal> = {
  input_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  unpriced_tokens: 0,
};

/** The total with one more model call, or with another total. */
export function plusUsage(total: UsageTotal, more: Usage | UsageTotal): UsageTotal {
  const costs = [total.cost_usd, more.cost_usd].filter((cost) => cost !== undefined);
  return {
    input_tokens: total.input_tokens + more.input_tokens,
    cached_tokens: total.cached_tokens + (more.cached_tokens ?? 0),
    cache_write_tokens: total.cache_write_tokens + (more.cache_write_tokens ?? 0),
    output_tokens: total.output_tokens + more.output_tokens,
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, cost) => sum + cost) }),
    unpriced_tokens: total.unpriced_tokens + unpricedTokens(more),
  };
}

function unpricedTokens(usage: Usage | UsageTotal): number {
  if ("unpriced_tokens" in usage) return usage.unpriced_tokens;
  return usage.cost_usd === undefined ? usage.input_tokens + usage.output_tokens : 0;
}

/** `$0.0031`, or `at least $0.0031` when some of the models had no price; empty when none had one. */
export function costText({ cost_usd, unpriced_tokens }: UsageTotal): string {
  if (cost_usd === undefined) return "";
  return unpriced_tokens > 0 ? `at least ${dollars(cost_usd)}` : dollars(cost_usd);
}

/** Cents, or two significant digits of less than a cent. */
function dollars(amount: number): string {
  const decimals = amount > 0 && amount < 0.01 ? 1 - Math.floor(Math.log10(amount)) : 2;
  return `$${amount.toFixed(Math.min(decimals, 12))}`;
}
