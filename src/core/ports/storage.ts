import type { Json } from "../values/json.ts";

/** The time for core and app. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`, unless the returned function is called before. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Structured log lines in the style of pino: fields first, then the message. Secrets are redacted when lines are written. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A store could not be read or written. The message is for an operator, and says what was kept and what to do. */
export class StoreFailure extends Error {}

/** Storage for everything that is not a turn: namespaces, memory, settings. Keys are `kind:name`. */
export interface KeyValue {
  /** The value, or undefined. @throws if the store cannot be read; a failure is never reported as a missing value */
  get(key: string): Promise<Json | undefined>;
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * The keys that begin with `prefix`, in the order of their UTF-8 bytes, read in pages, so memory use does not grow with their number. A
   * key that is set or deleted during the iteration may be missing or present; every other key is returned exactly once.
   */
  keys(prefix: string): AsyncIterable<string>;
  /**
   * Reads, changes and writes one value atomically: concurrent updates of one key are never lost. `change` gets the value (undefined if
   * there is none) and returns the new one; it may be called more than once. Returns the new value.
   */
  update<T extends Json>(key: string, change: (value: T | undefined) => T): Promise<T>;
  /**
   * Resolves when the files of the store contain nothing that was deleted or replaced. The files are rewritten, and other changes wait for
   * it. @throws if that fails; no data is lost
   */
  scrub(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A view of a store in which every key begins with `prefix`: its holder can neither see nor change any other key. Closing and scrubbing the
 * view do nothing, because the store belongs to its owner.
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

/**
 * Decides which of several processes on one store does work that only one may do. A lease expires after its time, by the store's clock, so
 * that it passes on when its holder dies.
 */
export interface Leases {
  /** Takes a lease that is free or already ours, for `ms`. Returns whether it is ours now. @throws when the store fails */
  acquire(name: string, ms: number): Promise<boolean>;
  /** Renews a lease for another `ms`. False when it expired or belongs to another process: then the work must stop. */
  renew(name: string, ms: number): Promise<boolean>;
  /** Releases a lease if it is ours. */
  release(name: string): Promise<void>;
  /** The names that begin with `prefix` and are held now, by whomever, in order. */
  held(prefix: string): Promise<string[]>;
}

/** Whether an error of a store says that the same may succeed in a moment: the server of the store restarts, or a connection was lost. */
export function isTemporaryFailure(error: unknown): boolean {
  return error instanceof Error && "isTemporary" in error && error.isTemporary === true;
}

/** Short messages between the processes that share the stores. Some may be lost, so whoever listens also looks from time to time. */
export interface Wire {
  /** Tells every process that listens to the channel, this one included. @throws RangeError for a message of 8,000 bytes or more */
  notify(channel: string, message: string): Promise<void>;
  /**
   * Calls back with each message, until the returned function is called; with undefined when some may have been lost. `heard` does not
   * throw.
   */
  listen(channel: string, heard: (message: string | undefined) => void): Promise<() => Promise<void>>;
}

/**
 * Runs work that only one process does at a time, unless another one does it now: then nothing happens. The work must end within `ms`,
 * unless a clock is given, by which the lease is renewed while the work runs.
 * @throws when the store or the work fails
 */
export async function runAlone(
  leases: Leases,
  name: string,
  ms: number,
  work: () => Promise<unknown>,
  clock?: Pick<Clock, "after">,
): Promise<void> {
  if (!(await leases.acquire(name, ms))) return;
  let isOver = false;
  let cancel = () => {};
  const keep = () => {
    if (isOver) return;
    // A renewal that fails is tried again.
    cancel = clock?.after(ms / 3, () => void leases.renew(name, ms).then(keep, keep)) ?? cancel;
  };
  keep();
  try {
    await work();
  } finally {
    isOver = true;
    cancel();
    await leases.release(name);
  }
}

/** Runs work on the same key one after another, in all processes that share the mutex, and on different keys concurrently. */
export interface Mutex {
  /**
   * Settles as `work` does. The work calls `ensureHeld` before a step that no other process may be in the middle of: it throws when this
   * process was stopped or cut off from the store for so long that another one may have the key. The work is not ended then.
   * @throws when other processes keep the key for too long, or the store fails; then the work did not start
   */
  run<T>(key: string, work: (ensureHeld: () => void) => Promise<T>): Promise<T>;
  /** Whether work on the key runs in any process, or waits in this one. @throws when the store fails */
  isBusy(key: string): Promise<boolean>;
}

/** Files that people sent and tools made. Kept until their turn is deleted or they are old. */
export interface FileStore {
  /**
   * Stores a file of a turn under a safe and unused name derived from the given one. The same file under the same name is stored once. With
   * `replaces`, the file of that name is overwritten and keeps its name. Writes are atomic.
   * @throws if it cannot be stored
   */
  put(turnId: string, file: NewFile, replaces?: string): Promise<StoredFile>;
  /** Undefined if there is none. */
  get(turnId: string, name: string): Promise<{ file: StoredFile; data: Uint8Array } | undefined>;
  /** Removes one file, if it exists. */
  remove(turnId: string, name: string): Promise<void>;
  /** Removes all files of a turn. */
  forget(turnId: string): Promise<void>;
  /**
   * The turns that have files, in no order, with the time of the last change there, ms since the epoch. Turns that gain or lose files
   * during the iteration may be missing or present.
   */
  turns(): AsyncIterable<{ turn_id: string; changed_at: number }>;
  /** As `KeyValue.scrub`. */
  scrub(): Promise<void>;
}

/** The address of a stored file in the HTTP API. */
export function addressOfFile(turnId: string, name: string): string {
  return `/api/v1/turns/${encodeURIComponent(turnId)}/files/${encodeURIComponent(name)}`;
}

export interface NewFile {
  name: string;
  media_type: string;
  data: Uint8Array;
}

export interface StoredFile {
  /** Unique in its turn; safe as a file name. */
  name: string;
  media_type: string;
  bytes: number;
}

/** A text to index. */
export interface IndexedText {
  id: string;
  /** The field with the highest weight. */
  name: string;
  text: string;
}

/** Ranked full-text search over texts. */
export interface TextIndex {
  /** None of the ids may be in the index already. */
  add(texts: readonly IndexedText[]): void;
  /** Ids with their score (above 0), best first. Empty if no word matches. */
  search(query: string): { id: string; score: number }[];
}

/** Creates an empty index. */
export type CreateTextIndex = () => TextIndex;

/** A database was upgraded to a newer format; it was copied before. */
export interface Upgrade {
  /** Path of its file, or its name and host. */
  path: string;
  from: number;
  to: number;
  /** The complete database as it was: a file, or a schema. */
  copy: string;
}

/** Copies of databases from before an upgrade, for going back. They contain everything that was stored until then. */
export interface UpgradeCopies {
  /** Deletes copies, or with `dryRun` only lists them: all, or those made before a time (ms since the epoch). Returns the names of their files or schemas. */
  remove(options?: { before?: number; dryRun?: boolean }): Promise<string[]>;
}
