/**
 * What a person sees of a turn: a projection of its events, shared by the console, the terminal and the chat platforms.
 * Pure, so that the browser uses the very same code.
 */

import type { Binding } from "../values/call-binding.ts";
import type { Approver, Trust } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import { saidText } from "../values/message.ts";
import {
  noUsage,
  plusUsage,
  type TurnEvent,
  type TurnEventOf,
  type TurnOutcome,
  type UsageTotal,
} from "./turn-event.ts";
import { foldSteps, type StepView } from "./turn-view-steps.ts";

export interface QuestionView {
  question_id: string;
  text: string;
  choices: string[];
  expires_at: number;
}

/** A file that came with a message, or that a tool made; `url` is its address in the HTTP API. */
export interface FileView {
  name: string;
  media_type: string;
  bytes: number;
  url: string;
}

/**
 * What people decide: once or not now, for this host for the rest of the turn, or, for calls like this one, always or never in this
 * channel.
 */
export type ApprovalVerdict = boolean | "always" | "turn" | "never";

/** How programs send a verdict. */
export function verdictInput(verdict: ApprovalVerdict) {
  return {
    approve: verdict !== false && verdict !== "never",
    always: verdict === "always",
    turn: verdict === "turn",
    never: verdict === "never",
  };
}

/** A call that waits, or waited, for somebody's approval. */
export interface ApprovalView {
  approval_id: string;
  call_id: string;
  tool: string;
  skill_id: string;
  /** What is asked, when it is something else than whether the tool may run. */
  question?: string | undefined;
  /** The exact arguments it would run with. */
  input: Json;
  /** Why it is asked, a sentence or more. */
  reason?: string | undefined;
  /** What lists call it, where that is not `tool`. */
  label?: string | undefined;
  /** What "always here" and "never" would be bound to; absent where it is asked each time. */
  binds?: Binding | undefined;
  /** The least that may decide: the asker, or somebody of at least this trust. */
  approver: Trust | Approver;
  expires_at: number;
  /** `expired`: nobody decided before its time or its turn ended. */
  state: "open" | "approved" | "refused" | "expired";
  /** Who decided, and what they call themselves. */
  by?: string | undefined;
  name?: string | undefined;
  /** Such calls are not asked about here any more. */
  always?: true | undefined;
  /** Such calls are refused here without asking. */
  never?: true | undefined;
  /** The hosts it asked for may be reached for the rest of the turn. */
  for_turn?: true | undefined;
  /** Keys of the web addresses that nobody named; their sites can be allowed for the turn. */
  addresses?: readonly string[] | undefined;
}

export interface TurnView extends UsageTotal {
  turn_id: string;
  author: { id: string; name: string };
  kind: "message" | "command";
  /** What was said. */
  said: string;
  /** Files that came with it. */
  attachments: FileView[];
  /** Further messages of the asker, taken into the turn while it ran. */
  steered: { by: string; text: string }[];
  status: "queued" | "running" | "waiting" | "finished";
  outcome?: TurnOutcome | undefined;
  steps: StepView[];
  files: FileView[];
  /** The answer, or what has been streamed of it so far. Markdown. */
  text: string;
  /** What the model said between tool calls. */
  remarks: string[];
  /** What the turn waits for that is no question to anybody. */
  notice?: string | undefined;
  /** When that is tried again, ms since the epoch. */
  notice_until?: number | undefined;
  /** What the model is doing, by its own words, while it has said nothing else: a line of plain text. */
  thought?: string | undefined;
  /** The question the turn waits for an answer to. */
  question?: QuestionView | undefined;
  approvals: ApprovalView[];
  /** Agents the turn went through by handoff, in order; empty when there was none. */
  handoffs: { from: string; to: string }[];
  /** Only who asked should see the answer. */
  private?: true | undefined;
  /** Who deleted the turn; nothing of its texts is left. */
  forgotten_by?: string | undefined;
  merged_into?: string | undefined;
  model: string;
  error?: { code: string; message: string } | undefined;
  accepted_at: number;
  started_at?: number | undefined;
  finished_at?: number | undefined;
}

/** A turn nobody knows anything about yet. */
export function emptyTurnView(turnId: string): TurnView {
  return {
    turn_id: turnId,
    author: { id: "", name: "" },
    kind: "message",
    said: "",
    steered: [],
    status: "queued",
    steps: [],
    attachments: [],
    files: [],
    text: "",
    remarks: [],
    approvals: [],
    handoffs: [],
    model: "",
    accepted_at: 0,
    ...noUsage,
  };
}

/** What is told while there is nothing else to see. */
const nothingTold = { notice: undefined, notice_until: undefined, thought: undefined };
const atWork = { status: "running", ...nothingTold } as const;

/** The view after one more event. The given view is not changed. Events a view has no place for change nothing. */
export function foldTurn(view: TurnView, event: TurnEvent): TurnView {
  const steps = foldSteps(view.steps, event);
  if (steps !== undefined) return { ...view, steps, ...(event.type === "tool_started" ? atWork : {}) };
  const asked = foldAsked(view, event);
  if (asked !== undefined) return asked;
  switch (event.type) {
    case "inbound": {
      const { author, kind, text, origin, files = [] } = event.inbound;
      const sent = [...(origin?.files ?? []), ...files];
      return {
        ...view,
        author: { id: author.id, name: author.name },
        kind,
        said: text,
        attachments: sent.map(({ name, media_type, bytes }, number) => {
          const url = `/api/v1/turns/${encodeURIComponent(event.turn_id)}/attachments/${number}`;
          return { name, media_type, bytes, url };
        }),
        accepted_at: event.at,
      };
    }
    case "context_read":
      return { ...view, said: saidText(view.said, event) };
    case "turn_started":
      return { ...view, status: "running", started_at: event.at, model: event.model, ...nothingTold };
    case "turn_resumed":
      return { ...view, status: "running", text: "" };
    case "round_started":
    case "text_reset":
      return { ...view, status: "running", text: "", thought: undefined };
    case "text_delta":
      return { ...view, text: view.text + event.text, ...nothingTold };
    case "model_thought":
      return { ...view, ...nothingTold, thought: event.text };
    case "model_delayed":
      return { ...view, ...nothingTold, notice: event.text, notice_until: event.until };
    case "model_away":
    case "skills_starting":
    case "tools_left_out":
      return { ...view, ...nothingTold, notice: event.text };
    case "model_message": {
      const { text, tool_calls } = event.message;
      if (tool_calls.length === 0) return { ...view, text, ...nothingTold };
      return {
        ...view,
        text: "",
        ...nothingTold,
        remarks: text.trim() ? [...view.remarks, text] : view.remarks,
      };
    }
    case "usage":
      // Another model may have taken over; what skills and summaries ask counts and answers nothing.
      return {
        ...view,
        ...plusUsage(view, event),
        ...(event.round === undefined ? {} : { model: event.model }),
      };
    case "file": {
      const { name, media_type, bytes, url } = event;
      const others = view.files.filter((file) => file.name !== name);
      return { ...view, files: [...others, { name, media_type, bytes, url }] };
    }
    case "handoff":
      return withHandoff(view, event);
    case "turn_waiting":
      return { ...view, status: "waiting" };
    case "steered":
      return { ...view, steered: [...view.steered, { by: event.by, text: event.text }] };
    case "error":
      return { ...view, error: { code: event.code, message: event.message } };
    case "turn_finished":
      return finished(event.forgotten_by === undefined ? view : withoutTexts(view), event);
    default:
      return view;
  }
}

/** What an agent answered to its supervisor alone is a remark. */
function withHandoff(view: TurnView, { from, to, report = "" }: TurnEventOf<"handoff">): TurnView {
  const remarks = report.trim() === "" ? view.remarks : [...view.remarks, report];
  return { ...view, handoffs: [...view.handoffs, { from, to }], remarks };
}

function finished(view: TurnView, event: TurnEventOf<"turn_finished">): TurnView {
  const { outcome, text, merged_into, forgotten_by } = event;
  const approvals = view.approvals.map(
    (each): ApprovalView => (each.state === "open" ? { ...each, state: "expired" } : each),
  );
  return {
    ...view,
    status: "finished",
    outcome,
    text,
    question: undefined,
    ...nothingTold,
    approvals,
    private: event.private,
    forgotten_by,
    merged_into,
    finished_at: view.finished_at ?? event.at,
  };
}

function withoutTexts(view: TurnView): TurnView {
  const { approvals, attachments, files, steps, steered, remarks, handoffs } = emptyTurnView(view.turn_id);
  return {
    ...view,
    said: "",
    error: undefined,
    approvals,
    attachments,
    files,
    steps,
    steered,
    remarks,
    handoffs,
  };
}

/** What a person is asked: questions and approvals. */
function foldAsked(view: TurnView, event: TurnEvent): TurnView | undefined {
  switch (event.type) {
    case "question_asked": {
      const { question_id, text, choices, expires_at } = event;
      return { ...view, question: { question_id, text, choices, expires_at }, ...nothingTold };
    }
    case "question_answered":
      return { ...view, question: undefined };
    case "approval_requested": {
      const { type: _type, turn_id: _turn, seq: _seq, at: _at, ...asked } = event;
      return { ...view, approvals: [...view.approvals, { ...asked, state: "open" }] };
    }
    case "approval_decided": {
      const { approved, by, name, always, never, for_turn } = event;
      // Nobody's decision is what the bot notes when the time is over.
      const state = approved ? "approved" : by === "" ? "expired" : "refused";
      const decided = { state, ...(by === "" ? {} : { by, name }), always, never, for_turn } as const;
      const approvals = view.approvals.map((each) =>
        each.approval_id === event.approval_id ? { ...each, ...decided } : each,
      );
      return { ...view, approvals };
    }
    default:
      return undefined;
  }
}

/** The steps of a turn; what runs within one of them is no step of its own. There is one wherever there are calls at all. */
export function ownSteps({ steps }: Pick<TurnView, "steps">): StepView[] {
  const known = new Set(steps.map(({ call_id }) => call_id));
  // The call of a person who runs a skill has a parent that is none of the calls.
  return steps.filter(({ parent_call_id: parent }) => parent === undefined || !known.has(parent));
}

/** `3 steps, 12 s` for the collapsed progress block. Empty without steps. */
export function summariseSteps(view: TurnView): string {
  const steps = ownSteps(view).length;
  if (steps === 0) return "";
  const count = steps === 1 ? "1 step" : `${steps} steps`;
  const end = view.finished_at;
  const took = end === undefined ? "" : formatDuration(end - (view.started_at ?? view.accepted_at));
  return [count, took].filter(Boolean).join(", ");
}

/** `0.4 s`, `12 s`, `3 min 5 s`; empty for what took no time that people notice, less than 0.1 s. */
export function formatDuration(ms: number): string {
  if (ms < 100) return "";
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** What the turn waits for, and how long still: a line of plain text. Undefined when it does not wait. */
export function noticeLine({ notice, notice_until }: TurnView, now: number): string | undefined {
  if (notice === undefined || notice_until === undefined || notice_until <= now) return notice;
  return `${notice} Trying again in ${formatDuration(Math.max(1_000, notice_until - now)).replace(".0", "")}.`;
}

/** The one line that tells what goes on beside the steps: what the turn waits for, or what the model says it does. */
export function toldLine(view: TurnView, now: number): string | undefined {
  return noticeLine(view, now) ?? view.thought ?? view.remarks.at(-1);
}
