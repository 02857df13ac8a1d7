import type { TurnLog } from "../../core/log/turn-log.ts";
import type { Clock, KeyValue, Log } from "../../core/ports/storage.ts";
import type { PastThreads } from "../turns/past-threads.ts";
import {
  type Announcement,
  announce,
  announcementKey,
  deletesFrom,
  type Retention,
  type RetentionCounts,
  type RetentionPolicy,
  type RetentionStatus,
  readAnnouncement,
} from "./retention-policy.ts";
import { noCounts, type SweepDeps, sweeps } from "./retention-sweep.ts";

/** The same, as the bot runs it. */
export interface RetentionRunner extends Retention {
  /** Announces the policy where it is new, and from then on deletes every hour. Never throws. */
  start(): Promise<void>;
  /** Resolves when the step under way has ended. */
  stop(): Promise<void>;
}

export interface RetentionDeps extends SweepDeps {
  store: KeyValue;
  log: TurnLog;
  past: Pick<PastThreads, "forget">;
  clock: Clock;
  logger: Log;
  policy: RetentionPolicy;
}

/** The time between two passes, and until the first one, ms. */
const hourMs = 3_600_000;
const firstMs = 60_000;

/** Between two steps, ms: turns come first. */
const pauseMs = 10;

export function createRetention(deps: RetentionDeps): RetentionRunner {
  const { log, store, clock, logger, policy, past } = deps;
  const stopping = new AbortController();
  let cancel = () => {};
  let scrubbed = false;
  let running: Promise<unknown> = Promise.resolve();

  const pass = async (dryRun: boolean): Promise<RetentionCounts> => {
    const counts = { ...noCounts };
    for (const steps of sweeps(deps, policy, { now: clock.now(), dryRun })) {
      if (stopping.signal.aborted) break;
      await add(steps, counts);
    }
    if (dryRun) return counts;
    const isChanged = Object.values(counts).some((count) => count > 0);
    if (isChanged) past.forget();
    // The first time also what a pass deleted before the bot crashed.
    if (isChanged || !scrubbed) await log.scrub();
    scrubbed = true;
    if (isChanged) logger.info({ ...counts }, "Old data was deleted");
    return counts;
  };
  const add = async (steps: AsyncIterable<Partial<RetentionCounts>>, counts: RetentionCounts) => {
    try {
      for await (const step of steps) {
        for (const [kind, count] of Object.entries(step)) counts[kind as keyof RetentionCounts] += count;
        await clock.sleep(pauseMs, stopping.signal);
      }
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.warn({ err: error }, "Old data could not be deleted; the next pass tries again");
    }
  };
  /** One pass at a time. */
  const inLine = <T>(work: () => Promise<T>): Promise<T> => {
    const done = running.then(work);
    running = done.catch(() => {});
    return done;
  };

  const announced = async (): Promise<{ before: Announcement | undefined; due: Announcement }> => {
    const before = readAnnouncement(await store.get(announcementKey));
    const isEmpty = (await log.list({ limit: 1 })).length === 0;
    return { before, due: announce(policy, { before, now: clock.now(), isEmpty }) };
  };
  const keepAnnounced = async (): Promise<number> => {
    const { before, due } = await announced();
    if (JSON.stringify(before) !== JSON.stringify(due)) await store.set(announcementKey, { ...due });
    return deletesFrom(due);
  };

  const hourly = async () => {
    try {
      if ((await keepAnnounced()) <= clock.now()) await inLine(() => pass(false));
    } catch (error) {
      logger.warn({ err: error }, "Old data could not be deleted; the next pass tries again");
    }
    schedule(hourMs);
  };
  const schedule = (ms: number) => {
    if (!stopping.signal.aborted) cancel = clock.after(ms, () => void hourly());
  };

  const status = async (): Promise<RetentionStatus> => {
    const { before, due } = await announced();
    const isKnown = due.at === before?.at || due.at === 0;
    return { policy, ...(isKnown ? { from: deletesFrom(due) } : {}) };
  };

  return {
    status,
    async run({ dryRun }) {
      const from = dryRun ? undefined : await keepAnnounced();
      const ran = from !== undefined && from <= clock.now();
      const counts = await inLine(() => pass(!ran));
      return { ...(dryRun ? await status() : { policy, from }), ran, counts };
    },
    async start() {
      schedule(firstMs);
      try {
        const from = await keepAnnounced();
        if (from <= clock.now()) return;
        const message = `Old data is deleted from ${new Date(from).toISOString()} on`;
        logger.info({ ...policy, from }, `${message}; set retention.* to never to keep it`);
      } catch (error) {
        logger.warn({ err: error }, "What is deleted when could not be read or stored");
      }
    },
    async stop() {
      cancel();
      stopping.abort();
      await running;
    },
  };
}
