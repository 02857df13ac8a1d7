import { errorText } from "../../base/error-text.ts";
import type { Config } from "../../config/schema.ts";
import { openPostgres, type PostgresConnection } from "../../storage/postgres/postgres-connection.ts";
import { createPostgresLeases } from "../../storage/postgres/postgres-leases.ts";
import { postgresFormat } from "../../storage/postgres/postgres-schema.ts";
import { processesOf } from "../../wiring/database-processes.ts";
import type { CommandContext } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

const name = "database";
/** Time in which a notification must arrive, ms. */
const notificationMs = 3_000;
/** Connections of one process: its pool, and one that listens. */
const perProcess = 11;

/** Whether PostgreSQL can be used as Knack needs it, and which processes use it. Nothing without a database. */
export async function checkDatabase(
  { clock }: Pick<CommandContext, "clock">,
  { data }: Config,
): Promise<Finding[]> {
  if (data.database_url === undefined) return [];
  try {
    const connection = await openPostgres(data.database_url, postgresFormat, { poolSize: 2 });
    try {
      return [
        ...(await checkServer(connection)),
        await checkNotifications(connection, clock),
        await usedBy(connection),
      ];
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
  const findings = [fine(name, `PostgreSQL ${words}, ${connection.place}`)];
  const add = (kind: typeof failure, detail: string, advice: string) =>
    void findings.push(kind(name, detail, advice));
  if (Number(version) < oldest)
    add(failure, `PostgreSQL ${words} is too old`, "Install PostgreSQL 15 or newer.");
  if (read_only === "on")
    add(failure, `${connection.place} is read-only`, "Name the primary server in DATABASE_URL.");
  const losing = "synchronous_commit is off: a crash of the server loses acknowledged messages";
  if (commit === "off") add(failure, losing, "Switch it on.");
  if (autovacuum === "off")
    add(warning, "autovacuum is off: tables grow, and statements get slower", "Switch it on.");
  const few = `max_connections is ${most}; each process uses up to ${perProcess}`;
  if (Number(most) < 3 * perProcess) add(warning, few, "Raise it, or start fewer processes.");
  return findings;
}

/** A pooler in transaction mode accepts LISTEN and delivers nothing. */
async function checkNotifications(
  connection: PostgresConnection,
  clock: CommandContext["clock"],
): Promise<Finding> {
  const heard = Promise.withResolvers<true>();
  const channel = "doctor";
  const stop = await connection.listen(channel, () => heard.resolve(true));
  const began = performance.now();
  await connection.notify(channel, "");
  const given = new AbortController();
  const late = clock.sleep(notificationMs, given.signal).then(
    () => false,
    () => false,
  );
  const arrived = await Promise.race([heard.promise, late]);
  given.abort();
  await stop();
  if (arrived) return fine(name, `notifications arrive in ${Math.round(performance.now() - began)} ms`);
  return failure(
    name,
    "notifications do not arrive: something between Knack and the server swallows them",
    "Set DATABASE_URL to the server itself, or to a pooler in session mode. Without them, work of other processes waits up to five seconds and live text is missing.",
  );
}

async function usedBy(connection: PostgresConnection): Promise<Finding> {
  const processes = await processesOf(createPostgresLeases(connection, "doctor"));
  const counts = Object.entries(Object.groupBy(processes, ({ role, version }) => `${role} ${version}`));
  const words = counts.map(([kind, some = []]) => `${some.length} × ${kind}`).join(", ");
  return fine(name, words === "" ? "no process uses it" : `used by ${words}`);
}
