import type { TurnLog } from "../../core/log/turn-log.ts";
import { type Clock, type KeyValue, type Leases, type Log, runAlone } from "../../core/ports/storage.ts";
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

/** Retention as the bot runs it. */
export interface RetentionRunner extends Retention {
  /** Announces a new policy, then deletes old data every hour. Never throws. */
  start(): Promise<void>;
  /** Resolves when the current step has ended. */
  stop(): Promise<void>;
}

export interface RetentionDeps extends SweepDeps {
  store: KeyValue;
  leases: Leases;
  log: TurnLog;
  past: Pick<PastThreads, "forget">;
  clock: Clock;
  logger: Log;
  policy: RetentionPolicy;
}

/** Time between two passes, and from the start to the first one, ms. */
const hourMs = 3_600_000;
const firstMs = 60_000;

/** Pause between two steps, ms: turns come first. */
const pauseMs = 10;

/** Deletes old data in passes, one at a time. */
class RetentionPasses {
  readonly #deps: RetentionDeps;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #hasScrubbed = false;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs a pass when those before it have ended; with `dryRun` it only counts. */
  run(dryRun: boolean): Promise<RetentionCounts> {
    const done = this.#running.then(() => this.#pass(dryRun));
    this.#running = done.catch(() => {});
    return done;
  }

  /** Ends the pass under way after its current step. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #pass(dryRun: boolean): Promise<RetentionCounts> {
    const { log, clock, logger, policy, past } = this.#deps;
    const counts = { ...noCounts };
    for (const steps of sweeps(this.#deps, policy, { now: clock.now(), dryRun })) {
      if (this.isStopped) break;
      await this.#sweep(steps, counts);
    }
    if (dryRun) return counts;
    const isChanged = Object.values(counts).some((count) => count > 0);
    if (isChanged) past.forget();
    // The first pass also scrubs data that was deleted just before the bot crashed.
    if (isChanged || !this.#hasScrubbed) await log.scrub();
    this.#hasScrubbed = true;
    if (isChanged) logger.info({ ...counts }, "Old data was deleted");
    return counts;
  }

  async #sweep(steps: AsyncIterable<Partial<RetentionCounts>>, counts: RetentionCounts): Promise<void> {
    const { clock, logger } = this.#deps;
    try {
      for await (const step of steps) {
        for (const [kind, count] of Object.entries(step)) counts[kind as keyof RetentionCounts] += count;
        await clock.sleep(pauseMs, this.#stopping.signal);
      }
    } catch (error) {
      if (!this.isStopped) logger.warn({ err: error }, notDeleted);
    }
  }
}

const notDeleted = "Old data could not be deleted; the next pass tries again";

export function createRetention(deps: RetentionDeps): RetentionRunner {
  const { clock, logger, leases, policy } = deps;
  const passes = new RetentionPasses(deps);
  let cancel = () => {};

  const hourly = async () => {
    try {
      if ((await keepAnnounced(deps)) <= clock.now())
        await runAlone(leases, "retention", hourMs, () => passes.run(false));
    } catch (error) {
      logger.warn({ err: error }, notDeleted);
    }
    schedule(hourMs);
  };
  const schedule = (ms: number) => {
    if (!passes.isStopped) cancel = clock.after(ms, () => void hourly());
  };

  return {
    status: () => statusOf(deps),
    async run({ dryRun }) {
      const from = dryRun ? undefined : await keepAnnounced(deps);
      const ran = from !== undefined && from <= clock.now();
      const counts = await passes.run(!ran);
      return { ...(dryRun ? await statusOf(deps) : { policy, from }), ran, counts };
    },
    async start() {
      schedule(firstMs);
      try {
        const from = await keepAnnounced(deps);
        if (from <= clock.now()) return;
        const message = `Old data is deleted from ${new Date(from).toISOString()} on`;
        logger.info({ ...policy, from }, `${message}; set retention.* to never to keep it`);
      } catch (error) {
        logger.warn({ err: error }, "The retention policy could not be announced; the next pass tries again");
      }
    },
    async stop() {
      cancel();
      await passes.stop();
    },
  };
}

/** The stored announcement, and the one that is due for the policy now. */
async function announced({
  log,
  store,
  clock,
  policy,
}: RetentionDeps): Promise<{ before: Announcement | undefined; due: Announcement }> {
  const before = readAnnouncement(await store.get(announcementKey));
  const isEmpty = (await log.list({ limit: 1 })).length === 0;
  return { before, due: announce(policy, { before, now: clock.now(), isEmpty }) };
}

/** Stores the announcement that is due. Returns the time from which old data is deleted, ms since the epoch. */
async function keepAnnounced(deps: RetentionDeps): Promise<number> {
  const { before, due } = await announced(deps);
  if (JSON.stringify(before) !== JSON.stringify(due)) await deps.store.set(announcementKey, { ...due });
  return deletesFrom(due);
}

async function statusOf(deps: RetentionDeps): Promise<RetentionStatus> {
  const { before, due } = await announced(deps);
  const isKnown = due.at === before?.at || due.at === 0;
  return { policy: deps.policy, ...(isKnown ? { from: deletesFrom(due) } : {}) };
}
