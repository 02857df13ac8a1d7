import type { KeyValue, Log } from "../../core/ports/storage.ts";
import { type Json, toJson } from "../../core/values/json.ts";

/** A line of the audit as it is stored. `at` is ms since the epoch. Texts are plain, without secrets. */
export interface AuditLine {
  at: number;
  action: string;
  /** Who did it: the platform's user id, or that of `deletedPerson`. */
  by: string;
  by_name: string;
  namespace: string;
  subject: string;
  detail: string;
  /** Another person whom the detail names: the platform's user id, and the name as in the detail. */
  about?: string;
  about_name?: string;
}

/**
 * The audit in the store. A day (UTC) is the key `audit:YYYY-MM-DD`; a day with more lines continues under `audit:YYYY-MM-DD:0002` and so
 * on, so that no value grows without bound.
 */
export interface StoredAudit {
  /** Stores a line soon, together with others added at the same time. Never throws. */
  add(line: AuditLine): void;
  /** Resolves when all added lines are stored. Lines that the store refused are kept and stored with the next one. */
  settled(): Promise<void>;
  /** The stored lines, the oldest day first, from the day (UTC) of `since` (ms) on. Reads one value at a time. */
  lines(since?: number): AsyncIterable<AuditLine>;
  /** Deletes the days (UTC) that ended before `time` (ms), or only counts their lines. Returns the number of lines. */
  removeBefore(time: number, options?: { dryRun?: boolean }): Promise<number>;
  /** Replaces each line with the result of `change`, and deletes it if that is undefined. Returns how many are not the same. */
  rewrite(
    change: (line: AuditLine) => AuditLine | undefined,
    options?: { dryRun?: boolean },
  ): Promise<number>;
}

const prefix = "audit:";

/** Lines in one value; with texts of maximum length it stays below 1 MB. */
const maxLines = 250;

/** Maximum lines in memory while the store refuses them. The oldest are dropped; the log has them. */
const maxWaiting = 2_000;

/** Maximum characters of a stored text. */
const maxText = 1_000;

export function createStoredAudit(store: KeyValue, logger: Log): StoredAudit {
  let waiting: AuditLine[] = [];
  let writing: Promise<void> | undefined;
  let open = { day: "", part: 1 };

  const writeNext = async () => {
    const [{ at }] = waiting as [AuditLine];
    const day = dayOf(at);
    if (open.day !== day) open = { day, part: await lastPart(store, day) };
    const otherDay = waiting.findIndex((line) => dayOf(line.at) !== day);
    const lines = otherDay < 0 ? waiting : waiting.slice(0, otherDay);
    const { length } = lines;
    const taken = await append(store, keyOf(open.day, open.part), lines);
    waiting = waiting.slice(taken);
    if (taken < length) open.part += 1;
  };
  const writeAll = async () => {
    try {
      while (waiting.length > 0) await writeNext();
    } catch (error) {
      waiting = waiting.slice(-maxWaiting);
      logger.warn({ err: error }, "The audit could not be stored. Its lines are kept for the next try.");
    } finally {
      writing = undefined;
    }
  };
  const settled = async () => {
    if (waiting.length === 0) return;
    writing ??= writeAll();
    await writing;
  };
  return {
    settled,
    add(line) {
      waiting.push(bounded(line));
      void settled();
    },
    async *lines(since = 0) {
      await settled();
      const first = prefix + dayOf(Math.max(0, since));
      for await (const key of store.keys(prefix)) if (key >= first) yield* linesOf(await store.get(key));
    },
    async removeBefore(time, { dryRun = false } = {}) {
      await settled();
      return removeDays(store, time, dryRun);
    },
    async rewrite(change, { dryRun = false } = {}) {
      await settled();
      return rewriteLines(store, change, dryRun);
    },
  };
}

/** Returns how many of the lines fit under the key. */
async function append(store: KeyValue, key: string, lines: readonly AuditLine[]): Promise<number> {
  let taken = 0;
  await store.update<Json>(key, (value) => {
    const before = linesOf(value);
    const more = lines.slice(0, Math.max(0, maxLines - before.length));
    taken = more.length;
    return toJson([...before, ...more]);
  });
  return taken;
}

async function removeDays(store: KeyValue, time: number, dryRun: boolean): Promise<number> {
  const first = prefix + dayOf(time);
  let count = 0;
  for await (const key of store.keys(prefix)) {
    if (key >= first) break;
    count += linesOf(await store.get(key)).length;
    if (!dryRun) await store.delete(key);
  }
  return count;
}

async function rewriteLines(
  store: KeyValue,
  change: (line: AuditLine) => AuditLine | undefined,
  dryRun: boolean,
): Promise<number> {
  let count = 0;
  for await (const key of store.keys(prefix)) {
    const changed = linesOf(await store.get(key)).filter((line) => change(line) !== line).length;
    count += changed;
    if (changed > 0 && !dryRun)
      await store.update<Json>(key, (value) => toJson(linesOf(value).flatMap((line) => change(line) ?? [])));
  }
  return count;
}

async function lastPart(store: KeyValue, day: string): Promise<number> {
  let last = 1;
  for await (const key of store.keys(prefix + day)) {
    const part = key.slice(prefix.length + day.length + 1);
    if (part !== "") last = Number(part);
  }
  return last;
}

function keyOf(day: string, part: number): string {
  return part === 1 ? prefix + day : `${prefix}${day}:${String(part).padStart(4, "0")}`;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function bounded(line: AuditLine): AuditLine {
  const { subject, detail, ...rest } = line;
  return { ...rest, subject: subject.slice(0, maxText), detail: detail.slice(0, maxText) };
}

// Values under these keys were made by `toJson`.
function linesOf(value: Json | undefined): AuditLine[] {
  return (value ?? []) as unknown as AuditLine[];
}
