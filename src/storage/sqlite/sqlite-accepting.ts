import { laneOf, type TurnQueue } from "../../core/log/turn-log.ts";
import type { Inbound } from "../../core/values/inbound.ts";
import { knownTurnOf, wokenByMessage } from "../turns/turn-rows.ts";
import { isSaid, lineOf, titleOf } from "../turns/turn-texts.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvents } from "./sqlite-events.ts";
import { addToLane, refreshLane } from "./sqlite-lanes.ts";

const insertTurn = `
  INSERT INTO turns (turn_id, key, line, namespace, thread, kind, author_id, author, accepted_at, text, lane, head)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,
          NOT EXISTS (SELECT 1 FROM turns WHERE line = ?3 AND status <> 'finished'))
  RETURNING ordinal, head`;

// The head of a line is its first unfinished turn, so it has the lowest ordinal of them.
const wakeHead = `
  UPDATE turns SET woken = woken | ${wokenByMessage}, due_at = iif(status = 'waiting', 0, due_at)
  WHERE ordinal = (SELECT min(ordinal) FROM turns WHERE line = ?1 AND status <> 'finished')
    AND author_id = ?2 AND status <> 'queued' RETURNING status`;

const countInThread = `
  INSERT INTO threads (namespace, thread, title, root, turns, unfinished, last_at)
  VALUES (?1, ?2, ?3, ?4, 1, 1, ?5)
  ON CONFLICT DO UPDATE SET
    title = iif(root IS NULL AND ?4 IS NOT NULL, ?3, title), root = coalesce(root, ?4),
    turns = turns + 1, unfinished = unfinished + 1, last_at = max(last_at, ?5)`;

const ofKey = "SELECT turn_id, namespace, thread, author_id, text FROM turns WHERE key = ?";

/** Accepts turns. */
export function createAccepting(connection: SqliteConnection): Pick<TurnQueue, "accept"> {
  return {
    async accept(inbound, turnId, at) {
      const accepted =
        known(connection, inbound) ??
        (await connection.transaction(() => {
          // Checked again under the lock: another process may have been faster.
          const faster = known(connection, inbound);
          if (faster !== undefined) return faster;
          store(connection, inbound, turnId, at);
          return { turn_id: turnId, accepted: true };
        }));
      // Also for a known key: its first sender may still wait for the disk.
      await connection.durable();
      return accepted;
    },
  };
}

/** The turn that the key created, if any. */
function known(
  connection: SqliteConnection,
  inbound: Inbound,
): Awaited<ReturnType<TurnQueue["accept"]>> | undefined {
  const row = connection.get(ofKey, inbound.key);
  return row && knownTurnOf(row, inbound);
}

function store(connection: SqliteConnection, inbound: Inbound, turnId: string, at: number): void {
  const { key, namespace, thread, kind, author, text } = inbound;
  const line = lineOf(inbound, turnId);
  const lane = laneOf(inbound);
  const woken = isSaid(inbound) ? connection.get(wakeHead, line, author.id) : undefined;
  if (woken?.status === "waiting") refreshLane(connection, lane, namespace);
  const head = [turnId, key, line, namespace, thread, kind, author.id, JSON.stringify(author), at, text];
  const row = connection.get(insertTurn, ...head, lane);
  if (row?.head === 1) addToLane(connection, lane, namespace, row.ordinal as number);
  insertEvents(connection, [{ type: "inbound", inbound, turn_id: turnId, seq: 0, at }]);
  const root = kind === "message" ? turnId : null;
  connection.run(countInThread, namespace, thread, titleOf(text), root, at);
  connection.run("INSERT INTO namespaces (namespace) VALUES (?) ON CONFLICT DO NOTHING", namespace);
}
