import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import type { Json } from "../../core/values/json.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";

/** Characters of the JSON of one entry. */
const longestValue = 100_000;

/** Entries a list answers unless told. */
const usualList = 1_000;

const columns = "SELECT id, namespace, kind, due_at, value FROM due_entries";

/** What comes due by itself, in the file of the turn log. */
export function createDueEntries(connection: SqliteConnection): DueEntries {
  const entryOf = ({ id, namespace, kind, due_at, value }: SqlRow): DueEntry => ({
    id: String(id),
    namespace: String(namespace),
    kind: String(kind),
    ...(due_at === null ? {} : { due_at: Number(due_at) }),
    value: connection.parse(value) as Json,
  });
  const find = (id: string) => {
    const row = connection.get(`${columns} WHERE id = ?`, id);
    return row === undefined ? undefined : entryOf(row);
  };
  const durably = async <T>(work: () => T): Promise<T> => {
    const result = await connection.write(work);
    await connection.durable();
    return result;
  };
  return {
    async add({ id, namespace, kind, due_at, value }) {
      const text = textOf(value);
      const insert =
        "INSERT INTO due_entries (id, namespace, kind, due_at, value) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
      const added = await durably(() => connection.run(insert, id, namespace, kind, due_at ?? null, text));
      if (added === 0) throw new Error(`The id ${id} is taken`);
    },
    get: async (id) => find(id),
    async list({ namespace, kind, most = usualList }) {
      const where =
        "WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR kind = ?2) ORDER BY ordinal LIMIT ?3";
      return connection.all(`${columns} ${where}`, namespace ?? null, kind ?? null, most).map(entryOf);
    },
    change: (id, change) =>
      durably(() =>
        connection.transaction(() => {
          const before = find(id);
          const after = before === undefined ? undefined : change(before);
          if (after === undefined) return before;
          const { namespace, kind, due_at, value } = after;
          const update = "UPDATE due_entries SET namespace = ?, kind = ?, due_at = ?, value = ? WHERE id = ?";
          connection.run(update, namespace, kind, due_at ?? null, textOf(value), id);
          return { ...after, id };
        }),
      ),
    remove: async (id) =>
      (await durably(() => connection.run("DELETE FROM due_entries WHERE id = ?", id))) > 0,
    removeAll: (namespace) =>
      durably(() => connection.run("DELETE FROM due_entries WHERE namespace = ?", namespace)),
    async due(now, most) {
      const where = "WHERE due_at <= ? ORDER BY due_at, ordinal LIMIT ?";
      return connection.all(`${columns} ${where}`, now, most).map(entryOf);
    },
    async next() {
      const row = connection.get("SELECT min(due_at) AS at FROM due_entries WHERE due_at IS NOT NULL");
      return row?.at == null ? undefined : Number(row.at);
    },
  };
}

function textOf(value: Json): string {
  const text = JSON.stringify(value);
  if (text.length > longestValue)
    throw new Error(`An entry has ${text.length} characters; at most ${longestValue} are kept`);
  return text;
}
