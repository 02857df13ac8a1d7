import wrapAnsi from "wrap-ansi";
import type { TurnView } from "../../core/log/turn-view.ts";
import { fileLines } from "./file-lines.ts";
import { renderMarkdown } from "./markdown.ts";
import { outcomeLines, usageLine } from "./outcome-lines.ts";
import type { Paint } from "./paint.ts";
import { progressSummary } from "./progress-lines.ts";

/** What remains of a turn on the screen. */
export function finalLines(view: TurnView, columns: number, paint: Paint): string[] {
  const summary = progressSummary(view, paint);
  const usage = usageLine(view);
  return [
    ...(summary === "" ? [] : [wrapAnsi(summary, columns - 1, { hard: true })]),
    ...renderMarkdown(view.text, columns - 1, paint),
    ...fileLines(view, paint),
    ...outcomeLines(view, paint),
    ...(usage === "" ? [] : [paint.dim(usage)]),
  ];
}
