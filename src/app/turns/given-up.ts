import { LeaseLostError } from "../../core/log/turn-log.ts";

/** The reason of an abort because the bot goes down: the turn is resumed at the next start. */
export class ShuttingDown extends Error {
  readonly code = "shutting_down";
}

/** Whether the turn belongs to another worker now, or to the next start: nothing more is written or posted. */
export function isGivenUp(reason: unknown): boolean {
  return reason instanceof ShuttingDown || reason instanceof LeaseLostError;
}

/** A signal that is aborted only when the turn is left to another worker or the next start; `release` when it is no longer needed. */
export function followGivenUp(signal: AbortSignal): { givenUp: AbortSignal; release(): void } {
  const controller = new AbortController();
  const follow = () => {
    if (isGivenUp(signal.reason)) controller.abort(signal.reason);
  };
  if (signal.aborted) follow();
  signal.addEventListener("abort", follow);
  return { givenUp: controller.signal, release: () => signal.removeEventListener("abort", follow) };
}
