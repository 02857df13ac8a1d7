import { errorCode } from "../../../base/error-text.ts";
import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { Inbound } from "../../../core/values/inbound.ts";
import { eventBodyOf, inboundOf } from "../../turns/turn-rows.ts";
import type { PostgresRow, PostgresSession } from "../postgres-connection.ts";
import { type TurnStore, tellStored } from "./turn-store.ts";

/** The columns of an event as text, without its turn. */
export function bodyText(event: TurnEvent): string {
  return JSON.stringify(eventBodyOf(event));
}

export const selectEvents =
  "SELECT seq, at, type, body FROM events WHERE turn_id = $1 AND seq > $2 ORDER BY seq";

/** The events of a turn with a seq above `afterSeq`, in order. */
export async function readEvents(
  store: Pick<PostgresSession, "all">,
  parse: TurnStore["parse"],
  turnId: string,
  afterSeq = -1,
): Promise<TurnEvent[]> {
  return (await store.all(selectEvents, turnId, afterSeq)).map((row) => toEvent(parse, turnId, row));
}

/** The data that turns were created from, by their ids. */
export async function readInbounds(
  store: TurnStore,
  turnIds: readonly string[],
): Promise<Map<string, Inbound>> {
  const select = "SELECT turn_id, seq, at, type, body FROM events WHERE turn_id = ANY ($1) AND seq = 0";
  const rows = await store.all(select, turnIds);
  return new Map(
    rows.flatMap((row) => {
      const turnId = String(row.turn_id);
      const inbound = inboundOf(toEvent(store.parse, turnId, row));
      return inbound === undefined ? [] : [[turnId, inbound] as const];
    }),
  );
}

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
export function toEvent(parse: TurnStore["parse"], turnId: string, row: PostgresRow): TurnEvent {
  const body = parse(row.body) as Record<string, unknown>;
  return { type: row.type, ...body, turn_id: turnId, seq: row.seq, at: row.at } as TurnEvent;
}
