import type { Clock } from "../../core/clock.ts";

/** Slack shows an error when a command or click is not acknowledged within 3 s, and does not send it again. */
const patience = 2_500;

/**
 * Acknowledges when `work` is done, or shortly before Slack would give up: then the work goes on, as nothing would bring it
 * again. Rejects as `work` does, without acknowledging, when it fails before.
 */
export async function acknowledgeInTime(
  clock: Clock,
  ack: () => Promise<unknown>,
  work: Promise<void>,
): Promise<void> {
  const late = Promise.withResolvers<"late">();
  const cancel = clock.after(patience, () => late.resolve("late"));
  try {
    const first = await Promise.race([work, late.promise]);
    await ack();
    if (first === "late") await work;
  } finally {
    cancel();
  }
}
