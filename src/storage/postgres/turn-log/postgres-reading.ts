import type { TurnReading } from "../../../core/log/turn-log.ts";
import { createTurnReading, sums } from "../../turns/turn-reading.ts";
import { readEvents } from "./postgres-events.ts";
import type { TurnStore } from "./turn-store.ts";

/** Turns and their events. */
export function createReading(turns: TurnStore): TurnReading {
  return createTurnReading({
    all: turns.all,
    parse: turns.parse,
    read: (turnId, afterSeq) => readEvents(turns, turns.parse, turnId, afterSeq),
    plain: (row) => ({
      ...row,
      text: turns.parse(row.text),
      answer: row.answer === null ? null : turns.parse(row.answer),
    }),
    unfinished: "turns",
    decider: "events.body::json -> 'person' ->> 'id'",
    everywhere: `namespaces CROSS JOIN LATERAL (
      SELECT ${sums} FROM turns WHERE turns.namespace = namespaces.namespace AND accepted_at >= $1) AS used`,
  });
}
