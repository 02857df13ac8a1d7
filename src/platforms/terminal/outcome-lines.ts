import { costText } from "../../core/log/turn-event.ts";
import type { TurnView } from "../../core/log/turn-view.ts";
import type { Paint } from "./paint.ts";
import { plainLine } from "./plain-text.ts";

/** What is said below an answer that did not simply complete, and what to do then. */
export function outcomeLines(view: TurnView, paint: Paint): string[] {
  if (view.merged_into !== undefined) return [paint.dim("Taken into the turn that is running.")];
  switch (view.outcome) {
    case undefined:
      return [];
    case "completed":
      return view.error?.code === "not_delivered" ? [paint.bad(plainLine(view.error.message))] : [];
    case "stopped":
      return view.text === "" ? [paint.dim("Stopped.")] : [];
    case "limit_reached":
      return [paint.bad("A limit was reached.") + paint.dim(" Write “continue” to go on from here.")];
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
export function usageLine(view: TurnView): string {
  const tokens = view.input_tokens + view.output_tokens;
  if (tokens === 0) return "";
  return [`${tokens.toLocaleString("en")} tokens`, costText(view)].filter(Boolean).join(", ");
}
