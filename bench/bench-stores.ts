import { randomUUID } from "node:crypto";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { configSchema } from "../src/config/schema.ts";
import { openStores } from "../src/wiring/open-stores.ts";
import type { Stores } from "../src/wiring/stores.ts";
import { systemClock } from "../src/wiring/system-clock.ts";

/** A data folder, and the database if its data is not in SQLite files. */
export interface BenchPlace {
  folder: string;
  database_url?: string | undefined;
}

/** The stores as the bot opens them. */
export async function openBenchStores({
  folder,
  database_url,
}: BenchPlace): Promise<Stores & { close(): Promise<void> }> {
  const closers: (() => Promise<unknown>)[] = [];
  const config = configSchema.parse({ data: { folder, database_url } });
  const stores = await openStores(
    config,
    systemClock,
    { closers, upgraded: () => {}, warn: () => {} },
    { role: "all", id: randomUUID(), version: "bench" },
  );
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  return { ...stores, close };
}

/** The columns of a turn that are different in each copy, by table. */
const renamed: Record<string, readonly string[]> = {
  turns: ["turn_id", "key", "line", "thread"],
  events: ["turn_id"],
  threads: ["thread", "root"],
};
/** Times, which are different, too. */
const moved = ["accepted_at", "started_at", "finished_at", "last_at"];
/** A copy is older than the one before by so much, ms: 100,000 turns take a year. */
const apartMs = 300_000;

/** Copies the only turn of a log that nothing else uses: each copy is in a thread of its own in the same channel. */
export async function copyTurn({ folder, database_url }: BenchPlace, copies: number): Promise<void> {
  if (database_url === undefined) {
    using file = new DatabaseSync(path.join(folder, "turns.db"));
    const columns = file.prepare("SELECT name FROM pragma_table_info(?) WHERE name <> 'ordinal'");
    file.exec("BEGIN");
    for (const table of Object.keys(renamed)) file.exec(insertOf(table, columns.all(table), copies));
    file.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    return;
  }
  const client = new Client({ connectionString: database_url });
  await client.connect();
  await client.query("SET search_path TO knack");
  const columns = `
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'knack' AND table_name = $1 AND column_name <> 'ordinal'`;
  for (const table of Object.keys(renamed)) {
    const { rows } = await client.query(columns, [table]);
    await client.query(insertOf(table, rows, copies));
  }
  await client.query("VACUUM ANALYZE");
  await client.query("CHECKPOINT");
  await client.end();
}

/** A statement that both databases understand. */
function insertOf(table: string, columns: readonly { name?: unknown }[], copies: number): string {
  const names = columns.map(({ name }) => String(name));
  const values = names.map((name) => {
    if (moved.includes(name)) return `${name} - n * ${apartMs}`;
    return renamed[table]?.includes(name) ? `${name} || '-' || n` : name;
  });
  return `
    INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, (
      WITH RECURSIVE numbers(n) AS (SELECT CAST(1 AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
      SELECT n FROM numbers) AS numbers`;
}
