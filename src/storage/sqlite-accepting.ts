import type { Inbound } from "../core/inbound.ts";
import type { TurnLog } from "../core/turn-log.ts";
import { lineOf, titleOf } from "./line.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { insertEvent } from "./sqlite-events.ts";
import { wokenByMessage } from "./turn-log-schema.ts";

const insertTurn = `
  INSERT INTO turns (turn_id, key, line, namespace, thread, kind, author_id, author, accepted_at, text, head)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
          NOT EXISTS (SELECT 1 FROM turns WHERE line = ?3 AND status <> 'finished'))`;

// The head of a line is its first unfinished turn, so its ordinal is the least of them.
const wakeHead = `
  UPDATE turns SET woken = woken | ${wokenByMessage}, due_at = iif(status = 'waiting', 0, due_at)
  WHERE ordinal = (SELECT min(ordinal) FROM turns WHERE line = ?1 AND status <> 'finished')
    AND author_id = ?2 AND status <> 'queued'`;

const countInThread = `
  INSERT INTO threads (namespace, thread, title, root, turns, unfinished, last_at)
  VALUES (?1, ?2, ?3, ?4, 1, 1, ?5)
  ON CONFLICT DO UPDATE SET
    title = iif(root IS NULL AND ?4 IS NOT NULL, ?3, title), root = coalesce(root, ?4),
    turns = turns + 1, unfinished = unfinished + 1, last_at = max(last_at, ?5)`;

/** The way in. */
export function createAccepting(connection: SqliteConnection): Pick<TurnLog, "accept"> {
  return {
    async accept(inbound, turnId, at) {
      const known = turnOfKey(connection, inbound.key);
      if (known !== undefined) return { turn_id: known, accepted: false };
      return connection.transaction(() => {
        // Again under the lock: another process may have been faster.
        const faster = turnOfKey(connection, inbound.key);
        if (faster !== undefined) return { turn_id: faster, accepted: false };
        store(connection, inbound, turnId, at);
        return { turn_id: turnId, accepted: true };
      });
    },
  };
}

function turnOfKey(connection: SqliteConnection, key: string): string | undefined {
  return connection.get("SELECT turn_id FROM turns WHERE key = ?", key)?.turn_id as string | undefined;
}

function store(connection: SqliteConnection, inbound: Inbound, turnId: string, at: number): void {
  const { key, namespace, thread, kind, author, text } = inbound;
  const line = lineOf(inbound, turnId);
  if (kind === "message") connection.run(wakeHead, line, author.id);
  const head = [turnId, key, line, namespace, thread, kind, author.id, JSON.stringify(author), at, text];
  connection.run(insertTurn, ...head);
  insertEvent(connection, { type: "inbound", inbound, turn_id: turnId, seq: 0, at });
  const root = kind === "message" ? turnId : null;
  connection.run(countInThread, namespace, thread, titleOf(text), root, at);
  connection.run("INSERT INTO namespaces (namespace) VALUES (?) ON CONFLICT DO NOTHING", namespace);
}
