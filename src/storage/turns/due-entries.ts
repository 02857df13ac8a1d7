import type { DueEntries, DueEntry } from "../../core/ports/schedules.ts";
import type { Row, Value, Work } from "../tables.ts";
import type { TurnTables } from "./turn-tables.ts";

/** Maximum characters of the JSON of one entry. */
const maxValue = 100_000;

/** Default number of entries in a list. */
const defaultMost = 1_000;

const select = "SELECT id, namespace, shown_in, kind, due_at, value FROM due_entries";

const insert = `
  INSERT INTO due_entries (id, namespace, shown_in, kind, due_at, value) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (id) DO NOTHING RETURNING id`;

const update =
  "UPDATE due_entries SET namespace = $2, shown_in = $3, kind = $4, due_at = $5, value = $6 WHERE id = $1";

const listed = (where: string) => `
  ${select} WHERE ${where} AND (CAST($2 AS TEXT) IS NULL OR kind = $2) ORDER BY ordinal LIMIT $3`;
const ofNamespace = listed("(CAST($1 AS TEXT) IS NULL OR namespace = $1)");
const shownIn = listed("shown_in = $1");

/** The entries that come due by themselves. Changes of one entry wait for each other, whichever process makes them. */
export function createDueEntries(tables: TurnTables): DueEntries {
  const entryOf = ({ shown_in, due_at, value, ...entry }: Row) =>
    // The statement names the columns.
    ({
      ...entry,
      ...(shown_in === null ? {} : { shown_in }),
      ...(due_at === null ? {} : { due_at }),
      value: tables.parse(value),
    }) as DueEntry;
  const read = async (sql: string, ...values: Value[]) => (await tables.all(sql, ...values)).map(entryOf);
  const durably = async <T>(work: () => Work<T>): Promise<T> => {
    const result = await tables.write(work);
    await tables.durable();
    return result;
  };
  const remove = (where: string, value: string) =>
    durably(function* () {
      return (yield [`DELETE FROM due_entries WHERE ${where} RETURNING id`, value]).length;
    });
  return {
    async add(entry) {
      const values = [entry.id, ...valuesOf(entry)];
      const added = await durably(function* () {
        return (yield [insert, ...values]).length;
      });
      if (added === 0) throw new Error(`The id ${entry.id} is taken`);
    },
    get: async (id) => (await read(`${select} WHERE id = $1`, id))[0],
    list: ({ namespace = null, shown_in, kind = null, most = defaultMost }) =>
      shown_in === undefined ? read(ofNamespace, namespace, kind, most) : read(shownIn, shown_in, kind, most),
    change: (id, change) =>
      durably(function* () {
        const [row] = yield [`${select} WHERE id = $1 ${tables.sql.lockRow}`, id];
        const before = row && entryOf(row);
        const after = before && change(before);
        if (after === undefined) return before;
        yield [update, id, ...valuesOf(after)];
        return { ...after, id };
      }),
    remove: async (id) => (await remove("id = $1", id)) > 0,
    removeAll: (namespace) => remove("namespace = $1", namespace),
    due: (now, most) => read(`${select} WHERE due_at <= $1 ORDER BY due_at, ordinal LIMIT $2`, now, most),
    async next() {
      const [row] = await tables.all("SELECT min(due_at) AS at FROM due_entries WHERE due_at IS NOT NULL");
      return row?.at == null ? undefined : Number(row.at);
    },
  };
}

/** All of an entry but its id, as it is stored. @throws if its value is too long */
function valuesOf({ namespace, shown_in, kind, due_at, value }: Omit<DueEntry, "id">): Value[] {
  const text = JSON.stringify(value);
  if (text.length > maxValue)
    throw new Error(`An entry has ${text.length} characters; at most ${maxValue} are kept`);
  return [namespace, shown_in ?? null, kind, due_at ?? null, text];
}
