import type { TurnView } from "../../core/log/turn-view.ts";

/** The card below an answer. */
export interface TurnOutcome {
  kind: "stopped" | "limited" | "failed";
  /** Undefined if the answer already says it. */
  title?: string;
  /** Markdown. */
  body: string;
  /** A button, and the message it sends. */
  next?: { label: string; text: string };
}

/** The outcome of a turn that did not simply answer, with the next step; undefined for any other turn. */
export function turnOutcome({ outcome, error, said, text }: TurnView): TurnOutcome | undefined {
  switch (outcome) {
    case "stopped":
      return {
        kind: "stopped",
        body: "Ask again, or continue with another message.",
        next: { label: "Ask again", text: said },
      };
    case "limit_reached":
      return {
        kind: "limited",
        title: "A limit was reached",
        body: "What was done is kept. Continue resumes from here.",
        next: { label: "Continue", text: "continue" },
      };
    case "failed":
      return {
        kind: "failed",
        title: "This did not work",
        body: (error?.message ?? text) || "No reason was given. Knack's log may have details.",
        next: { label: "Try again", text: said },
      };
    default:
      return error?.code === "not_delivered"
        ? { kind: "failed", title: "This was not posted", body: error.message }
        : undefined;
  }
}
