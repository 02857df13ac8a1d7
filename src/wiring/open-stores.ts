import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/ports/storage.ts";
import { refuseHalfRestored } from "../storage/backup/backup-format.ts";
import { createDiskFileStore } from "../storage/disk-file-store.ts";
import { createKeyValueLeases } from "../storage/key-value-leases.ts";
import { openKeyValue } from "../storage/keyv-store.ts";
import { keepLogMarked } from "../storage/sqlite/log-mark.ts";
import { openSqliteKnowledge } from "../storage/sqlite/sqlite-knowledge.ts";
import { openSqliteMessageIndex } from "../storage/sqlite/sqlite-message-index.ts";
import { openSqliteTurnLog } from "../storage/sqlite/sqlite-turn-log.ts";
import { createUpgradeCopies } from "../storage/sqlite/upgrade-copies.ts";
import type { OpeningProcess, OpeningStores, Stores } from "./stores.ts";

/** Opens the stores that the configuration names, in SQLite files by default. @throws StorageError, DatabaseInUseError, BackupError */
export async function openStores(
  { data }: Config,
  clock: Clock,
  opening: OpeningStores,
  self: OpeningProcess,
): Promise<Stores> {
  await refuseHalfRestored(data.folder);
  if (data.database_url === undefined) return openSqliteStores(data.folder, clock, opening);
  const { openPostgresStores } = await import("./open-postgres-stores.ts");
  return openPostgresStores({ url: data.database_url, folder: data.folder, clock }, opening, self);
}

/** Only one process at a time has a data folder, so this one owns the leases of a killed one at once. */
const holderOfFolder = "holder-of-the-data-folder";

async function openSqliteStores(
  folder: string,
  clock: Clock,
  { closers, upgraded, acceptEmptyLog = false }: OpeningStores,
): Promise<Stores> {
  const path = join(folder, "turns.db");
  // A log from before an upgrade is put back on purpose.
  let accept = acceptEmptyLog;
  const log = await openSqliteTurnLog(path, {
    upgraded(upgrade) {
      accept = true;
      upgraded(upgrade);
    },
  });
  closers.push(() => log.close());
  const index = await openSqliteMessageIndex(join(folder, "messages.db"), { upgraded });
  closers.push(() => index.close());
  const knowledge = await openSqliteKnowledge(join(folder, "knowledge.db"), { upgraded });
  closers.push(() => knowledge.close());
  const store = await openKeyValue(join(folder, "state.db"), { upgraded });
  closers.push(() => store.close());
  const marked = await keepLogMarked(log, { path, store, clock, accept });
  closers.push(() => marked.end());
  return {
    log,
    index,
    knowledge,
    store,
    files: createDiskFileStore(join(folder, "files")),
    leases: createKeyValueLeases(store, holderOfFolder),
    copies: createUpgradeCopies(folder),
    clock,
  };
}
