import type { Inbound } from "../core/inbound.ts";
import type { TurnEvent, TurnEventOf } from "../core/turn-event.ts";

/** What a thread is called when the message it was named after was deleted. */
export const forgottenTitle = "Deleted message";

/** A turn without its texts. */
export interface ForgottenTurn {
  inbound: Inbound;
  /** All events that remain. */
  events: [TurnEventOf<"inbound">, TurnEventOf<"turn_finished">];
}

/**
 * What remains of a finished turn: that somebody said something, how it ended, and who deleted it. The end takes a new place behind
 * all others, so that who follows the turn learns of it. Undefined when there is nothing left to forget.
 */
export function forgottenTurn(
  events: readonly TurnEvent[],
  by: string,
  at: number,
): ForgottenTurn | undefined {
  const [entry] = events;
  const end = events.findLast((event) => event.type === "turn_finished");
  if (entry?.type !== "inbound" || end === undefined || end.forgotten_by !== undefined) return undefined;
  const { origin, ...said } = entry.inbound;
  const inbound: Inbound = { ...said, text: "" };
  if (origin !== undefined) inbound.origin = { ...origin, files: [] };
  const { turn_id, outcome, merged_into } = end;
  const seq = (events.at(-1)?.seq ?? 0) + 1;
  const body = { type: "turn_finished", outcome, text: "", merged_into, forgotten_by: by } as const;
  return { inbound, events: [{ ...entry, inbound }, withoutAbsent({ ...body, turn_id, seq, at })] };
}

// Both logs answer the same event, and JSON has no absent values.
function withoutAbsent(end: TurnEventOf<"turn_finished">): TurnEventOf<"turn_finished"> {
  const { merged_into, ...rest } = end;
  return merged_into === undefined ? rest : end;
}
