import type { StepView } from "../../core/log/turn-view-steps.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { fileLines, outcomeLines } from "./final-lines.ts";
import type { TurnDisplay } from "./follow-turn.ts";
import { createPaint } from "./paint.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { stepLine } from "./progress-lines.ts";

/** Minimum time between two lines of a model's thoughts, ms: they stay on the screen, and a long thought has hundreds. */
const thoughtIntervalMs = 5_000;

/**
 * Shows a turn as plain lines without redrawing, for pipes and logs: one when a step starts, one for each finished stage, one
 * when the step ends, then the answer's Markdown as it is.
 */
export function createLineDisplay(
  write: { progress(line: string): void; answer(text: string): void },
  clock: Pick<Clock, "now">,
  paint = createPaint(false),
): TurnDisplay {
  const said = new Set<string>();
  let quietUntil = Number.NEGATIVE_INFINITY;
  const sayOnce = (key: string, line: string) => {
    if (said.has(key)) return;
    said.add(key);
    write.progress(line);
  };
  const showStep = (step: StepView) => {
    sayOnce(`start ${step.call_id}`, `→ ${plainLine(step.title) || plainLine(step.tool)}`);
    for (const { name, status } of step.stages) {
      if (status === "running") continue;
      const key = JSON.stringify(["stage", step.call_id, name]);
      sayOnce(key, `  ${status === "completed" ? "✔" : "✖"} ${plainLine(name)}`);
    }
    if (step.state !== "running") sayOnce(`end ${step.call_id}`, stepLine(step, clock.now(), paint));
  };
  return {
    update(view) {
      if (view.notice !== undefined) sayOnce(`notice ${view.notice}`, plainLine(view.notice));
      if (view.thought !== undefined && clock.now() >= quietUntil) {
        sayOnce(`thought ${view.thought}`, paint.dim(plainLine(view.thought)));
        quietUntil = clock.now() + thoughtIntervalMs;
      }
      view.steps.forEach(showStep);
    },
    note(text) {
      if (text !== "") write.progress(plainLine(text));
    },
    pause: () => undefined,
    finish(view) {
      view.steps.forEach(showStep);
      const text = plainText(view.text).trimEnd();
      if (text !== "") write.answer(text);
      for (const line of [...fileLines(view, paint), ...outcomeLines(view, paint)]) write.progress(line);
    },
  };
}
