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
  about?: string | undefined;
  about_name?: string | undefined;
}

const prefix = "audit:";

/** Lines in one value; with texts of maximum length it stays below 1 MB. */
const maxLines = 250;

/** Maximum lines in memory while the store refuses them. The oldest are dropped; the log has them. */
const maxWaiting = 2_000;

/** Maximum characters of a stored text. */
const maxText = 1_000;

/**
 * The audit in the store. A day (UTC) is the key `audit:YYYY-MM-DD`; a day with more lines continues under `audit:YYYY-MM-DD:0002` and so
 * on, so that no value grows without bound.
 */
export class StoredAudit {
  readonly #store: KeyValue;
  readonly #logger: Log;
  #waiting: AuditLine[] = [];
  #writing: Promise<void> | undefined;
  #open = { day: "", part: 1 };

  constructor(store: KeyValue, logger: Log) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Stores a line soon, together with others added at the same time. Never throws. */
  add(line: AuditLine): void {
    const { subject, detail } = line;
    this.#waiting.push({ ...line, subject: subject.slice(0, maxText), detail: detail.slice(0, maxText) });
    void this.settled();
  }

  /** Resolves when all added lines are stored. Lines that the store refused are kept and stored with the next one. */
  async settled(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#writing ??= this.#writeAll();
    await this.#writing;
  }

  /** The stored lines, the oldest day first, from the day (UTC) of `since` (ms) on. Reads one value at a time. */
  async *lines(since = 0): AsyncGenerator<AuditLine, void> {
    await this.settled();
    const first = prefix + dayOf(Math.max(0, since));
    for await (const key of this.#store.keys(prefix))
      if (key >= first) yield* linesOf(await this.#store.get(key));
  }

  /** Deletes the days (UTC) that ended before `time` (ms), or only counts their lines. Returns the number of lines. */
  async removeBefore(time: number, { dryRun = false } = {}): Promise<number> {
    await this.settled();
    const first = prefix + dayOf(time);
    let count = 0;
    for await (const key of this.#store.keys(prefix)) {
      if (key >= first) break;
      count += linesOf(await this.#store.get(key)).length;
      if (!dryRun) await this.#store.delete(key);
    }
    return count;
  }

  /** Replaces each line with the result of `change`, and deletes it if that is undefined. Returns how many are not the same. */
  async rewrite(
    change: (line: AuditLine) => AuditLine | undefined,
    { dryRun = false } = {},
  ): Promise<number> {
    await this.settled();
    let count = 0;
    for await (const key of this.#store.keys(prefix)) {
      const changed = linesOf(await this.#store.get(key)).filter((line) => change(line) !== line).length;
      count += changed;
      const rewritten = (value?: Json) => toJson(linesOf(value).flatMap((line) => change(line) ?? []));
      if (changed > 0 && !dryRun) await this.#store.update<Json>(key, rewritten);
    }
    return count;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeNext();
    } catch (error) {
      this.#waiting = this.#waiting.slice(-maxWaiting);
      this.#logger.warn(
        { err: error },
        "The audit could not be stored. Its lines are kept for the next try.",
      );
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeNext(): Promise<void> {
    const [{ at }] = this.#waiting as [AuditLine];
    const day = dayOf(at);
    if (this.#open.day !== day) this.#open = { day, part: await lastPart(this.#store, day) };
    const otherDay = this.#waiting.findIndex((line) => dayOf(line.at) !== day);
    const lines = this.#waiting.slice(0, otherDay < 0 ? undefined : otherDay);
    const taken = await append(this.#store, keyOf(day, this.#open.part), lines);
    this.#waiting = this.#waiting.slice(taken);
    if (taken < lines.length) this.#open.part += 1;
  }
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

// Values under these keys were made by `toJson`.
function linesOf(value: Json | undefined): AuditLine[] {
  return (value ?? []) as unknown as AuditLine[];
}
