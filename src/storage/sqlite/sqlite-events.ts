import { createHash } from "node:crypto";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { Row } from "../tables.ts";
import { eventBodyOf } from "../turns/turn-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Events with tool results. Texts of people are never shared: each is deleted with its turn, even if somebody else said the same. */
const sharingTypes: ReadonlySet<TurnEvent["type"]> = new Set([
  "tool_finished",
  "skill_output",
  "step_finished",
]);

/** Minimum characters of JSON for a member of such an event to be stored once for all events that have the same. */
const sharedFrom = 1_000;

/** An event as its row. The body contains everything the other columns do not; `texts` are the members stored once, as JSON. */
interface EventRow {
  columns: [string, number, number, string, string];
  texts: [member: string, json: string][];
}

/** Placeholder in a body for a member that is stored once. */
const placeholder = null;

function rowOf(event: TurnEvent): EventRow {
  const { turn_id, seq, at, type } = event;
  const texts: EventRow["texts"] = [];
  const body = eventBodyOf(event);
  for (const [member, value] of sharingTypes.has(type) ? Object.entries(body) : []) {
    const json = JSON.stringify(value);
    if (json === undefined || json.length < sharedFrom) continue;
    texts.push([member, json]);
    body[member] = placeholder;
  }
  return { columns: [turn_id, seq, at, type, JSON.stringify(body)], texts };
}

// One statement is atomic by itself: the lease is checked and the event stored without a transaction around them.
const insertLeased = `
  INSERT INTO events (turn_id, seq, at, type, body)
  SELECT ?1, ?2, ?3, ?4, ?5
  WHERE EXISTS (SELECT 1 FROM turns WHERE turn_id = ?1 AND lease = ?6 AND status = 'running')
  ON CONFLICT DO NOTHING`;

/**
 * Stores an event in one statement, which needs no transaction, if the lease holds its turn and its place is free; false otherwise.
 * Undefined if it takes more than one statement: nothing is stored then.
 */
export function insertLeasedEvent(
  connection: SqliteConnection,
  event: TurnEvent,
  lease: string,
): boolean | undefined {
  const { columns, texts } = rowOf(event);
  return texts.length > 0 ? undefined : connection.run(insertLeased, ...columns, lease) === 1;
}

/** Maximum events of one statement: each has six of its at most 32,766 parameters, and each number of rows is a statement of its own. */
const maxRows = 50;

/** Stores events unless the place of one is taken; false then. Within a transaction, which must not be committed then. */
export function insertEvents(connection: SqliteConnection, events: readonly TurnEvent[]): boolean {
  const [some, rest] = [events.slice(0, maxRows), events.slice(maxRows)];
  return some.length === 0 || (insertRows(connection, some) && insertEvents(connection, rest));
}

function insertRows(connection: SqliteConnection, events: readonly TurnEvent[]): boolean {
  const values = events.flatMap((event) => {
    const { columns, texts } = rowOf(event);
    const ids = texts.map(([member, json]) => [member, idOf(connection, json)] as const);
    return [...columns, ids.length === 0 ? null : JSON.stringify(Object.fromEntries(ids))];
  });
  const rows = events.map(() => "(?, ?, ?, ?, ?, ?)").join(", ");
  const insert = `INSERT INTO events (turn_id, seq, at, type, body, texts) VALUES ${rows} ON CONFLICT DO NOTHING`;
  return connection.run(insert, ...values) === events.length;
}

/** The id of a stored text, which is stored if it is not yet. */
function idOf(connection: SqliteConnection, text: string): number {
  const hash = createHash("sha256").update(text).digest();
  const row =
    connection.get("SELECT id FROM texts WHERE hash = ?", hash) ??
    connection.get("INSERT INTO texts (hash, text) VALUES (?, ?) RETURNING id", hash, text);
  return Number(row?.id);
}

/** The texts that an event names. */
export const sharedTexts = "json_each(events.texts) AS named JOIN texts AS stored ON stored.id = named.value";

// In one statement, so that an event that another process deletes meanwhile is read with its texts or not at all.
/** The columns of an event that `toEvent` reads, with the texts that are stored once. */
export const eventColumns = `
  seq, at, type, body, iif(texts IS NULL, NULL, (
    SELECT json_group_object(named.key, stored.text) FROM ${sharedTexts})) AS texts`;

export const selectEvents = `SELECT ${eventColumns} FROM events WHERE turn_id = $1 AND seq > $2 ORDER BY seq`;

/** The event of a row with `eventColumns`. `rowOf` wrote the body, so its shape is known. */
export function toEvent(connection: Pick<SqliteConnection, "parse">, turnId: string, row: Row): TurnEvent {
  const body = connection.parse(row.body) as Record<string, unknown>;
  const texts = row.texts === null ? {} : (connection.parse(row.texts) as Record<string, string>);
  for (const [member, text] of Object.entries(texts)) body[member] = connection.parse(text);
  return { type: row.type, ...body, turn_id: turnId, seq: row.seq, at: row.at } as TurnEvent;
}
