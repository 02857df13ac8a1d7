import { join } from "node:path";
import type { Clock, Leases } from "../core/ports/storage.ts";
import { refuseUnfinished } from "../storage/migrate/migration-record.ts";
import { openPostgres, type PostgresConnection } from "../storage/postgres/postgres-connection.ts";
import { createPostgresFileStore } from "../storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue } from "../storage/postgres/postgres-key-value.ts";
import { createPostgresKnowledge } from "../storage/postgres/postgres-knowledge.ts";
import { createPostgresLeases } from "../storage/postgres/postgres-leases.ts";
import { createPostgresMessageIndex } from "../storage/postgres/postgres-message-index.ts";
import { postgresMigrations } from "../storage/postgres/postgres-schema.ts";
import { createSchemaCopies } from "../storage/postgres/postgres-upgrade-copies.ts";
import { createPostgresTurnLog } from "../storage/postgres/turn-log/postgres-turn-log.ts";
import { readOrMakeRandomText } from "../storage/secret-key.ts";
import type { OpeningStores, Stores } from "./stores.ts";

/** Names this data folder to the database: only one process at a time has it, so the next one takes over from a killed one at once. */
const holderFile = "database-holder";

interface DatabaseToOpen {
  url: string;
  /** The data folder, which this process has locked. */
  folder: string;
  clock: Clock;
}

/** Another bot uses the database. */
class DatabaseInUseError extends Error {
  readonly code = "database_in_use";
  constructor(place: string) {
    super(
      `Another bot uses the database ${place}. This version runs one process on a database: stop the other one, or give this one another database (DATABASE_URL).`,
    );
  }
}

/**
 * Opens the stores in a PostgreSQL database, which this process holds until it closes them: folders of threads, skills and prepared packages
 * are still in the data folder, so a second process would not see them.
 * @throws StorageError, DatabaseInUseError; MigrationError if only a part of another data folder's data is there
 */
export async function openPostgresStores(database: DatabaseToOpen, opening: OpeningStores): Promise<Stores> {
  const { connection, leases } = await openHeldDatabase(database, opening);
  await refuseUnfinished(connection);
  return {
    log: createPostgresTurnLog(connection, { alone: true }),
    index: createPostgresMessageIndex(connection),
    knowledge: createPostgresKnowledge(connection),
    store: createPostgresKeyValue(connection),
    files: createPostgresFileStore(connection),
    leases,
    copies: createSchemaCopies(connection),
  };
}

/**
 * Opens a database that no other process may use until `closers` have closed it. `holder` identifies the data folder.
 * @throws StorageError, DatabaseInUseError
 */
export async function openHeldDatabase(
  { url, folder, clock }: DatabaseToOpen,
  { closers, upgraded, lost }: OpeningStores,
): Promise<{ connection: PostgresConnection; leases: Leases; holder: string }> {
  const connection = await openPostgres(url, postgresMigrations, { upgraded });
  closers.push(() => connection.close());
  const holder = await readOrMakeRandomText(join(folder, holderFile));
  const leases = createPostgresLeases(connection, holder);
  if (!(await acquirePatiently(leases, clock))) throw new DatabaseInUseError(connection.place);
  closers.push(keepHolding(leases, clock, () => lost(new DatabaseInUseError(connection.place))));
  return { connection, leases, holder };
}

const holding = "bot";
/** Time after which the database of a killed bot is free, ms. */
const holdMs = 15_000;
const renewMs = 3_000;
const retryMs = 500;

/** Waits for the lease of a bot that was killed a moment ago. */
async function acquirePatiently(leases: Leases, clock: Clock): Promise<boolean> {
  for (const until = clock.now() + holdMs + renewMs; ; ) {
    if (await leases.acquire(holding, holdMs)) return true;
    if (clock.now() >= until) return false;
    await clock.sleep(retryMs);
  }
}

/** Renews the lease until the returned function releases it. A database that cannot be reached is tried again. */
function keepHolding(leases: Leases, clock: Clock, lost: () => void): () => Promise<void> {
  let cancel = () => {};
  let isOver = false;
  const renewLater = () => {
    if (!isOver) cancel = clock.after(renewMs, renew);
  };
  const renew = () => {
    leases
      .renew(holding, holdMs)
      .then(async (isOurs) => {
        // A pause of this process or of the database may have outlived the lease without anybody taking it.
        if (isOurs || (await leases.acquire(holding, holdMs))) renewLater();
        else if (!isOver) lost();
      })
      .catch(renewLater);
  };
  renewLater();
  return async () => {
    isOver = true;
    cancel();
    await leases.release(holding);
  };
}
