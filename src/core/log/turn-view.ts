/**
 * The view of a turn for people: a projection of its events, shared by the console, the terminal and the chat platforms. Pure, so that the
 * browser can run the same code.
 */

import type { Inbound } from "../values/inbound.ts";
import { saidText } from "../values/message.ts";
import type { VerdictFields } from "../values/verdict.ts";
import { directRun, type TurnEvent, type TurnEventOf, type TurnOutcome } from "./turn-event.ts";
import type { TurnStatus } from "./turn-log.ts";
import { askingSteps, foldSteps, type StepView } from "./turn-view-steps.ts";
import { noUsage, plusUsage, type UsageTotal } from "./usage.ts";

/** The question that a turn waits for. */
export type QuestionView = Pick<
  TurnEventOf<"question_asked">,
  "question_id" | "text" | "choices" | "expires_at"
>;

/** A file attached to a message or created by a tool; `url` is its address in the HTTP API. */
export type FileView = Pick<TurnEventOf<"file">, "name" | "media_type" | "bytes" | "url">;

/** A call that waits, or waited, for approval. */
export interface ApprovalView
  extends Omit<TurnEventOf<"approval_requested">, keyof Stored>,
    Omit<VerdictFields, "approved"> {
  /** `expired`: nobody decided before it expired or its turn ended. */
  state: "open" | "approved" | "refused" | "expired" | "replaced";
  /** Id and display name of the person who decided. */
  by?: string | undefined;
  name?: string | undefined;
  /** The text that runs in place of the quoted one. */
  edited?: string | undefined;
}

/** The members of every stored event. */
type Stored = Pick<TurnEvent, "type" | "turn_id" | "seq" | "at">;

export interface TurnView extends UsageTotal {
  turn_id: string;
  author: { id: string; name: string };
  kind: Inbound["kind"];
  /** The agent that works in the background of the thread; `said` is its task. */
  background?: string | undefined;
  /** Text of the message. */
  said: string;
  /** Files attached to the message. */
  attachments: FileView[];
  /** Further messages of the asker, taken into the turn while it ran. */
  steered: { by: string; text: string }[];
  status: TurnStatus;
  outcome?: TurnOutcome | undefined;
  steps: StepView[];
  files: FileView[];
  /** The answer, or the part streamed so far. Markdown. */
  text: string;
  /** What the model said about its work between tool calls: its texts and notes. */
  remarks: string[];
  /** What the turn waits for, other than a person's answer. */
  notice?: string | undefined;
  /** Time of the next attempt, ms since the epoch. */
  notice_until?: number | undefined;
  /** One plain-text line about the model's current work, in its own words, until it writes something else. */
  thought?: string | undefined;
  /** The question that the turn waits for. */
  question?: QuestionView | undefined;
  approvals: ApprovalView[];
  /** Only the asker should see the answer. */
  private?: true | undefined;
  /** The person who deleted the turn; none of its texts remain. */
  forgotten_by?: string | undefined;
  merged_into?: string | undefined;
  model: string;
  error?: { code: string; message: string } | undefined;
  accepted_at: number;
  started_at?: number | undefined;
  finished_at?: number | undefined;
}

/** The view of a turn before its first event. */
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
    model: "",
    accepted_at: 0,
    ...noUsage,
  };
}

/** The lines that are shown while there is nothing else to see. */
const nothingTold = { notice: undefined, notice_until: undefined, thought: undefined };
const atWork = { status: "running", ...nothingTold } as const;

/** The view after one more event; the given view is not changed. Events that are not part of a view change nothing. */
export function foldTurn(view: TurnView, event: TurnEvent): TurnView {
  const steps = foldSteps(view.steps, event);
  if (steps !== undefined) return { ...view, steps, ...(event.type === "tool_started" ? atWork : {}) };
  const asked = foldAsked(view, event);
  if (asked !== undefined) return asked;
  switch (event.type) {
    case "inbound": {
      const { author, kind, text, origin, cause, files = [] } = event.inbound;
      const sent = [...(origin?.files ?? []), ...files];
      return {
        ...view,
        author: { id: author.id, name: author.name },
        kind,
        background: cause?.background?.to,
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
        remarks: [...view.remarks, text, event.note ?? ""].filter((remark) => remark.trim() !== ""),
      };
    }
    case "usage":
      // Another model may have taken over. Calls of skills and summaries count toward the usage but do not answer the turn.
      return {
        ...view,
        ...plusUsage(view, event),
        model: event.round === undefined ? view.model : event.model,
      };
    case "file": {
      const { name, media_type, bytes, url } = event;
      const others = view.files.filter((file) => file.name !== name);
      return { ...view, files: [...others, { name, media_type, bytes, url }] };
    }
    case "run":
      return foldRun(view, event);
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

/** A sub-run that answers directly is shown as the turn, another one as the step of its call. */
function foldRun(view: TurnView, { event, call_id, ...stored }: TurnEventOf<"run">): TurnView {
  const { turn_id, seq, at } = stored;
  const isShown = call_id === directRun || event.type === "model_away";
  return isShown ? foldTurn(view, { ...event, turn_id, seq, at }) : view;
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
    // A call that nobody decided about has not begun.
    steps: view.steps.filter(({ asks }) => asks !== true),
    private: event.private,
    forgotten_by,
    merged_into,
    finished_at: view.finished_at ?? event.at,
  };
}

function withoutTexts(view: TurnView): TurnView {
  const { approvals, attachments, files, steps, steered, remarks } = emptyTurnView(view.turn_id);
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
  };
}

/** Applies events that ask a person something: questions and approvals. */
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
      const approvals: ApprovalView[] = [...view.approvals, { ...asked, state: "open" }];
      return { ...view, approvals, steps: askingSteps(view.steps, event) };
    }
    case "approval_decided": {
      const { approved, by, name, edited, replaced, always, never, for_turn } = event;
      // The bot records an expired approval as a decision by nobody.
      const undecided = replaced ? "replaced" : "expired";
      const state = approved ? "approved" : by === "" ? undecided : "refused";
      const who = by === "" ? undefined : { by, name };
      const decided = { state, ...who, edited, always, never, for_turn } as const;
      const approvals = view.approvals.map((each) =>
        each.approval_id === event.approval_id ? { ...each, ...decided } : each,
      );
      return { ...view, approvals };
    }
    default:
      return undefined;
  }
}

/** The top-level steps of a turn, without those that run within another step. A turn with calls has at least one. */
export function ownSteps({ steps }: Pick<TurnView, "steps">): StepView[] {
  const known = new Set(steps.map(({ call_id }) => call_id));
  // When a person runs a skill, the parent of the call is not one of the calls.
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

/** `0.4 s`, `12 s`, `3 min 5 s`; empty below 0.1 s. */
export function formatDuration(ms: number): string {
  if (ms < 100) return "";
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** What the turn waits for, and for how much longer: one plain-text line. Undefined if it does not wait. */
export function noticeLine({ notice, notice_until }: TurnView, now: number): string | undefined {
  if (notice === undefined || notice_until === undefined || notice_until <= now) return notice;
  return `${notice} Trying again in ${formatDuration(Math.max(1_000, notice_until - now)).replace(".0", "")}.`;
}

/** One line about the current activity next to the steps: what the turn waits for, or what the model is working on. */
export function toldLine(view: TurnView, now: number): string | undefined {
  return noticeLine(view, now) ?? view.thought ?? view.remarks.at(-1);
}
