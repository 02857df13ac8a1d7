import type { DueEntry } from "../../core/ports/schedules.ts";
import { runAlone } from "../../core/ports/storage.ts";
import type { Planning } from "./planning.ts";

/** Maximum time between two looks, ms: clocks jump and machines sleep. */
const maxSleepMs = 60_000;

/** Maximum entries read at a time; one process at a time handles them. */
const batchSize = 50;

/** Maximum time for a batch, ms; an entry only submits a turn. */
const maxBatchMs = 60_000;

/** Pause before entries are looked at again that another process was handling, ms. */
const takenPauseMs = 1_000;

/** Delay before an entry that failed unexpectedly is retried, ms. */
const retryDelayMs = 60_000;

/**
 * A timer for due entries.
 * - Order: as due, one after the other, in one process at a time.
 * - How often: at least once. One that fails is due again after `retryDelayMs`.
 * - Slow handling: the next ones are late, and none is left out.
 * - A crash loses nothing: an entry stays due until it is handled.
 * - End: `stop`, after the entry that is being handled.
 * - Bound: `batchSize` in memory.
 * @param run handles one that is due; afterwards it is no longer due
 */
export function createClockwork(
  { due, clock, leases, report }: Pick<Planning, "due" | "clock" | "leases" | "report">,
  run: (entry: DueEntry) => Promise<void>,
) {
  let running: Promise<void> | undefined;
  let again = false;
  let state: "new" | "started" | "stopped" = "new";
  let cancel = () => {};

  const runOne = async (entry: DueEntry) => {
    try {
      await run(entry);
    } catch (error) {
      report(error, `a due entry of kind ${entry.kind}`);
      await due.change(entry.id, (now) => ({ ...now, due_at: clock.now() + retryDelayMs }));
    }
  };
  const runAll = async (entries: readonly DueEntry[]) => {
    for (const { id } of entries) {
      const entry = state === "started" ? await due.get(id) : undefined;
      // Another process may have handled it a moment ago.
      if (entry?.due_at !== undefined && entry.due_at <= clock.now()) await runOne(entry);
    }
  };
  const look = async () => {
    do {
      again = false;
      const entries = await due.due(clock.now(), batchSize);
      if (entries.length > 0) await runAlone(leases, "schedules", maxBatchMs, () => runAll(entries));
    } while (again && state === "started");
    const next = await due.next();
    // Another process may be at those that are still due.
    const soonestMs = next !== undefined && next <= clock.now() ? takenPauseMs : 0;
    sleep(Math.min(maxSleepMs, Math.max(soonestMs, (next ?? Infinity) - clock.now())));
  };
  const sleep = (ms: number) => {
    cancel();
    if (state === "started") cancel = clock.after(ms, wake);
  };
  const wake = () => {
    if (state !== "started") return;
    again = true;
    running ??= look()
      .catch((error: unknown) => {
        again = false;
        report(error, "schedules");
        sleep(maxSleepMs);
      })
      .finally(() => {
        running = undefined;
        // An entry changed while the next wake time was being read.
        if (again) wake();
      });
  };
  return {
    /** Starts the timer; nothing runs before. */
    start() {
      if (state === "new") state = "started";
      wake();
    },
    /** Looks at the entries again, after one was added or changed. */
    wake,
    /** Stops the timer. Resolves when the entry that is running has ended. */
    async stop() {
      state = "stopped";
      cancel();
      await running;
    },
  };
}
