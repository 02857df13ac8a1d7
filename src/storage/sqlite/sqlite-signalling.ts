import type { Signal, TurnSignals } from "../../core/log/turn-log.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { readInbound } from "./sqlite-events.ts";
import { refreshLane } from "./sqlite-lanes.ts";
import { wokenBySignal } from "./turn-log-schema.ts";

const wake = `
  UPDATE turns SET woken = woken | ${wokenBySignal}, due_at = iif(status = 'waiting', 0, due_at)
  WHERE turn_id = ? AND status <> 'finished' RETURNING status, lane, namespace`;

const queuedByAuthor = `
  SELECT other.turn_id FROM turns JOIN turns AS other ON other.line = turns.line AND other.ordinal > turns.ordinal
  WHERE turns.turn_id = ? AND other.status = 'queued' AND other.status <> 'finished'
    AND other.author_id = turns.author_id
  ORDER BY other.ordinal`;

/** What reaches a turn from outside while it runs or waits. */
export function createSignalling(connection: SqliteConnection): TurnSignals {
  return {
    async signal(turnId, signal, at) {
      const stored = await connection.write(() =>
        connection.transaction(() => {
          const row = connection.get(wake, turnId);
          if (row === undefined) return false;
          if (row.status === "waiting") refreshLane(connection, row.lane as string, row.namespace as string);
          const insert = "INSERT INTO signals (turn_id, at, body) VALUES (?, ?, ?)";
          return connection.run(insert, turnId, at, JSON.stringify(signal)) === 1;
        }),
      );
      await connection.durable();
      return stored;
    },

    async signals(turnId) {
      const rows = connection.all("SELECT body FROM signals WHERE turn_id = ? ORDER BY id", turnId);
      return rows.map((row) => connection.parse(row.body) as Signal);
    },

    async steering(turnId) {
      return connection.all(queuedByAuthor, turnId).flatMap((row) => {
        const id = row.turn_id as string;
        const inbound = readInbound(connection, id);
        return inbound === undefined || inbound.cause !== undefined ? [] : [{ turn_id: id, inbound }];
      });
    },
  };
}
