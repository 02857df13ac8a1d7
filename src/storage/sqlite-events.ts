import type { Inbound } from "../core/inbound.ts";
import type { TurnEvent } from "../core/turn-event.ts";
import type { SqliteConnection, SqlRow } from "./sqlite-connection.ts";

/** The columns of an event: its body holds what the other columns do not. */
export function eventColumns(event: TurnEvent): [string, number, number, string, string] {
  const { turn_id, seq, at, type, ...body } = event;
  return [turn_id, seq, at, type, JSON.stringify(body)];
}

/** Stores an event unless its place is taken; false when it is. */
export function insertEvent(connection: SqliteConnection, event: TurnEvent): boolean {
  const insert =
    "INSERT INTO events (turn_id, seq, at, type, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
  return connection.run(insert, ...eventColumns(event)) === 1;
}

/** The events of a turn with a seq above `afterSeq`, in order. */
export function readEvents(connection: SqliteConnection, turnId: string, afterSeq: number): TurnEvent[] {
  const select = "SELECT seq, at, type, body FROM events WHERE turn_id = ? AND seq > ? ORDER BY seq";
  return connection.all(select, turnId, afterSeq).map((row) => toEvent(connection, turnId, row));
}

/** What a turn was made of. */
export function readInbound(connection: SqliteConnection, turnId: string): Inbound | undefined {
  const row = connection.get("SELECT seq, at, type, body FROM events WHERE turn_id = ? AND seq = 0", turnId);
  return row === undefined ? undefined : inboundOf(toEvent(connection, turnId, row));
}

/** The inbound of an entry 0. */
export function inboundOf(entry: TurnEvent | undefined): Inbound | undefined {
  return entry?.type === "inbound" ? entry.inbound : undefined;
}

// The body is what `eventColumns` wrote, so its shape is known.
function toEvent(connection: SqliteConnection, turnId: string, row: SqlRow): TurnEvent {
  const body = connection.parse(row.body) as object;
  return { type: row.type, ...body, turn_id: turnId, seq: row.seq, at: row.at } as TurnEvent;
}
