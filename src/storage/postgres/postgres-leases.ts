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

/** The database's time unless `$4` has another, ms since the epoch. */
const now = "coalesce($4::double precision, extract(epoch FROM clock_timestamp()) * 1000)";

const take = `
  INSERT INTO leases (name, owner, until) VALUES ($1, $2, ${now} + $3)
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
  WHERE leases.owner = excluded.owner OR leases.until <= ${now}`;

const extend = `UPDATE leases SET until = ${now} + $3 WHERE name = $1 AND owner = $2 AND until > ${now}`;

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
      await connection.run("DELETE FROM leases WHERE name = $1 AND owner = $2", name, owner);
    },
  };
}
