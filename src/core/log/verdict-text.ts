import type { TurnEventOf } from "./turn-event.ts";

type Verdict = Pick<TurnEventOf<"approval_decided">, "approved" | "always" | "never" | "for_turn">;

/** What somebody decided, as it follows their name: `approved, always here`. */
export function verdictText({ approved, always, never, for_turn }: Verdict): string {
  if (!approved) return never ? "refused, for good here" : "refused";
  if (always) return "approved, always here";
  return for_turn ? "approved, this site for this turn" : "approved";
}
