import { LeaseLostError } from "../../core/turn-log.ts";

/** The reason of an abort because the bot goes down: the turn is resumed at the next start. */
export class ShuttingDown extends Error {
  readonly code = "shutting_down";
}

/** Whether the turn belongs to another worker now, or to the next start: nothing more is written or posted. */
export function isGivenUp(reason: unknown): boolean {
  return reason instanceof ShuttingDown || reason instanceof LeaseLostError;
}
