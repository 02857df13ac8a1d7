import wrapAnsi from "wrap-ansi";
import { formatBytes } from "../../base/amounts.ts";
import type { TurnView } from "../../core/log/turn-view.ts";
import { costText } from "../../core/log/usage.ts";
import { renderMarkdown } from "./markdown.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";
import { progressSummary } from "./progress-lines.ts";

/** The lines of a finished turn that stay on the screen. */
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

const limitAdvice = "Everything so far is kept. Write “continue” to go on.";

/** The lines below an answer that did not simply complete, with the next step. */
export function outcomeLines(view: TurnView, paint: Paint): string[] {
  if (view.merged_into !== undefined) return [paint.dim("Added to the running turn.")];
  switch (view.outcome) {
    case undefined:
      return [];
    case "completed":
      return view.error?.code === "not_delivered" ? [paint.bad(plainLine(view.error.message))] : [];
    case "stopped":
      return view.text === "" ? [paint.dim("Stopped.")] : [];
    case "limit_reached":
      return [`${paint.bad("A limit was reached.")} ${paint.dim(limitAdvice)}`];
    case "failed": {
      const reason = view.error === undefined ? "" : ` ${plainLine(view.error.message)}`;
      const shown = reason.trim() !== "" && !view.text.includes(reason.trim()) ? reason : "";
      return [paint.bad("Failed.") + shown];
    }
    default:
      return view.outcome satisfies never;
  }
}

/** `1,204 tokens, $0.0031`, without the cost when no model has a price; empty when no tokens were used. */
function usageLine(view: TurnView): string {
  const tokens = view.input_tokens + view.output_tokens;
  if (tokens === 0) return "";
  return [`${tokens.toLocaleString("en")} tokens`, costText(view)].filter(Boolean).join(", ");
}

/** The files of a turn with their addresses in the HTTP API, one line each. */
export function fileLines({ files }: TurnView, paint: Paint): string[] {
  return files.map(
    ({ name, bytes, url }) =>
      `${paint.accent("File:")} ${plainLine(name)} ${paint.dim(`(${formatBytes(bytes)}) ${plainLine(url)}`)}`,
  );
}
