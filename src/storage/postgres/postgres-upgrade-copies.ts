import type { UpgradeCopies } from "../../core/ports/storage.ts";
import type { PostgresConnection } from "./postgres-connection.ts";

/** The copies of a schema from before its upgrades. */
export function createSchemaCopies(connection: PostgresConnection): UpgradeCopies {
  return {
    async remove({ before = Number.MAX_SAFE_INTEGER, dryRun = false } = {}) {
      const due = "FROM upgrades WHERE copy IS NOT NULL AND at < $1";
      if (dryRun)
        return (await connection.all(`SELECT copy ${due} ORDER BY copy`, before)).map(({ copy }) =>
          String(copy),
        );
      return connection.transaction(async (session) => {
        const rows = await session.all(`SELECT version, copy ${due} ORDER BY copy FOR UPDATE`, before);
        for (const { version, copy } of rows) {
          await session.run(`DROP SCHEMA IF EXISTS "${String(copy).replaceAll('"', '""')}" CASCADE`);
          await session.run("UPDATE upgrades SET copy = NULL WHERE version = $1", Number(version));
        }
        return rows.map(({ copy }) => String(copy));
      });
    },
  };
}
