import { errorText } from "../../base/error-text.ts";
import { type ClaimedTurn, LeaseLostError } from "../../core/log/turn-log.ts";
import { isTemporaryFailure, type Log } from "../../core/ports/storage.ts";
import type { AppDeps } from "../app-deps.ts";
import type { TurnWriter } from "./turn-writer.ts";

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

/** Releases a turn for a retry after the lease time. The failure counts against the turn unless a store is to blame. */
export async function retryLater(
  { log, logger, lease_ms }: Pick<AppDeps, "log" | "logger" | "lease_ms">,
  { turn_id, lease }: ClaimedTurn,
  writer: TurnWriter,
  error: unknown,
): Promise<void> {
  logger.error({ err: error, turn_id }, "A turn was interrupted; it will be retried");
  const message = `The turn was interrupted. It is kept and will be retried: ${errorText(error)}`;
  await writer.show({ type: "error", code: "interrupted", message });
  const isBlamed = !writer.isBroken && !isTemporaryFailure(error);
  await log
    .release(turn_id, lease, lease_ms, isBlamed)
    .catch((failure: unknown) => warnUnreleased(logger, turn_id, failure));
}

/** Leaves a turn to the next start. This does not count as a failure. */
export async function handOver(
  { log, logger }: Pick<AppDeps, "log" | "logger">,
  { turn_id, lease }: ClaimedTurn,
  writer: TurnWriter,
): Promise<void> {
  try {
    await writer.flush();
    await log.release(turn_id, lease, 0);
  } catch (error) {
    warnUnreleased(logger, turn_id, error);
  }
}

function warnUnreleased(logger: Log, turn_id: string, error: unknown): void {
  if (isGivenUp(error)) return;
  logger.warn({ err: error, turn_id }, "A turn could not be released; it resumes when its lease expires");
}
