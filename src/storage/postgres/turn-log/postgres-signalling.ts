import type { Signal, TurnSignals } from "../../../core/log/turn-log.ts";
import { wokenBySignal } from "../../turns/turn-rows.ts";
import { readInbounds } from "./postgres-events.ts";
import type { TurnStore } from "./turn-store.ts";

// A ready turn that was locked here may have been skipped by a claim, so whoever claims is told again.
const store = `
  WITH reached AS (
    UPDATE turns SET woken = woken | ${wokenBySignal}, ready = ready OR status = 'waiting'
    WHERE turn_id = $1 AND status <> 'finished' RETURNING turn_id, ready, status),
  stored AS (INSERT INTO signals (turn_id, at, body) SELECT turn_id, $2::bigint, $3 FROM reached)
  SELECT CASE WHEN ready THEN pg_notify($4, '')::text WHEN status = 'running' THEN pg_notify($5, turn_id)::text END
  FROM reached`;

const queuedByAuthor = `
  SELECT other.turn_id FROM turns JOIN turns AS other ON other.line = turns.line AND other.ordinal > turns.ordinal
  WHERE turns.turn_id = $1 AND other.kind = 'message' AND other.status <> 'finished' AND other.said
    AND other.author_id = turns.author_id
  ORDER BY other.ordinal`;

/** Signals and messages that reach a turn while it runs or waits. */
export function createSignalling(turns: TurnStore): TurnSignals {
  return {
    async signal(turnId, signal, at) {
      const { work, turn } = turns.channels;
      return (await turns.run(store, turnId, at, JSON.stringify(signal), work, turn)) > 0;
    },

    async signals(turnId) {
      const rows = await turns.all("SELECT body FROM signals WHERE turn_id = $1 ORDER BY id", turnId);
      return rows.map((row) => turns.parse(row.body) as Signal);
    },

    async steering(turnId) {
      const ids = (await turns.all(queuedByAuthor, turnId)).map((row) => String(row.turn_id));
      if (ids.length === 0) return [];
      const inbounds = await readInbounds(turns, ids);
      return ids.flatMap((turn_id) => {
        const inbound = inbounds.get(turn_id);
        return inbound === undefined ? [] : [{ turn_id, inbound }];
      });
    },
  };
}
