import type { SharedWork } from "../app/app-deps.ts";
import type { TurnLog } from "../core/log/turn-log.ts";
import type { MessageIndex } from "../core/ports/chat-actions.ts";
import type { DueEntries } from "../core/ports/schedules.ts";
import type { Knowledge } from "../core/ports/services.ts";
import type { Clock, FileStore, KeyValue, Leases, Upgrade, UpgradeCopies } from "../core/ports/storage.ts";
import type { ProcessRole } from "./database-processes.ts";

/** Where a bot keeps what outlives it, apart from the folders of threads and skills. */
export interface Stores {
  log: TurnLog & { readonly due: DueEntries };
  index: MessageIndex;
  knowledge: Knowledge;
  store: KeyValue;
  files: FileStore;
  /** What only one process may do. */
  leases: Leases;
  copies: UpgradeCopies;
  /** The time of the stores. */
  clock: Clock;
  /** Present where any number of processes use the stores at once. */
  shared?: SharedWork;
}

export interface OpeningStores {
  /** Gets what closes the stores, even when opening fails. */
  closers: (() => Promise<unknown>)[];
  /** Called for each store that was upgraded to a newer format. */
  upgraded(upgrade: Upgrade): void;
  /** Called with what an operator should know, in sentences. */
  warn(text: string): void;
  /** Also opens a turn log that has lost what it had. */
  acceptEmptyLog?: boolean | undefined;
}

/** The process that opens the stores. */
export interface OpeningProcess {
  role: ProcessRole;
  /** Unique among all processes. */
  id: string;
  /** Of Knack. */
  version: string;
}
