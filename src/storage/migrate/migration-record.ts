import { z } from "zod";
import type { PostgresConnection, PostgresSession } from "../postgres/postgres-connection.ts";

/** A migration cannot begin or go on; the message says what to do. */
export class MigrationError extends Error {
  readonly code = "migration_failed";
}

/** The target's note of the migration into it, in the key-value store. It stays there when the migration has finished. */
const recordKey = "migration";

const recordSchema = z.object({
  /** The data folder that is copied. */
  source: z.string(),
  /** `MigrationSource.state`; what was copied of another state is of no use. Empty if a copy has turned out to differ. */
  state: z.string(),
  /** By name of the table: the key of the last row that was copied, and how many were. */
  copied: z.record(
    z.string(),
    z.object({ after: z.array(z.union([z.string(), z.number()])), rows: z.number() }),
  ),
  /** ms since the epoch; missing until everything is copied and compared. */
  finished_at: z.number().optional(),
});
export type MigrationRecord = z.infer<typeof recordSchema>;

/** Selects the rows of the key-value store that a source can have. */
export const withoutRecord = `key <> '${recordKey}'`;

/** The migration into this schema, if one has begun. */
export async function readRecord(connection: PostgresConnection): Promise<MigrationRecord | undefined> {
  const row = await connection.get("SELECT value FROM kv WHERE key = $1", recordKey);
  return row && recordSchema.parse(connection.parse(row.value));
}

export async function writeRecord(session: PostgresSession, record: MigrationRecord): Promise<void> {
  await session.run(
    "INSERT INTO kv (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ...[recordKey, JSON.stringify(record)],
  );
}

/** @throws MigrationError if a migration into this schema has begun and not finished: a part of the data is missing */
export async function refuseUnfinished(connection: PostgresConnection): Promise<void> {
  const record = await readRecord(connection);
  if (record !== undefined && record.finished_at === undefined)
    throw new MigrationError(
      `The migration of a data folder to the database ${connection.place} has not finished. Run \`knack migrate\` again; it continues where it was.`,
    );
}
