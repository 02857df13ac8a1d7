import { runAlone } from "../../core/ports/storage.ts";
import type { AppDeps } from "../app-deps.ts";
import type { PastThreads } from "../turns/past-threads.ts";
import {
  type Announcement,
  announce,
  announcementKey,
  deletesFrom,
  type RetentionCounts,
  type RetentionReport,
  type RetentionStatus,
  readAnnouncement,
} from "./retention-policy.ts";
import { type AgingData, RetentionPass } from "./retention-sweep.ts";

type RetentionDeps = AgingData &
  Pick<AppDeps, "leases" | "clock" | "logger" | "retention"> & { past: Pick<PastThreads, "forget"> };

/** Time between two passes, and from the start to the first one, ms. */
const hourMs = 3_600_000;
const firstMs = 60_000;

/** Pause between two steps, ms: turns come first. */
const pauseMs = 10;

const notDeleted = "Old data could not be deleted; the next pass tries again";

/** Deletes data that is older than the policy keeps, in passes, one at a time. */
export class Retention {
  readonly #deps: RetentionDeps;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #hasScrubbed = false;
  #cancel = () => {};

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  async status(): Promise<RetentionStatus> {
    const { before, due } = await announced(this.#deps);
    const isKnown = due.at === before?.at || due.at === 0;
    return { policy: this.#deps.retention, from: isKnown ? deletesFrom(due) : undefined };
  }

  /** Counts old data and deletes it unless `dryRun`. During the notice period of the policy it only counts. */
  async run({ dryRun }: { dryRun: boolean }): Promise<RetentionReport> {
    const from = dryRun ? undefined : await keepAnnounced(this.#deps);
    const ran = from !== undefined && from <= this.#deps.clock.now();
    const counts = await this.#runPass(!ran);
    const status = dryRun ? await this.status() : { policy: this.#deps.retention, from };
    return { ...status, ran, counts };
  }

  /** Announces a new policy, then deletes old data every hour. Never throws. */
  async start(): Promise<void> {
    const { clock, logger, retention } = this.#deps;
    this.#schedule(firstMs);
    try {
      const from = await keepAnnounced(this.#deps);
      if (from <= clock.now()) return;
      const message = `Old data is deleted from ${new Date(from).toISOString()} on`;
      logger.info({ ...retention, from }, `${message}; set retention.* to never to keep it`);
    } catch (error) {
      logger.warn({ err: error }, "The retention policy could not be announced; the next pass tries again");
    }
  }

  /** Resolves when the current step has ended. */
  async stop(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    await this.#running;
  }

  #schedule(ms: number): void {
    if (!this.#stopping.signal.aborted) this.#cancel = this.#deps.clock.after(ms, () => void this.#hourly());
  }

  async #hourly(): Promise<void> {
    const { clock, logger, leases } = this.#deps;
    try {
      if ((await keepAnnounced(this.#deps)) <= clock.now())
        await runAlone(leases, "retention", hourMs, () => this.#runPass(false));
    } catch (error) {
      logger.warn({ err: error }, notDeleted);
    }
    this.#schedule(hourMs);
  }

  /** Runs a pass when those before it have ended; with `dryRun` it only counts. */
  #runPass(dryRun: boolean): Promise<RetentionCounts> {
    const done = this.#running.then(() => this.#pass(dryRun));
    this.#running = done.catch(() => {});
    return done;
  }

  async #pass(dryRun: boolean): Promise<RetentionCounts> {
    const { log, clock, logger, retention, past } = this.#deps;
    const counts = { threads: 0, turns: 0, run_details: 0, files: 0, audit: 0, openings: 0 };
    for (const steps of new RetentionPass(this.#deps, clock.now(), dryRun).sweeps(retention)) {
      if (this.#stopping.signal.aborted) break;
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
      if (!this.#stopping.signal.aborted) logger.warn({ err: error }, notDeleted);
    }
  }
}

/** The stored announcement, and the one that is due for the policy now. */
async function announced(
  deps: RetentionDeps,
): Promise<{ before: Announcement | undefined; due: Announcement }> {
  const { log, store, clock, retention } = deps;
  const before = readAnnouncement(await store.get(announcementKey));
  const isEmpty = (await log.list({ limit: 1 })).length === 0;
  return { before, due: announce(retention, { before, now: clock.now(), isEmpty }) };
}

/** Stores the announcement that is due. Returns the time from which old data is deleted, ms since the epoch. */
async function keepAnnounced(deps: RetentionDeps): Promise<number> {
  const { before, due } = await announced(deps);
  if (JSON.stringify(before) !== JSON.stringify(due)) await deps.store.set(announcementKey, { ...due });
  return deletesFrom(due);
}
