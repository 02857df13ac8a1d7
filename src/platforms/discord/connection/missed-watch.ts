import type { Clock, Log } from "../../../core/ports/storage.ts";

export interface MissedWatchDeps {
  clock: Clock;
  logger: Log;
  isConnected(): boolean;
  catchUp(): Promise<void>;
  seen(): Promise<void>;
}

/** Knows up to when everything was received, and has what is missing looked for. */
export interface MissedWatch {
  start(): void;
  /** Something was missed: it is looked for soon, and again when that fails. */
  lookBack(): void;
  stop(): Promise<void>;
}

/** How often it is noted that everything was received, ms. */
const interval = 60_000;
/** Shards become ready one after the other; one look back serves them all, ms. */
const pause = 50;
/** Before a look back that failed is tried again, ms. */
const retry = 10_000;

export function createMissedWatch(deps: MissedWatchDeps): MissedWatch {
  const { clock, logger } = deps;
  let isMissing = false;
  let isStopped = false;
  let cancel = () => {};
  let working: Promise<void> = Promise.resolve();

  const check = async (): Promise<number> => {
    if (!deps.isConnected()) return interval;
    try {
      if (isMissing) {
        isMissing = false;
        await deps.catchUp();
      }
      if (!isMissing && deps.isConnected()) await deps.seen();
      return interval;
    } catch (error) {
      isMissing = true;
      logger.warn({ err: error }, "Discord: missed messages could not be looked for; it is tried again");
      return retry;
    }
  };
  const schedule = (ms: number) => {
    cancel();
    if (isStopped) return;
    cancel = clock.after(ms, () => {
      working = working.then(check).then(schedule);
    });
  };
  return {
    start: () => schedule(interval),
    lookBack() {
      isMissing = true;
      schedule(pause);
    },
    async stop() {
      isStopped = true;
      cancel();
      await working;
    },
  };
}
