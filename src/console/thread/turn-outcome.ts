import type { TurnView } from "../../core/log/turn-view.ts";

/** What the card below an answer says. */
export interface TurnOutcome {
  kind: "stopped" | "limited" | "failed";
  /** Left out where the answer says it already. */
  title?: string;
  /** Markdown. */
  body: string;
  /** A button, and the message it sends. */
  next?: { label: string; text: string };
}

/** How a finished turn ended when it did not simply answer, and what to do next. */
export function turnOutcome({ outcome, error, said, text }: TurnView): TurnOutcome | undefined {
  switch (outcome) {
    case "stopped":
      return {
        kind: "stopped",
        body: "Ask again, or go on with another message.",
        next: { label: "Ask again", text: said },
      };
    case "limit_reached":
      return {
        kind: "limited",
        title: "A limit was reached",
        body: "What was done is kept. Continue goes on from here.",
        next: { label: "Continue", text: "continue" },
      };
    case "failed":
      return {
        kind: "failed",
        title: "This did not work",
        body: (error?.message ?? text) || "No reason was given. The log of Knack may know more.",
        next: { label: "Try again", text: said },
      };
    default:
      return error?.code === "not_delivered"
        ? { kind: "failed", title: "This was not posted", body: error.message }
        : undefined;
  }
}
