import type { ClientBase } from "pg";
import type { Upgrade } from "../../core/ports/storage.ts";
import { type StoreFormat, stepsFrom } from "../store-format.ts";
import { otherSchemaError } from "./postgres-error.ts";
import type { PostgresServer } from "./postgres-server.ts";

/**
 * The formats that a schema has had; the highest `number` is its format. `copy` is the schema with the tables as they were before, in the
 * format `before`, until that is removed. Times are ms since the epoch.
 */
const formatsTable = `
  CREATE TABLE IF NOT EXISTS formats (
    number integer PRIMARY KEY,
    before integer NOT NULL,
    at bigint NOT NULL,
    copy text
  )`;

/**
 * Makes the schema, or upgrades it, in one transaction: it is complete or nothing has changed. One process does it at a time, on a
 * connection that it ends afterwards. Returns what was upgraded; undefined if nothing was, or the schema is new.
 * @throws StorageError `other_format`; errors of the driver
 */
export async function preparePostgres(
  client: ClientBase,
  server: PostgresServer,
  format: StoreFormat,
): Promise<Upgrade | undefined> {
  const to = format.number;
  // Until the connection ends. Before the transaction, whose snapshot must have what the process before did.
  await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [`knack upgrade ${server.schema}`]);
  // One snapshot for the whole copy: other processes go on writing meanwhile.
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  try {
    const from = await foundFormat(client, server.schema);
    const upgrade = from === to ? undefined : await changeFormat(client, server, format, from);
    await client.query("COMMIT");
    return upgrade;
  } catch (error) {
    // On a lost connection this rejects too; the first error says why.
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** @param from undefined for a schema without tables */
async function changeFormat(
  client: ClientBase,
  { place, schema }: PostgresServer,
  format: StoreFormat,
  from: number | undefined,
): Promise<Upgrade | undefined> {
  const to = format.number;
  const steps = from === undefined ? [format.tables] : stepsFrom(format, from);
  if (steps === undefined) {
    const copy = await newestCopy(client, to);
    throw otherSchemaError(place, { schema, found: from ?? 0, known: to, copy });
  }
  const copy = from === undefined ? undefined : await copyTables(client, schema, from);
  for (const step of steps) await client.query(step);
  await client.query(
    `INSERT INTO formats (number, before, at, copy) VALUES ($1, $2, extract(epoch FROM clock_timestamp()) * 1000, $3)`,
    [to, from ?? 0, copy],
  );
  return from === undefined || copy === undefined ? undefined : { path: place, from, to, copy };
}

/** Undefined for a schema without tables, which is made if it is missing; 0 for tables without a format. */
async function foundFormat(client: ClientBase, schema: string): Promise<number | undefined> {
  // Making one that exists takes a right that its owner may not have.
  const { rows: found } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)}`);
  const { rows: tables } = await client.query(
    "SELECT 1 FROM pg_class WHERE relnamespace = quote_ident($1)::regnamespace AND relkind = 'r' LIMIT 1",
    [schema],
  );
  await client.query(formatsTable);
  const { rows } = await client.query("SELECT coalesce(max(number), 0) AS number FROM formats");
  return tables.length === 0 ? undefined : Number(rows[0]?.number);
}

async function newestCopy(client: ClientBase, known: number): Promise<string | undefined> {
  const { rows } = await client.query(
    "SELECT copy FROM formats WHERE copy IS NOT NULL AND before <= $1 ORDER BY before DESC LIMIT 1",
    [known],
  );
  return rows[0]?.copy;
}

/**
 * Copies all tables of the schema with their keys, indexes and numbering into a schema of their own, and returns its name: renamed, it is
 * usable again. A copy of the same format from before is replaced.
 */
async function copyTables(client: ClientBase, schema: string, format: number): Promise<string> {
  const copy = `${schema}_copy_v${format}`;
  const [from, to] = [schema, copy].map((name) => client.escapeIdentifier(name));
  await client.query(`DROP SCHEMA IF EXISTS ${to} CASCADE`);
  await client.query(`CREATE SCHEMA ${to}`);
  const { rows: tables } = await client.query(
    "SELECT c.oid, c.relname FROM pg_class c WHERE relnamespace = quote_ident($1)::regnamespace AND relkind = 'r'",
    [schema],
  );
  for (const { oid, relname } of tables) {
    const table = client.escapeIdentifier(relname);
    await client.query(`CREATE TABLE ${to}.${table} (LIKE ${from}.${table} INCLUDING ALL)`);
    const { rows: columns } = await client.query(
      `SELECT attname, attidentity FROM pg_attribute
       WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
      [oid],
    );
    const names = columns.map(({ attname }) => client.escapeIdentifier(attname)).join(", ");
    await client.query(
      `INSERT INTO ${to}.${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM ${from}.${table}`,
    );
    for (const { attname } of columns.filter(({ attidentity }) => attidentity !== ""))
      await copyNumbering(client, [`${from}.${table}`, `${to}.${table}`], attname);
  }
  return copy;
}

/** Numbers that were given are not given again, even if their rows are gone. */
async function copyNumbering(
  client: ClientBase,
  tables: readonly [string, string],
  column: string,
): Promise<void> {
  const { rows } = await client.query(
    "SELECT pg_get_serial_sequence($1, $3) AS source, pg_get_serial_sequence($2, $3) AS target",
    [...tables, column],
  );
  const { source, target } = rows[0] ?? {};
  await client.query(`SELECT setval($1, last_value, is_called) FROM ${source}`, [target]);
}
