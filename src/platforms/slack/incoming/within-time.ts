import { unlessLate } from "../../../base/time-limit.ts";
import type { Clock } from "../../../core/ports/storage.ts";

/** Slack shows an error when a command or click is not acknowledged within 3 s, and does not send it again. */
const maxWaitMs = 2_500;

/**
 * Acknowledges when `work` is done, or shortly before Slack would give up: then the work goes on, as nothing would bring it
 * again. Rejects as `work` does, without acknowledging, when it fails before.
 */
export async function acknowledgeInTime(
  clock: Clock,
  ack: () => Promise<unknown>,
  work: Promise<void>,
): Promise<void> {
  const done = await unlessLate(
    maxWaitMs,
    clock,
    work.then(() => true),
  );
  await ack();
  if (done === undefined) await work;
}
