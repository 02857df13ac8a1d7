import { errorCode } from "../../../base/error-text.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { Row } from "../../tables.ts";
import { eventBodyOf } from "../../turns/turn-rows.ts";
import { type TurnStore, tellStored } from "./turn-store.ts";

/** The columns of an event as text, without its turn. */
export function bodyText(event: TurnEvent): string {
  return JSON.stringify(eventBodyOf(event));
}

export const selectEvents =
  "SELECT seq, at, type, body FROM events WHERE turn_id = $1 AND seq > $2 ORDER BY seq";

const insert = `
  WITH added AS (INSERT INTO events (turn_id, seq, at, type, body) VALUES ($1, $2, $3, $4, $5) RETURNING turn_id, seq)
  SELECT ${tellStored("seq", "seq")} FROM added JOIN turns USING (turn_id)`;

/** The statement that stores an event whose place is free. It fails if the place is not (`isTaken`). */
export function insertEvent(event: TurnEvent) {
  return [insert, event.turn_id, event.seq, event.at, event.type, bodyText(event)] as const;
}

/** The statement that writes a changed event in its place. */
export function replaceEvent(event: TurnEvent) {
  const update = "UPDATE events SET at = $3, body = $4 WHERE turn_id = $1 AND seq = $2";
  return [update, event.turn_id, event.seq, event.at, bodyText(event)] as const;
}

/** Whether an event was not stored because its place is taken: unique_violation. */
export function isTaken(error: unknown): boolean {
  return errorCode(error) === "23505";
}

/** The event of a row. `bodyText` wrote the body, so its shape is known. */
export function toEvent(parse: TurnStore["parse"], turnId: string, row: Row): TurnEvent {
  const body = parse(row.body) as Record<string, unknown>;
  return { type: row.type, ...body, turn_id: turnId, seq: row.seq, at: row.at } as TurnEvent;
}
