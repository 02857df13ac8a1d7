import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** Wakes when something comes due. */
export interface Clockwork {
  /** Begins; before that nothing runs. */
  start(): void;
  /** Something was added or changed: it may come due earlier than what was waited for. */
  wake(): void;
  /** Lets what is under way end, and runs nothing more. */
  stop(): Promise<void>;
}

export interface ClockworkDeps {
  due: DueEntries;
  clock: Clock;
  /** Brings one due entry on: afterwards it is not due any more. */
  run(entry: DueEntry): Promise<void>;
  report(error: unknown, where: string): void;
}

/** Clocks jump and machines sleep: so often is looked at least, ms. */
const maxSleep = 60_000;

/** Entries that are run in one go. */
const atOnce = 50;

/** After an entry that failed unexpectedly, how long it is left alone, ms. */
const restAfterFailure = 60_000;

export function createClockwork({ due, clock, run, report }: ClockworkDeps): Clockwork {
  let running: Promise<void> | undefined;
  let again = false;
  let state: "new" | "started" | "stopped" = "new";
  let cancel = () => {};

  const runOne = async (entry: DueEntry) => {
    try {
      await run(entry);
    } catch (error) {
      report(error, `a due entry of kind ${entry.kind}`);
      await due.change(entry.id, (now) => ({ ...now, due_at: clock.now() + restAfterFailure }));
    }
  };
  const look = async () => {
    do {
      again = false;
      for (const entry of await due.due(clock.now(), atOnce)) if (state === "started") await runOne(entry);
    } while (again && state === "started");
    const next = await due.next();
    sleep(Math.min(maxSleep, Math.max(0, (next ?? Infinity) - clock.now())));
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
        sleep(maxSleep);
      })
      .finally(() => {
        running = undefined;
        // Something changed while the time to wake at was being read.
        if (again) wake();
      });
  };
  return {
    start() {
      if (state === "new") state = "started";
      wake();
    },
    wake,
    async stop() {
      state = "stopped";
      cancel();
      await running;
    },
  };
}
