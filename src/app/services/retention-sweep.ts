import type { TurnLog } from "../../core/log/turn-log.ts";
import type { MessageIndex } from "../../core/ports/chat-actions.ts";
import type { FileStore, KeyValue, UpgradeCopies } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import { removeOldOpenings } from "../turns/openings.ts";
import { feedbackKey, hasTurns } from "./forgetting.ts";
import { limitOf, type RetentionCounts, type RetentionPolicy } from "./retention-policy.ts";
import type { StoredAudit } from "./stored-audit.ts";

export const noCounts: RetentionCounts = {
  threads: 0,
  turns: 0,
  run_details: 0,
  files: 0,
  audit: 0,
  openings: 0,
};

export interface SweepDeps {
  log: TurnLog;
  files: Pick<FileStore, "turns" | "forget">;
  folders: WorkingFolders;
  store: KeyValue;
  stored: Pick<StoredAudit, "removeBefore">;
  /** What was said in channels that are searched by an index: kept as long as conversations. */
  index: Pick<MessageIndex, "clearBefore">;
  copies?: UpgradeCopies | undefined;
}

/** When a sweep is made, ms since the epoch, and whether it only counts. */
export interface SweepOptions {
  now: number;
  dryRun: boolean;
}

/** What a step has deleted or counted. Between two steps others may go on. */
type Steps = AsyncGenerator<Partial<RetentionCounts>, void>;

const dayMs = 86_400_000;

/** Turns whose details one step deletes, and turns whose files it looks at. */
const turnsPerStep = 10;

/** Files without a turn are left of a crash when they are as old as this, ms; before, their turn may still be on its way. */
const strayMs = dayMs;

/** How long a database is kept as it was before an upgrade, ms, whatever the policy: long enough to find that one must go back. */
const copyKeptMs = 14 * dayMs;

/** Deletes what is older than the policy keeps, kind by kind; each works without the others. */
export function sweeps(deps: SweepDeps, policy: RetentionPolicy, options: SweepOptions): Steps[] {
  const { now } = options;
  const conversations = limitOf(policy.conversation_days, now);
  const details = limitOf(policy.run_detail_days, now);
  const audit = limitOf(policy.audit_days, now);
  return [
    ...(conversations === undefined ? [] : [sweepThreads(deps, conversations, options)]),
    ...(conversations === undefined ? [] : [sweepIndex(deps, conversations, options)]),
    ...(details === undefined ? [] : [sweepDetails(deps, details, options)]),
    sweepFiles(deps, limitOf(policy.file_days, now), options),
    sweepFolders(deps, limitOf(policy.file_days, now), options),
    ...(audit === undefined ? [] : [sweepAudit(deps, audit, options)]),
    // A day later, so that no thread is left that goes on from one.
    ...(conversations === undefined ? [] : [sweepOpenings(deps, conversations - dayMs, options)]),
    sweepCopies(deps, options),
  ];
}

async function* sweepThreads(deps: SweepDeps, before: number, options: SweepOptions): Steps {
  const { log } = deps;
  for (const namespace of await log.namespaces()) {
    for (let page = await log.idleThreads(namespace, before); page.length > 0; ) {
      for (const { thread, turns } of page) {
        if (options.dryRun) yield { threads: 1, turns };
        else yield* removeThread(deps, { namespace, thread }, before);
      }
      page = await log.idleThreads(namespace, before, page.at(-1));
    }
  }
}

/** Turns go before their files: what a crash leaves are files without a turn, which `sweepFiles` finds. */
async function* removeThread(
  { log, files, folders, store }: SweepDeps,
  place: { namespace: string; thread: string },
  before: number,
): Steps {
  for (;;) {
    const removed = await log.removeTurns(place, before);
    for (const turnId of removed) {
      await files.forget(turnId);
      await store.delete(feedbackKey(turnId));
    }
    if (removed.length === 0) break;
    yield { turns: removed.length };
  }
  const rest = await log.list({ ...place, limit: 1 });
  if (rest.length > 0) return;
  await folders.of(place).clear();
  yield { threads: 1 };
}

async function* sweepIndex({ index }: SweepDeps, before: number, { dryRun }: SweepOptions): Steps {
  if (!dryRun) await index.clearBefore(before);
  yield {};
}

async function* sweepDetails({ log }: SweepDeps, before: number, { now, dryRun }: SweepOptions): Steps {
  for (let page = await log.oldDetails(before); ; page = await log.oldDetails(before, page.next)) {
    for (let from = 0; from < page.turn_ids.length; from += turnsPerStep) {
      const turnIds = page.turn_ids.slice(from, from + turnsPerStep);
      if (!dryRun) await log.removeDetails(turnIds, now, { idle_since: before });
      yield { run_details: turnIds.length };
    }
    if (page.next === undefined) return;
    yield {};
  }
}

async function* sweepFiles(
  { log, files }: SweepDeps,
  before: number | undefined,
  { now, dryRun }: SweepOptions,
): Steps {
  let looked = 0;
  for await (const { turn_id, changed_at } of files.turns()) {
    const turn = await log.get(turn_id);
    const isStray = turn === undefined && changed_at < now - strayMs;
    const isOld = before !== undefined && (turn?.finished_at ?? before) < before;
    if ((isStray || isOld) && !dryRun) await files.forget(turn_id);
    looked += 1;
    if (isStray || isOld) yield { files: 1 };
    else if (looked % turnsPerStep === 0) yield {};
  }
}

/** A folder goes with its thread, or when nothing happened in either for long. */
async function* sweepFolders(
  { log, folders }: SweepDeps,
  before: number | undefined,
  { now, dryRun }: SweepOptions,
): Steps {
  for await (const { place, changed_at } of folders.all()) {
    const [latest] = await log.list({ ...place, limit: 1 });
    // Earlier versions left it there when the last turn of a thread was deleted.
    const isStray = changed_at < now - strayMs && !(await hasTurns(log, place));
    const used = Math.max(changed_at, latest?.finished_at ?? (latest === undefined ? 0 : now));
    const isOld = before !== undefined && used < before;
    if ((isStray || isOld) && !dryRun) await folders.of(place).clear();
    yield isStray || isOld ? { files: 1 } : {};
  }
}

async function* sweepAudit({ stored }: SweepDeps, before: number, { dryRun }: SweepOptions): Steps {
  yield { audit: await stored.removeBefore(before, { dryRun }) };
}

async function* sweepOpenings({ store }: SweepDeps, before: number, { now, dryRun }: SweepOptions): Steps {
  yield { openings: await removeOldOpenings(store, { time: before, now, dryRun }) };
}

async function* sweepCopies({ copies }: SweepDeps, { now, dryRun }: SweepOptions): Steps {
  await copies?.remove({ before: now - copyKeptMs, dryRun });
  yield {};
}
