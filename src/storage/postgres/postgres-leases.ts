import type { Leases } from "../../core/ports/storage.ts";
import type { StoreClock } from "../store-clock.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

export const leaseTables = `
  CREATE TABLE leases (
    name text COLLATE "C" PRIMARY KEY,
    owner text NOT NULL,
    until double precision NOT NULL
  );
`;

/** The time of a parameter, or the database's if it is null, ms since the epoch. */
const nowOr = (parameter: `$${number}`) =>
  `coalesce(${parameter}::double precision, extract(epoch FROM clock_timestamp()) * 1000)`;

const take = `
  INSERT INTO leases (name, owner, until) VALUES ($1, $2, ${nowOr("$4")} + $3)
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
  WHERE leases.owner = excluded.owner OR leases.until <= ${nowOr("$4")}`;

const extend = `
  UPDATE leases SET until = ${nowOr("$4")} + $3 WHERE name = $1 AND owner = $2 AND until > ${nowOr("$4")}`;

// Names of processes never come back, so those that were killed are removed a day later.
const drop = `
  DELETE FROM leases WHERE (name = $1 AND owner = $2) OR until < ${nowOr("$3")} - 86400000`;

const heldNow = `SELECT name FROM leases WHERE starts_with(name, $1) AND until > ${nowOr("$2")} ORDER BY name`;

/**
 * Leases as rows, by the database's clock.
 * @param owner identifies this process; unique among all processes
 * @param clock replaces the database's, for tests
 */
export function createPostgresLeases(
  connection: PostgresConnection,
  owner: string,
  clock?: Pick<StoreClock, "now">,
): Leases {
  const at = () => clock?.now() ?? null;
  return {
    acquire: async (name, ms) => (await connection.run(take, name, owner, ms, at())) > 0,
    renew: async (name, ms) => (await connection.run(extend, name, owner, ms, at())) > 0,
    async release(name) {
      await connection.run(drop, name, owner, at());
    },
    async held(prefix) {
      const rows = await connection.all(heldNow, prefix, at());
      return rows.map(({ name }) => String(name));
    },
  };
}
