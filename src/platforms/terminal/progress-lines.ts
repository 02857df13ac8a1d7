import { isRecord } from "../../base/record.ts";
import { formatDuration, summariseSteps, type TurnView } from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import type { Json } from "../../core/values/json.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Duration of one frame of the spinner, ms. */
export const spinnerMs = 100;

/** The steps of a turn, one line each with its stages below; `now` in ms since the epoch. */
export function progressLines(view: TurnView, now: number, paint: Paint): string[] {
  const parents = new Map(view.steps.map((step) => [step.call_id, step.parent_call_id]));
  return view.steps.flatMap((step) => {
    const indent = "  ".repeat(depthOf(step.call_id, parents));
    const stages = step.stages.map(({ name, status }) => {
      const state = status === "completed" ? "ok" : status === "failed" ? "error" : "running";
      return `${indent}    ${mark(state, now, paint)} ${paint.dim(plainLine(name))}`;
    });
    return [`${indent}${stepLine(step, now, paint)}`, ...stages];
  });
}

/** `✔ Reading a page 1.2 s`, with the latest note while it runs and the reason when it failed. */
export function stepLine(step: StepView, now: number, paint: Paint): string {
  const duration = formatDuration(step.duration_ms ?? now - step.started_at);
  const detail =
    step.state === "error" ? reasonOf(step.output) : step.state === "running" ? noteOf(step) : "";
  const title = plainLine(step.title) || plainLine(step.tool);
  const rest = [duration && ` ${duration}`, detail && `  ${detail}`].map((text) => text && paint.dim(text));
  return `${mark(step.state, now, paint)} ${title}${rest.join("")}`;
}

/** `3 steps, 12 s`: the summary that stays after the turn. Empty without steps. */
export function progressSummary(view: TurnView, paint: Paint): string {
  const summary = summariseSteps(view);
  if (summary === "") return "";
  const failed = view.steps.filter((step) => step.state === "error").length;
  const titles = [...new Set(view.steps.map((step) => plainLine(step.title) || plainLine(step.tool)))];
  const shown = titles.slice(0, 4).join(", ") + (titles.length > 4 ? ", …" : "");
  const sign = failed > 0 ? paint.bad("✖") : paint.good("✔");
  return `${sign} ${paint.dim(`${summary}${failed > 0 ? `, ${failed} failed` : ""}: ${shown}`)}`;
}

function depthOf(callId: string, parents: ReadonlyMap<string, string | undefined>): number {
  let depth = 0;
  for (let parent = parents.get(callId); parent !== undefined && depth < 5; parent = parents.get(parent))
    depth++;
  return depth;
}

function mark(state: StepView["state"], now: number, paint: Paint): string {
  if (state === "ok") return paint.good("✔");
  if (state === "error") return paint.bad("✖");
  return paint.accent(spinner[Math.floor(now / spinnerMs) % spinner.length] ?? "…");
}

function noteOf({ note, progress, total }: StepView): string {
  const share = progress === undefined ? "" : total === undefined ? `${progress}` : `${progress}/${total}`;
  return [note === undefined ? "" : plainLine(note), share && `(${share})`].filter(Boolean).join(" ");
}

/** A failed tool's output is `{error, hint?}`. */
function reasonOf(output: Json | undefined): string {
  const failed = isRecord(output) ? output.error : output;
  return typeof failed === "string" ? plainLine(failed) : "";
}
