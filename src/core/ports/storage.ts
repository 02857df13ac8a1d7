import type { Json } from "../values/json.ts";

/** The time, as core and app see it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds since the epoch as the clock said when the process started, plus the time that passed since: it never jumps
   * when the clock is set. For leases and durations.
   *
   * Times of two processes agree only as far as the wall clock did when each of them started. The bot relies on there being one: the lock
   * of the data folder keeps others out, and `TurnLog.reclaim` frees at its start whatever an earlier process had leased.
   */
  steady(): number;
  /** Calls back once after `ms`, unless the answered function is called before. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Structured log lines, as pino takes them: fields first, then the message. Secrets are redacted where they are written. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything stored that is not a turn: namespaces, memory, settings. Keys are `kind:name`. */
export interface KeyValue {
  /** The value, or undefined. @throws when the store cannot be read; a failure is never an empty answer. */
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * The keys that begin with `prefix`, in the order of their UTF-8 bytes, read in pages: memory does not grow with their number.
   * A key that is set or deleted meanwhile may be missing or present; every other key comes exactly once.
   */
  keys(prefix: string): AsyncIterable<string>;
  /**
   * Reads, changes and writes one value atomically: two updates of one key never lose either. `change` gets the value
   * (undefined if there is none) and returns the new one; it may be called again. Answers the new value.
   */
  update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T>;
  /**
   * Resolves when nothing of what was deleted or replaced is left in the files of the store. They are written again for that, and
   * changes wait for it. @throws when that fails; nothing is lost
   */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A view of a store in which every key begins with `prefix`: who holds it can neither see nor change anything else.
 * Closing and scrubbing it does nothing; the store belongs to its owner.
 */
export function scopeKeyValue(store: KeyValue, prefix: string): KeyValue {
  return {
    get: (key) => store.get(prefix + key),
    set: (key, value) => store.set(prefix + key, value),
    delete: (key) => store.delete(prefix + key),
    async *keys(within) {
      for await (const key of store.keys(prefix + within)) yield key.slice(prefix.length);
    },
    update: (key, change) => store.update(prefix + key, change),
    scrub: async () => {},
    close: async () => {},
  };
}

/** Files that people sent and tools made. Kept until the turn they belong to is forgotten, or they are old. */
export interface FileStore {
  /**
   * Stores a file of a turn under a name made of the given one: safe, and free in the turn. The same file under the same name is
   * kept once. A file called `replaces` is overwritten instead and keeps its name. A file is there whole or not at all.
   * @throws when it cannot be stored
   */
  put(turnId: string, file: NewFile, replaces?: string): Promise<StoredFile>;
  /** Undefined when there is none. */
  get(turnId: string, name: string): Promise<{ file: StoredFile; data: Uint8Array } | undefined>;
  /** Removes one file, if it is there. */
  remove(turnId: string, name: string): Promise<void>;
  /** Removes all files of a turn. */
  forget(turnId: string): Promise<void>;
  /**
   * The turns that have files, in no order, and when something was last stored or removed there, ms since the epoch. Turns that get or
   * lose files meanwhile may be missing or present.
   */
  turns(): AsyncIterable<{ turn_id: string; changed_at: number }>;
}

export interface NewFile {
  name: string;
  media_type: string;
  data: Uint8Array;
}

export interface StoredFile {
  /** Unique in its turn; safe as the name of a file. */
  name: string;
  media_type: string;
  bytes: number;
}

/** One text to be found. */
export interface IndexedText {
  id: string;
  /** The strongest field. */
  name: string;
  text: string;
}

/** Ranked full-text search over a fixed set of texts. */
export interface TextIndex {
  /** Ids with their score (above 0), best first. Nothing when no word fits. */
  search(query: string): { id: string; score: number }[];
}

/** One that more texts join. */
export interface GrowingTextIndex extends TextIndex {
  /** None of the ids may be in it. */
  add(texts: readonly IndexedText[]): void;
}

export type CreateTextIndex = (texts: readonly IndexedText[]) => TextIndex;

/** Copies of databases as they were before an upgrade: the way back. They have everything that was stored until then. */
export interface UpgradeCopies {
  /**
   * Deletes them, or with `dryRun` only names them: all, or those made before a time (ms since the epoch). Answers the names of their
   * files.
   */
  remove(options?: { before?: number; dryRun?: boolean }): Promise<string[]>;
}
