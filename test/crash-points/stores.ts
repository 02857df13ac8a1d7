import type { SharedWork } from "../../src/app/app-deps.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import type { DueEntries } from "../../src/core/ports/schedules.ts";
import type { FileStore, KeyValue, Leases } from "../../src/core/ports/storage.ts";
import { createKeyValueLeases } from "../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import type { StoreClock } from "../../src/storage/store-clock.ts";
import { createMemoryFileStore } from "../support/fakes/memory-stores.ts";

/** The stores as a process has them. */
export interface Stores {
  log: TurnLog & { due: DueEntries };
  store: KeyValue;
  files: FileStore;
  leases: Leases;
  /** Present where processes run at the same time. */
  shared?: SharedWork;
  /** The process is gone: nothing reaches it any more. */
  close(): Promise<void>;
}

/** What outlives processes. */
export interface Storage {
  /** The stores as a new process has them. */
  open(owner: string): Stores;
  /** Resolves when the processes have heard everything that was told until now. */
  heard(): Promise<void>;
}

/** Makes storage with nothing in it. What was made before is gone. */
export type EmptyStorage = (clock: StoreClock) => Promise<Storage>;

/** Of processes that follow each other: the next one begins when the one before is certainly gone. */
export const memoryStorage: EmptyStorage = async (clock) => {
  const store = createMemoryKeyValue();
  const stores: Stores = {
    log: createMemoryTurnLog(clock),
    store,
    files: createMemoryFileStore(),
    leases: createKeyValueLeases(store, "the only process"),
    close: async () => {},
  };
  return { open: () => stores, heard: async () => {} };
};
