import { hash } from "node:crypto";
import { join } from "node:path";
import type { Clock, Leases, Wire } from "../core/ports/storage.ts";
import { refuseUnfinished } from "../storage/migrate/migration-record.ts";
import { followDatabaseClock } from "../storage/postgres/database-clock.ts";
import { openPostgres, type PostgresConnection } from "../storage/postgres/postgres-connection.ts";
import { createPostgresFileStore } from "../storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue } from "../storage/postgres/postgres-key-value.ts";
import { createPostgresKnowledge } from "../storage/postgres/postgres-knowledge.ts";
import { createPostgresLeases } from "../storage/postgres/postgres-leases.ts";
import { createPostgresMessageIndex } from "../storage/postgres/postgres-message-index.ts";
import { createSchemaCopies, postgresFormat } from "../storage/postgres/postgres-schema.ts";
import { createPostgresTurnLog } from "../storage/postgres/turn-log/postgres-turn-log.ts";
import { readOrMakeRandomText } from "../storage/secret-key.ts";
import { holdForMigration, isMigrating, joinProcesses, matchFolder } from "./database-processes.ts";
import type { OpeningProcess, OpeningStores, Stores } from "./stores.ts";

/** Identifies a data folder, so that the processes of a database notice if they have different ones. */
const identityFile = "database-holder";

interface DatabaseToOpen {
  url: string;
  /** The data folder. */
  folder: string;
  clock: Clock;
}

/** Another process uses the database in a way that leaves no room for this one. */
class DatabaseInUseError extends Error {
  readonly code = "database_in_use";
}

/**
 * Opens the stores in a PostgreSQL database that any number of processes use. They also share the data folder, which has the folders of
 * threads, skills and prepared packages.
 * @throws StorageError, DatabaseInUseError; MigrationError if only a part of another data folder's data is there
 */
export async function openPostgresStores(
  { url, folder, clock }: DatabaseToOpen,
  opening: OpeningStores,
  self: OpeningProcess,
): Promise<Stores> {
  const connection = await openPostgres(url, postgresFormat, { upgraded: opening.upgraded });
  opening.closers.push(() => connection.close());
  await refuseUnfinished(connection);
  const leases = createPostgresLeases(connection, self.id);
  const store = createPostgresKeyValue(connection);
  if (await isMigrating(leases))
    throw new DatabaseInUseError(
      `\`knack migrate\` fills the database ${connection.place}. Wait until it ends.`,
    );
  const match = await matchFolder(store, leases, await readOrMakeRandomText(join(folder, identityFile)));
  if (match === "taken") throw new DatabaseInUseError(otherFolder(connection.place, folder));
  if (match === "other") opening.warn(newFolder(connection.place, folder));
  const time = await followDatabaseClock(connection, clock);
  opening.closers.push(async () => time.stop());
  if (time.ahead() !== 0) opening.warn(otherTime(connection.place, time.ahead()));
  opening.closers.push(await joinProcesses(leases, clock, self));
  const log = createPostgresTurnLog(connection);
  return {
    log,
    index: createPostgresMessageIndex(connection),
    knowledge: createPostgresKnowledge(connection),
    store,
    files: createPostgresFileStore(connection),
    leases,
    copies: createSchemaCopies(connection),
    clock: time.clock,
    shared: { calls: log, wire: wireOf(connection), place: connection.place },
  };
}

/** Names of channels in the database are short. */
function wireOf(connection: PostgresConnection): Wire {
  const nameOf = (channel: string) => `wire-${hash("md5", channel)}`;
  return {
    notify: (channel, message) => connection.notify(nameOf(channel), message),
    listen: (channel, heard) => connection.listen(nameOf(channel), heard),
  };
}

function otherFolder(place: string, folder: string): string {
  return `Running processes of the database ${place} have another data folder than ${folder}. All processes of a database share one: working folders of threads and installed skills are there. Give this process the same folder, for example as a shared volume (KNACK_DATA), or another database (DATABASE_URL).`;
}

function otherTime(place: string, aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  return `The clock of this machine is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} that of the database ${place}. All times follow the database; set the machine's clock.`;
}

function newFolder(place: string, folder: string): string {
  return `The database ${place} was used with another data folder before. Working folders, installed skills and prepared packages of that time are there and not in ${folder}.`;
}

/**
 * Opens a database that no other process may use until `closers` have closed it.
 * @param lost called when another process may have taken it
 * @throws StorageError, DatabaseInUseError
 */
export async function openDatabaseAlone(
  { url, folder, clock }: DatabaseToOpen,
  { closers, upgraded }: Pick<OpeningStores, "closers" | "upgraded">,
  id: string,
  lost: (error: Error) => void,
): Promise<{ connection: PostgresConnection; leases: Leases; source: string }> {
  const connection = await openPostgres(url, postgresFormat, { upgraded });
  closers.push(() => connection.close());
  const source = await readOrMakeRandomText(join(folder, identityFile));
  const leases = createPostgresLeases(connection, id);
  const taken = () =>
    new DatabaseInUseError(
      `A bot or another migration uses the database ${connection.place}. Stop it and try again; one that was killed counts for 15 seconds more.`,
    );
  const release = await holdForMigration(leases, clock, () => lost(taken()));
  if (release === undefined) throw taken();
  closers.push(release);
  return { connection, leases, source };
}
