import type { TurnView } from "./turn-view.ts";
import type { StepView } from "./turn-view-steps.ts";

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
