import { hostOfKey } from "../values/address.ts";
import type { Json } from "../values/json.ts";
import type { AssistantMessage, Message } from "../values/message.ts";
import type { TurnEventBody, TurnEventOf } from "./turn-event.ts";

type Body<T extends TurnEventBody["type"]> = Omit<TurnEventOf<T>, "turn_id" | "seq" | "at">;

/** One tool call as the log knows it. */
export interface CallState {
  started?: Body<"tool_started">;
  started_at: number;
  /** A question to a person is the last thing known of the call: it had no effect since, so it may be run again. */
  asking: boolean;
  finished?: Body<"tool_finished">;
  /** Journal: `name#occurrence` → result. */
  steps: Map<string, Json>;
}

/** A call that needs a person's approval. */
export interface ApprovalState {
  approval_id: string;
  tool: string;
  input: Json;
  /** Keys of the web addresses it asks for. */
  addresses?: readonly string[] | undefined;
  /** ms since the epoch. */
  expires_at: number;
  /** `by` is empty when nobody decided in time. */
  decided?: { approved: boolean; by: string; name?: string | undefined; never?: true | undefined };
}

/** Since when the model has not answered, and how often it was asked since. */
export interface AwayState {
  /** ms since the epoch. */
  since: number;
  tries: number;
}

/**
 * What a turn has come to: a fold over its events. The live loop and the replay after a crash use the same fold, so a
 * resumed turn goes on exactly where its log ends.
 */
export interface TurnState {
  started: boolean;
  /** The profile a handoff gave the turn to; undefined while the first one has it. */
  profile: string | undefined;
  /** The agents it went to, in order, and in which round; `returned` where it came back to a supervisor by itself. */
  handoffs: { to: string; round: number; returned: boolean }[];
  rounds: number;
  toolCalls: number;
  /** Whether the model is told what the person said. */
  told: boolean;
  /** How many turns of the thread had been deleted when this turn opened the transcript in use; undefined when it has not. */
  opened_after: number | undefined;
  /** Where the turn's own messages begin among those of the transcript. */
  own_from: number;
  /** The model's last message in this turn. */
  last: AssistantMessage | undefined;
  /** The turn's messages while no transcript has them: it was begun by an earlier version, or its opening is lost. */
  untold: Message[];
  /** Undefined while the model answers. */
  away: AwayState | undefined;
  /** What people are told, with the answer, of tools that were left out. */
  left_out: string[];
  /** What the model has said so far in a round that is not finished. */
  streamed: string;
  /** The last model message, while calls of it have no result. */
  open: AssistantMessage | undefined;
  calls: Map<string, CallState>;
  questions: Map<string, { expires_at: number; answer?: string }>;
  /** By call id. */
  approvals: Map<string, ApprovalState>;
  /** People and groups, by platform id, that messages of this turn may call beside those the person mentioned. */
  named: Set<string>;
  /** Whether the answer is for the asker alone. */
  private: boolean;
  /** Namespaces beside its own that it was read in. */
  read_in: Set<string>;
  /** Messages it sent, changed or deleted beside its answer. */
  sent: number;
  /** Hosts that may be reached in this turn, as a person decided. */
  allowedHosts: Set<string>;
  /** Sites, and the pages of each that links led to: keys of `WebAddress`. */
  followed: Map<string, Set<string>>;
  /** Skills activated in this turn → the call that did; undefined for those a person asked for by name. */
  activated: Map<string, string | undefined>;
}

export function createTurnState(): TurnState {
  return {
    started: false,
    profile: undefined,
    handoffs: [],
    rounds: 0,
    toolCalls: 0,
    told: false,
    opened_after: undefined,
    own_from: 0,
    untold: [],
    last: undefined,
    away: undefined,
    left_out: [],
    streamed: "",
    open: undefined,
    calls: new Map(),
    questions: new Map(),
    approvals: new Map(),
    named: new Set(),
    private: false,
    read_in: new Set(),
    sent: 0,
    allowedHosts: new Set(),
    followed: new Map(),
    activated: new Map(),
  };
}

/** Changes the state by one event. `at` is when it happened, ms since the epoch. */
export function applyEvent(state: TurnState, event: TurnEventBody, at: number): void {
  noteAsking(state, event);
  if (applyToCall(state, event, at)) return;
  switch (event.type) {
    case "turn_started":
      state.started = true;
      break;
    case "round_started":
      state.rounds = event.round;
      state.streamed = "";
      break;
    case "transcript_opened":
      state.opened_after = event.deletions;
      state.told ||= event.own > 0;
      break;
    case "user_message":
      state.told = true;
      break;
    case "model_message":
      state.streamed = "";
      state.away = undefined;
      state.last = event.message;
      if (event.message.tool_calls.length > 0) state.open = event.message;
      break;
    case "model_away":
      state.rounds = event.rounds;
      state.away = { since: event.since, tries: (state.away?.tries ?? 0) + 1 };
      break;
    case "tools_left_out":
      state.left_out.push(event.text);
      break;
    case "text_delta":
      state.streamed += event.text;
      break;
    case "text_reset":
      state.streamed = "";
      break;
    case "steered":
      // Said while a call is open it is the answer to that call's question; else the model goes on with it.
      if (state.open === undefined) state.last = undefined;
      break;
    case "people_named":
      for (const id of event.ids) state.named.add(id);
      break;
    case "answer_private":
      state.private = true;
      if (event.from !== undefined) state.read_in.add(event.from);
      break;
    case "message_sent":
      state.sent += 1;
      break;
    case "handoff":
      state.profile = event.to;
      state.handoffs.push({ to: event.to, round: state.rounds, returned: event.report !== undefined });
      if (event.report !== undefined) state.last = undefined;
      break;
    case "link_followed":
      state.followed.set(event.site, new Set(state.followed.get(event.site)).add(event.page));
      break;
    case "skill_activated":
      state.activated.set(event.skill_id, event.call_id);
      break;
    case "skill_offloaded":
      state.activated.delete(event.skill_id);
      break;
    case "question_asked":
      state.questions.set(event.question_id, { expires_at: event.expires_at });
      break;
    case "question_answered": {
      const question = state.questions.get(event.question_id);
      if (question !== undefined) question.answer = event.text;
      break;
    }
    default:
      applyApproval(state, event);
  }
}

function applyApproval({ approvals, allowedHosts }: TurnState, event: TurnEventBody): void {
  if (event.type === "approval_requested") {
    const { approval_id, tool, input, addresses, expires_at } = event;
    approvals.set(event.call_id, { approval_id, tool, input, addresses, expires_at });
  } else if (event.type === "approval_decided") {
    const { approval_id, approved, by, name, never, for_turn } = event;
    const asked = [...approvals.values()].find((each) => each.approval_id === approval_id);
    if (asked === undefined) return;
    asked.decided = { approved, by, name, never };
    if (!approved || for_turn !== true) return;
    for (const key of asked.addresses ?? []) allowedHosts.add(hostOfKey(key));
  }
}

/** Keeps `asking` of the calls that an event is about: the call itself, and those it was made in. */
function noteAsking(state: TurnState, event: TurnEventBody): void {
  switch (event.type) {
    case "question_asked":
    case "question_answered":
      setAsking(state, event.question_id, event.type === "question_asked");
      break;
    case "approval_requested":
    case "call_waiting":
      setAsking(state, event.call_id, true);
      break;
    case "call_resumed":
    case "tool_started":
    case "tool_finished":
    case "step_finished":
      setAsking(state, event.call_id, false);
      break;
    case "approval_decided":
      for (const [callId, { approval_id }] of state.approvals)
        if (approval_id === event.approval_id) setAsking(state, callId, false);
      break;
    default:
      break;
  }
}

/** `id` is of a call, or of a question within one: `CALL?1`, `CALL/approval:1`, `CALL/1` for a call that a call made. */
function setAsking({ calls }: TurnState, id: string, asking: boolean): void {
  for (const [callId, call] of calls) {
    if (id === callId || id.startsWith(`${callId}?`) || id.startsWith(`${callId}/`)) call.asking = asking;
  }
}

function applyToCall(state: TurnState, event: TurnEventBody, at: number): boolean {
  switch (event.type) {
    case "tool_started":
      callState(state, event.call_id, at).started = event;
      if (event.parent_call_id === undefined) state.toolCalls += 1;
      return true;
    case "step_finished":
      callState(state, event.call_id, at).steps.set(event.step, event.result);
      return true;
    case "tool_finished":
      callState(state, event.call_id, at).finished = event;
      closeRound(state);
      return true;
    default:
      return false;
  }
}

function callState(state: TurnState, callId: string, at: number): CallState {
  const known = state.calls.get(callId);
  if (known !== undefined) return known;
  const call: CallState = { started_at: at, asking: false, steps: new Map() };
  state.calls.set(callId, call);
  return call;
}

function closeRound(state: TurnState): void {
  const calls = state.open?.tool_calls ?? [];
  if (calls.every((call) => state.calls.get(call.id)?.finished !== undefined)) state.open = undefined;
}
