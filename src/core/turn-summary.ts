import type { TurnView } from "./turn-view.ts";

/** `3 steps, 12 s` for the collapsed progress block; what runs within a step is no step of its own. Empty without steps. */
export function summariseSteps(view: TurnView): string {
  const steps = view.steps.filter(({ parent_call_id }) => parent_call_id === undefined).length;
  if (steps === 0) return "";
  const count = steps === 1 ? "1 step" : `${steps} steps`;
  const end = view.finished_at;
  return end === undefined
    ? count
    : `${count}, ${formatDuration(end - (view.started_at ?? view.accepted_at))}`;
}

/** `0.4 s`, `12 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
