import { hostOfKey } from "../values/address.ts";
import type { AssistantMessage, CutAnswer, Message } from "../values/message.ts";
import { innerCallId, isOfCall } from "./call-id.ts";
import type { ApprovalState, CallState } from "./call-state.ts";
import { isOfSkill } from "./transcript.ts";
import { directRun, type TurnEventBody, type TurnEventBodyOf } from "./turn-event.ts";

/** The current outage of the model and the number of attempts since. */
export interface AwayState {
  /** ms since the epoch. */
  since: number;
  tries: number;
  /** Time of the next attempt, ms since the epoch. */
  until?: number | undefined;
}

/**
 * The state of a turn: a fold over its events. The live loop and the replay after a crash use the same fold, so a resumed turn continues
 * exactly where its log ends.
 */
export interface TurnState {
  started: boolean;
  /** The call whose sub-run this is; undefined for the turn itself. A sub-run shares with its turn everything about calls and people. */
  readonly run: string | undefined;
  /** The sub-runs of the turn, by their calls. */
  readonly runs: Map<string, TurnState>;
  /** The turns that its agents began in the background. */
  readonly background: Set<string>;
  rounds: number;
  /** Calls made by models in the whole turn. */
  toolCalls: number;
  /** Turns in the background whose end the model was told right before the person's message. */
  readonly told_ends: Set<string>;
  /** Whether the model has been told the person's message. */
  told: boolean;
  /** Number of deleted turns of the thread when this turn opened the current transcript; undefined if it did not open one. */
  opened_after: number | undefined;
  /** Index of the turn's first own message in the transcript. */
  own_from: number;
  /** The model's last message in this turn. */
  last: AssistantMessage | undefined;
  /** Why that message is incomplete. */
  cut: CutAnswer | undefined;
  /** The turn's messages while they belong to no transcript, because its opening is lost. */
  untold: Message[];
  /** Undefined while the model answers. */
  away: AwayState | undefined;
  /** Notes about left-out tools that people get with the answer. */
  left_out: string[];
  /** Text that the model has streamed in the unfinished round. */
  streamed: string;
  /** The last model message, while some of its calls have no result. */
  open: AssistantMessage | undefined;
  readonly calls: Map<string, CallState>;
  /** The files that calls created: name → call. */
  readonly files: Map<string, string>;
  readonly questions: Map<string, { expires_at: number; earlier: readonly string[]; answer?: string }>;
  /** By call id. */
  readonly approvals: Map<string, ApprovalState>;
  /** People and groups, by platform id, that messages of this turn may mention in addition to those the person mentioned. */
  readonly named: Set<string>;
  /** Whether only the asker may see the answer. */
  private: boolean;
  /** The calls that read what only the asker may read. */
  readonly private_by: Set<string>;
  /** Other namespaces that the turn read from. */
  readonly read_in: Set<string>;
  /** Number of messages sent, changed or deleted in addition to the answer. */
  sent: number;
  /** Hosts that a person allowed for this turn. */
  readonly allowedHosts: Set<string>;
  /** The requests of the turn to addresses that no person named: site → a request each, by its call and the key of its `WebAddress`. */
  readonly followed: Map<string, readonly { call_id: string; page: string }[]>;
  /** Skills activated in this turn → the call that activated them; undefined for skills that a person requested by name. */
  activated: Map<string, string | undefined>;
}

export function createTurnState(): TurnState {
  return {
    run: undefined,
    runs: new Map(),
    background: new Set(),
    started: false,
    rounds: 0,
    toolCalls: 0,
    told: false,
    told_ends: new Set(),
    opened_after: undefined,
    own_from: 0,
    untold: [],
    last: undefined,
    cut: undefined,
    away: undefined,
    left_out: [],
    streamed: "",
    open: undefined,
    calls: new Map(),
    files: new Map(),
    questions: new Map(),
    approvals: new Map(),
    named: new Set(),
    private: false,
    private_by: new Set(),
    read_in: new Set(),
    sent: 0,
    allowedHosts: new Set(),
    followed: new Map(),
    activated: new Map(),
  };
}

/** The state of the sub-run of a call. */
export function runOf(turn: TurnState, callId: string): TurnState {
  const known = turn.runs.get(callId);
  if (known !== undefined) return known;
  const { runs, calls, files, questions, approvals, named, read_in, allowedHosts, followed } = turn;
  const shared = { runs, calls, files, questions, approvals, named, read_in, allowedHosts, followed };
  const run: TurnState = {
    ...createTurnState(),
    ...shared,
    run: callId,
    get private() {
      return turn.private;
    },
    get sent() {
      return turn.sent;
    },
  };
  runs.set(callId, run);
  return run;
}

/** Applies one event to the state of its turn. `at` is the time of the event, ms since the epoch. */
export function applyEvent(state: TurnState, event: TurnEventBody, at: number): void {
  noteAsking(state, event);
  if (applyToCall(state, event, at)) return;
  switch (event.type) {
    case "run":
      state.streamed = "";
      applyToConversation(runOf(state, event.call_id), event.event);
      break;
    case "turn_started":
      state.started = true;
      break;
    case "tools_left_out":
      state.left_out.push(event.text);
      break;
    case "steered":
      continueWithMessage(state);
      continueWithMessage(state.runs.get(directRun));
      break;
    case "people_named":
      for (const id of event.ids) state.named.add(id);
      break;
    case "answer_private":
      if (!state.private) becomePrivate(state);
      if (event.call_id !== undefined) state.private_by.add(event.call_id);
      if (event.from !== undefined) state.read_in.add(event.from);
      break;
    case "message_sent":
      state.sent += 1;
      break;
    case "handoff":
      if (event.background !== undefined) state.background.add(event.background);
      else runOf(state, event.call_id);
      break;
    case "link_followed":
      state.followed.set(event.site, [...(state.followed.get(event.site) ?? []), event]);
      break;
    case "question_asked":
    case "question_answered":
    case "approval_requested":
    case "approval_decided":
      applyAsked(state, event, at);
      break;
    default:
      applyToConversation(state, event);
  }
}

function becomePrivate(state: TurnState): void {
  state.private = true;
  for (const each of [...state.calls.values(), ...state.approvals.values()]) each.before_private = true;
}

/** A message during an open call answers that call's question. Otherwise the model continues with it. */
function continueWithMessage(state: TurnState | undefined): void {
  if (state !== undefined && state.open === undefined) state.last = undefined;
}

function applyToConversation(state: TurnState, event: TurnEventBody): void {
  switch (event.type) {
    case "text_delta":
      state.streamed += event.text;
      break;
    case "text_reset":
      state.streamed = "";
      break;
    case "round_started":
      state.rounds = event.round;
      state.streamed = "";
      break;
    case "transcript_opened":
      state.opened_after = event.deletions;
      state.told ||= event.own > 0;
      break;
    case "background_ended":
      if (!state.told) state.told_ends.add(event.from_turn);
      break;
    case "user_message":
      state.told = true;
      break;
    case "model_message":
      state.streamed = "";
      state.away = undefined;
      state.last = event.message;
      state.cut = event.cut;
      if (event.message.tool_calls.length > 0) state.open = event.message;
      break;
    case "model_away":
      state.rounds = event.rounds;
      state.away = { since: event.since, tries: (state.away?.tries ?? 0) + 1, until: event.until };
      break;
    case "skill_activated":
      state.activated.set(event.skill_id, event.call_id);
      break;
    case "skill_offloaded":
      for (const id of state.activated.keys()) if (isOfSkill(id, event.skill_id)) state.activated.delete(id);
      break;
  }
}

function applyAsked(
  { questions, approvals, allowedHosts }: TurnState,
  event: TurnEventBody,
  asked_at: number,
): void {
  if (event.type === "question_asked") {
    questions.set(event.question_id, { expires_at: event.expires_at, earlier: event.earlier ?? [] });
  } else if (event.type === "question_answered") {
    const question = questions.get(event.question_id);
    if (question !== undefined) question.answer = event.text;
  } else if (event.type === "approval_requested") {
    addApproval(approvals, event, asked_at);
  } else if (event.type === "approval_decided") {
    const { approval_id, approved, by, name, edited, never, for_turn } = event;
    const asked = [...approvals.values()].find((each) => each.approval_id === approval_id);
    if (asked === undefined) return;
    asked.decided = { approved, by, name, edited, never, for_turn };
    if (!approved || for_turn !== true) return;
    for (const key of asked.addresses ?? []) allowedHosts.add(hostOfKey(key));
  }
}

/** A call that is asked about again keeps its earlier approvals, under other names. */
function addApproval(
  approvals: TurnState["approvals"],
  event: TurnEventBodyOf<"approval_requested">,
  asked_at: number,
): void {
  const { call_id, approval_id, tool, input, addresses, says, files, binds, expires_at } = event;
  const before = approvals.get(call_id);
  if (before !== undefined) approvals.set(`${call_id}#${before.approval_id}`, before);
  const asked = { approval_id, tool, input, addresses, says, files, asked_at, expires_at };
  approvals.set(call_id, { ...asked, definition: binds?.definition });
}

/** Updates `asking` for the calls that an event concerns: the call itself and its parents. */
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

/** `id` is that of a call, or of something within one. */
function setAsking({ calls }: TurnState, id: string, asking: boolean): void {
  for (const [callId, call] of calls) {
    if (isOfCall(id, callId)) call.asking = asking;
  }
}

function applyToCall(state: TurnState, event: TurnEventBody, at: number): boolean {
  switch (event.type) {
    case "tool_started":
      callState(state, event.call_id, at).started = event;
      if (isOfModel(state, event)) state.toolCalls += 1;
      return true;
    case "step_finished":
      callState(state, event.call_id, at).steps.set(event.step, event.result);
      return true;
    case "tool_finished":
      callState(state, event.call_id, at).finished = event;
      for (const each of [state, ...state.runs.values()]) closeRound(each);
      return true;
    case "file":
      if (event.call_id !== undefined) state.files.set(event.name, event.call_id);
      return true;
    default:
      return false;
  }
}

/** Whether a model made a call, and not a skill or a person. */
function isOfModel({ runs }: TurnState, { parent_call_id }: TurnEventBodyOf<"tool_started">): boolean {
  return parent_call_id === undefined || runs.has(parent_call_id);
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
  const isFinished = ({ id }: { id: string }) =>
    state.calls.get(innerCallId(state.run, id))?.finished !== undefined;
  if (calls.every(isFinished)) state.open = undefined;
}
