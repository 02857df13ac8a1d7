import { hostOfKey } from "../values/address.ts";
import type { Json } from "../values/json.ts";
import type { CountTokens } from "../values/profile.ts";
import { isOfCall } from "./call-id.ts";
import { Conversation, isOfRun, type KnownOpenings } from "./conversation.ts";
import { type TurnEventBody, type TurnEventBodyOf, unwrapped } from "./turn-event.ts";

/** One tool call as recorded in the log. */
export interface CallState {
  started?: TurnEventBodyOf<"tool_started">;
  started_at: number;
  /** True while a question to a person is the last event of the call. It had no effect since, so it may be run again. */
  asking: boolean;
  finished?: TurnEventBodyOf<"tool_finished">;
  /** The turn became private after the call had started. */
  before_private?: true;
  /** Journal: `name#occurrence` → result. */
  steps: Map<string, Json>;
}

/** A request for an approval. */
export interface ApprovalState extends TurnEventBodyOf<"approval_requested"> {
  /** ms since the epoch. */
  asked_at: number;
  /** The turn became private after it was asked. */
  before_private?: true;
  /** `by` is empty if nobody decided in time. */
  decided?: Omit<TurnEventBodyOf<"approval_decided">, "type" | "approval_id" | "always">;
}

interface QuestionState {
  expires_at: number;
  /** Turns whose messages were said before it was asked. */
  earlier: readonly string[];
  answer?: string;
}

/**
 * The state of a turn: a fold over its events. The live loop and the replay after a crash use the same fold, so a resumed turn continues
 * exactly where its log ends. The turn and its sub-runs share everything but their conversations.
 */
export class TurnState {
  /** The conversation of the turn itself. */
  readonly conversation: Conversation;
  /** The conversations of its sub-runs, by their calls. */
  readonly runs = new Map<string, Conversation>();
  readonly openings: KnownOpenings;
  started = false;
  /** The turns that its agents began in the background. */
  readonly background = new Set<string>();
  /** Calls made by models. */
  toolCalls = 0;
  readonly calls = new Map<string, CallState>();
  /** The files that calls created: name → call. */
  readonly files = new Map<string, string>();
  readonly questions = new Map<string, QuestionState>();
  /** In the order in which they were asked, by approval id. */
  readonly approvals = new Map<string, ApprovalState>();
  /** Notes about left-out tools that people get with the answer. */
  readonly left_out: string[] = [];
  /** People and groups, by platform id, that messages of this turn may mention in addition to those the person mentioned. */
  readonly named = new Set<string>();
  /** Whether only the asker may see the answer. */
  private = false;
  /** The calls that read what only the asker may read. */
  readonly private_by = new Set<string>();
  /** Other namespaces that the turn read from. */
  readonly read_in = new Set<string>();
  /** Number of messages sent, changed or deleted in addition to the answer. */
  sent = 0;
  /** Hosts that a person allowed for this turn. */
  readonly allowedHosts = new Set<string>();
  /** The requests of the turn to addresses that no person named: site → a request each, by its call and the key of its `WebAddress`. */
  readonly followed = new Map<string, readonly { call_id: string; page: string }[]>();
  readonly #begin: (run?: string) => Conversation;

  constructor(turnId: string, countTokens: CountTokens, openings: KnownOpenings = new Map()) {
    this.openings = openings;
    this.#begin = (run) => new Conversation(turnId, run, openings, countTokens);
    this.conversation = this.#begin();
  }

  /** The conversation of the sub-run of a call. */
  runOf(callId: string): Conversation {
    const run = this.runs.get(callId) ?? this.#begin(callId);
    this.runs.set(callId, run);
    return run;
  }

  /** The latest approval with this asking id. An earlier one is about another input, and its decision counts no more. */
  approvalOf(askingId: string): ApprovalState | undefined {
    return [...this.approvals.values()].findLast(({ call_id }) => call_id === askingId);
  }

  /** Applies the next event. `at` is its time, ms since the epoch (log-1). */
  apply(event: TurnEventBody, at: number): void {
    this.#noteCall(event, at);
    this.#noteAsked(event, at);
    this.#note(event);
    this.conversation.apply(event, at);
    for (const [run, conversation] of this.runs)
      if (isOfRun(run, event)) conversation.apply(unwrapped(event), at);
  }

  #note(event: TurnEventBody): void {
    switch (event.type) {
      case "turn_started":
        this.started = true;
        break;
      case "run":
        this.runOf(event.call_id);
        break;
      case "handoff":
        if (event.background !== undefined) this.background.add(event.background);
        else this.runOf(event.call_id);
        break;
      case "file":
        if (event.call_id !== undefined) this.files.set(event.name, event.call_id);
        break;
      case "tools_left_out":
        this.left_out.push(event.text);
        break;
      case "people_named":
        for (const id of event.ids) this.named.add(id);
        break;
      case "answer_private":
        if (!this.private) this.#becomePrivate();
        if (event.call_id !== undefined) this.private_by.add(event.call_id);
        if (event.from !== undefined) this.read_in.add(event.from);
        break;
      case "message_sent":
        this.sent += 1;
        break;
      case "link_followed":
        this.followed.set(event.site, [...(this.followed.get(event.site) ?? []), event]);
        break;
    }
  }

  #becomePrivate(): void {
    this.private = true;
    for (const each of [...this.calls.values(), ...this.approvals.values()]) each.before_private = true;
  }

  #noteCall(event: TurnEventBody, at: number): void {
    switch (event.type) {
      case "tool_started":
        this.#call(event.call_id, at).started = event;
        if (event.parent_call_id === undefined || this.runs.has(event.parent_call_id)) this.toolCalls += 1;
        break;
      case "step_finished":
        this.#call(event.call_id, at).steps.set(event.step, event.result);
        break;
      case "tool_finished":
        this.#call(event.call_id, at).finished = event;
        break;
      case "call_resumed":
      case "call_waiting":
        break;
      default:
        return;
    }
    this.#setAsking(event.call_id, event.type === "call_waiting");
  }

  #call(callId: string, at: number): CallState {
    const call = this.calls.get(callId) ?? { started_at: at, asking: false, steps: new Map() };
    this.calls.set(callId, call);
    return call;
  }

  #noteAsked(event: TurnEventBody, asked_at: number): void {
    switch (event.type) {
      case "question_asked":
        this.questions.set(event.question_id, { expires_at: event.expires_at, earlier: event.earlier ?? [] });
        this.#setAsking(event.question_id, true);
        break;
      case "question_answered": {
        const question = this.questions.get(event.question_id);
        if (question !== undefined) question.answer = event.text;
        this.#setAsking(event.question_id, false);
        break;
      }
      case "approval_requested":
        this.approvals.set(event.approval_id, { ...event, asked_at });
        this.#setAsking(event.call_id, true);
        break;
      case "approval_decided": {
        const asked = this.approvals.get(event.approval_id);
        if (asked === undefined) break;
        const { approved, by, name, edited, never, for_turn } = event;
        asked.decided = { approved, by, name, edited, never, for_turn };
        this.#setAsking(asked.call_id, false);
        if (approved && for_turn === true)
          for (const key of asked.addresses ?? []) this.allowedHosts.add(hostOfKey(key));
        break;
      }
    }
  }

  /** Sets `asking` of the call and its parents. `id` is that of a call, or of something within one. */
  #setAsking(id: string, asking: boolean): void {
    for (const [callId, call] of this.calls) if (isOfCall(id, callId)) call.asking = asking;
  }
}

/** When people are reminded of an approval: half-way to its end, ms since the epoch. */
export function remindAt(asked_at: number, expires_at: number): number {
  return Math.ceil((asked_at + expires_at) / 2);
}
