import { errorText } from "../../base/error-text.ts";
import type { Config } from "../../config/schema.ts";
import { openPostgres, type PostgresConnection } from "../../storage/postgres/postgres-connection.ts";
import { createPostgresLeases } from "../../storage/postgres/postgres-leases.ts";
import { postgresFormat } from "../../storage/postgres/postgres-schema.ts";
import { processesOf } from "../../wiring/database-processes.ts";
import type { CommandProcess } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

type DoctorClock = CommandProcess["clock"];

const name = "database";
/** Time in which a notification must arrive, ms. */
const notificationMs = 3_000;
/** Connections of one process: its pool, and one that listens. */
const perProcess = 11;

/** Whether PostgreSQL can be used as Knack needs it, and which processes use it. Nothing without a database. */
export async function checkDatabase(clock: DoctorClock, { data }: Config): Promise<Finding[]> {
  if (data.database_url === undefined) return [];
  try {
    const connection = await openPostgres(data.database_url, postgresFormat, { poolSize: 2 });
    try {
      const findings = await checkServer(connection);
      return [...findings, await checkNotifications(connection, clock), await usedBy(connection)];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [failure(name, errorText(error), "docs/postgresql.md says what Knack needs.")];
  }
}

const facts = `
  SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS words,
    current_setting('synchronous_commit') AS commit, current_setting('autovacuum') AS autovacuum,
    current_setting('max_connections')::integer AS most, current_setting('transaction_read_only') AS read_only`;

const oldest = 150_000;

async function checkServer(connection: PostgresConnection): Promise<Finding[]> {
  const { version, words, commit, autovacuum, most, read_only } = (await connection.get(facts)) ?? {};
  const old = `PostgreSQL ${words} is too old`;
  const fixed = `${connection.place} is read-only`;
  const losing = "synchronous_commit is off: a crash of the server loses acknowledged messages";
  const growing = "autovacuum is off: tables grow, and statements get slower";
  const few = `max_connections is ${most}; each process uses up to ${perProcess}`;
  return [
    fine(name, `PostgreSQL ${words}, ${connection.place}`),
    Number(version) < oldest && failure(name, old, "Install PostgreSQL 15 or newer."),
    read_only === "on" && failure(name, fixed, "Name the primary server in DATABASE_URL."),
    commit === "off" && failure(name, losing, "Switch it on."),
    autovacuum === "off" && warning(name, growing, "Switch it on."),
    Number(most) < 3 * perProcess && warning(name, few, "Raise it, or start fewer processes."),
  ].filter((finding) => finding !== false);
}

/** A pooler in transaction mode accepts LISTEN and delivers nothing. */
async function checkNotifications(connection: PostgresConnection, clock: DoctorClock): Promise<Finding> {
  const heard = Promise.withResolvers<true>();
  const channel = "doctor";
  const stop = await connection.listen(channel, () => heard.resolve(true));
  const began = performance.now();
  await connection.notify(channel, "");
  const given = new AbortController();
  const late = clock.sleep(notificationMs, given.signal).catch(() => undefined);
  const arrived = await Promise.race([heard.promise, late]);
  given.abort();
  await stop();
  if (arrived) return fine(name, `notifications arrive in ${Math.round(performance.now() - began)} ms`);
  const detail = "notifications do not arrive: something between Knack and the server swallows them";
  const advice =
    "Set DATABASE_URL to the server itself, or to a pooler in session mode. Without them, work of other processes waits up to five seconds and live text is missing.";
  return failure(name, detail, advice);
}

async function usedBy(connection: PostgresConnection): Promise<Finding> {
  const processes = await processesOf(createPostgresLeases(connection, "doctor"));
  const counts = Object.entries(Object.groupBy(processes, ({ role, version }) => `${role} ${version}`));
  const words = counts.map(([kind, some = []]) => `${some.length} × ${kind}`).join(", ");
  return fine(name, words === "" ? "no process uses it" : `used by ${words}`);
}
