import type { DueEntries } from "../../../core/ports/schedules.ts";
import {
  defaultDueEntries,
  dueEntryColumns,
  dueEntryOf,
  dueEntryText,
  takenEntryError,
} from "../../turns/due-entry-rows.ts";
import type { PostgresRow } from "../postgres-connection.ts";
import type { TurnStore } from "./turn-store.ts";

const columns = `SELECT ${dueEntryColumns} FROM due_entries`;

/** The entries that come due by themselves. Changes of one entry wait for each other, whichever process makes them. */
export function createDueEntries(turns: TurnStore): DueEntries {
  const entryOf = (row: PostgresRow) => dueEntryOf(row, turns.parse);
  return {
    async add({ id, namespace, shown_in = null, kind, due_at = null, value }) {
      const insert = `INSERT INTO due_entries (${dueEntryColumns}) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`;
      const added = await turns.run(insert, id, namespace, shown_in, kind, due_at, dueEntryText(value));
      if (added === 0) throw takenEntryError(id);
    },
    async get(id) {
      const row = await turns.get(`${columns} WHERE id = $1`, id);
      return row && entryOf(row);
    },
    async list({ namespace = null, shown_in, kind = null, most = defaultDueEntries }) {
      const shown = shown_in === undefined ? "($1::text IS NULL OR namespace = $1)" : "shown_in = $1";
      const where = `WHERE ${shown} AND ($2::text IS NULL OR kind = $2) ORDER BY ordinal LIMIT $3`;
      return (await turns.all(`${columns} ${where}`, shown_in ?? namespace, kind, most)).map(entryOf);
    },
    change: (id, change) =>
      turns.transaction(async (session) => {
        const row = await session.get(`${columns} WHERE id = $1 FOR UPDATE`, id);
        const before = row && entryOf(row);
        const after = before === undefined ? undefined : change(before);
        if (after === undefined) return before;
        const { namespace, kind, due_at, value } = after;
        const update =
          "UPDATE due_entries SET namespace = $2, kind = $3, due_at = $4, value = $5 WHERE id = $1";
        await session.run(update, id, namespace, kind, due_at ?? null, dueEntryText(value));
        return { ...after, id };
      }),
    remove: async (id) => (await turns.run("DELETE FROM due_entries WHERE id = $1", id)) > 0,
    removeAll: (namespace) => turns.run("DELETE FROM due_entries WHERE namespace = $1", namespace),
    async due(now, most) {
      const where = "WHERE due_at <= $1 ORDER BY due_at, ordinal LIMIT $2";
      return (await turns.all(`${columns} ${where}`, now, most)).map(entryOf);
    },
    async next() {
      const row = await turns.get("SELECT min(due_at) AS at FROM due_entries WHERE due_at IS NOT NULL");
      return row?.at == null ? undefined : Number(row.at);
    },
  };
}
