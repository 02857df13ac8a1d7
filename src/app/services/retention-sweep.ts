import type { MessageIndex } from "../../core/ports/chat-actions.ts";
import type { FileStore } from "../../core/ports/storage.ts";
import type { WorkingFolders } from "../../core/ports/working-folder.ts";
import type { Place } from "../../core/values/place.ts";
import type { AppDeps } from "../app-deps.ts";
import { removeOldOpenings } from "../turns/openings.ts";
import { hasTurns } from "./forgetting.ts";
import { limitOf, type RetentionCounts, type RetentionPolicy } from "./retention-policy.ts";
import { feedbackKey } from "./shapes.ts";
import type { StoredAudit } from "./stored-audit.ts";

/** Where old data is. */
export type AgingData = Pick<AppDeps, "log" | "store" | "copies"> & {
  files: Pick<FileStore, "turns" | "forget">;
  folders: WorkingFolders;
  stored: Pick<StoredAudit, "removeBefore">;
  /** Messages of indexed channels, which are kept as long as conversations. */
  index: Pick<MessageIndex, "clearBefore">;
};

/** What each step deleted or counted. Other work runs between two steps. */
type Steps = AsyncGenerator<Partial<RetentionCounts>, void>;

const dayMs = 86_400_000;

/** Turns per step: details to delete, or files to check. */
const turnsPerStep = 10;

/** Age from which files without a turn count as left over from a crash, ms; for newer files the turn may not be stored yet. */
const strayMs = dayMs;

/** How long the copy of a database from before an upgrade is kept, ms, whatever the policy: long enough to decide on a rollback. */
const copyKeptMs = 14 * dayMs;

/** One pass over old data. `now` is in ms since the epoch; with `dryRun` it only counts. */
export class RetentionPass {
  readonly #in: AgingData;
  readonly #now: number;
  readonly #dryRun: boolean;

  constructor(data: AgingData, now: number, dryRun: boolean) {
    this.#in = data;
    this.#now = now;
    this.#dryRun = dryRun;
  }

  /** Sweeps that delete what is older than the policy keeps, one per kind of data; each works without the others. */
  sweeps(policy: RetentionPolicy): Steps[] {
    const { store, stored, index, copies } = this.#in;
    const [now, dryRun] = [this.#now, this.#dryRun];
    const limit = (kind: keyof RetentionPolicy) => limitOf(policy[kind], now);
    const conversations = limit("conversation_days");
    const details = limit("run_detail_days");
    const files = limit("file_days");
    const audit = limit("audit_days");
    const ofConversations = (before: number) => [
      this.#threads(before),
      inOneStep(() => (dryRun ? undefined : index.clearBefore(before))),
    ];
    // A day later, when no thread that uses an opening is left.
    const ofOpenings = (before: number) =>
      inOneStep(() => removeOldOpenings(store, { time: before - dayMs, now, dryRun }), "openings");
    return [
      ...(conversations === undefined ? [] : ofConversations(conversations)),
      ...(details === undefined ? [] : [this.#details(details)]),
      this.#files(files),
      this.#folders(files),
      ...(audit === undefined ? [] : [inOneStep(() => stored.removeBefore(audit, { dryRun }), "audit")]),
      ...(conversations === undefined ? [] : [ofOpenings(conversations)]),
      inOneStep(() => copies?.remove({ before: now - copyKeptMs, dryRun })),
    ];
  }

  async *#threads(before: number): Steps {
    const { log } = this.#in;
    for (const namespace of await log.namespaces()) {
      for (let page = await log.idleThreads(namespace, before); page.length > 0; ) {
        for (const { thread, turns } of page) {
          if (this.#dryRun) yield { threads: 1, turns };
          else yield* this.#removeThread({ namespace, thread }, before);
        }
        page = await log.idleThreads(namespace, before, page.at(-1));
      }
    }
  }

  /** Deletes turns before their files: after a crash only files without a turn are left, which the sweep of files finds. */
  async *#removeThread(place: Place, before: number): Steps {
    const { log, files, folders, store } = this.#in;
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

  async *#details(before: number): Steps {
    const { log } = this.#in;
    for (let page = await log.oldDetails(before); ; page = await log.oldDetails(before, page.next)) {
      for (let from = 0; from < page.turn_ids.length; from += turnsPerStep) {
        const turnIds = page.turn_ids.slice(from, from + turnsPerStep);
        if (!this.#dryRun) await log.removeDetails(turnIds, this.#now, { idle_since: before });
        yield { run_details: turnIds.length };
      }
      if (page.next === undefined) return;
      yield {};
    }
  }

  async *#files(before: number | undefined): Steps {
    const { log, files } = this.#in;
    let looked = 0;
    for await (const { turn_id, changed_at } of files.turns()) {
      const turn = await log.get(turn_id);
      const isStray = turn === undefined && changed_at < this.#now - strayMs;
      const isOld = before !== undefined && (turn?.finished_at ?? before) < before;
      if ((isStray || isOld) && !this.#dryRun) await files.forget(turn_id);
      looked += 1;
      if (isStray || isOld) yield { files: 1 };
      else if (looked % turnsPerStep === 0) yield {};
    }
  }

  /** Deletes the folder of a thread when the thread is deleted, or when neither was used for long. */
  async *#folders(before: number | undefined): Steps {
    const { log, folders } = this.#in;
    const now = this.#now;
    for await (const { place, changed_at } of folders.all()) {
      const [latest] = await log.list({ ...place, limit: 1 });
      // Left over from a crash while the last turn of its thread was deleted.
      const isStray = changed_at < now - strayMs && !(await hasTurns(log, place));
      const used = Math.max(changed_at, latest?.finished_at ?? (latest === undefined ? 0 : now));
      const isOld = before !== undefined && used < before;
      if ((isStray || isOld) && !this.#dryRun) await folders.of(place).clear();
      yield isStray || isOld ? { files: 1 } : {};
    }
  }
}

/** Work that deletes everything at once, and what its result counts. */
async function* inOneStep(work: () => Promise<unknown> | undefined, kind?: keyof RetentionCounts): Steps {
  const count = await work();
  yield kind === undefined ? {} : { [kind]: Number(count) };
}
