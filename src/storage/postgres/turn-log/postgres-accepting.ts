import { laneOf, type TurnQueue } from "../../../core/log/turn-log.ts";
import type { Inbound } from "../../../core/values/inbound.ts";
import { knownTurnOf, wokenByMessage } from "../../turns/turn-rows.ts";
import { isSaid, lineOf, titleOf } from "../../turns/turn-texts.ts";
import { storableText } from "../postgres-connection.ts";
import { bodyText } from "./postgres-events.ts";
import { lockForTurn, type TurnStore, tellStored } from "./turn-store.ts";

/**
 * One statement after the locks, so all of it sees the line as it is. The head of the line is its first unfinished turn. It is
 * woken even while it is queued: it may be claimed at this moment, and a claim that comes later clears the mark. A ready head that was
 * locked here may have been skipped by a claim, so whoever claims is told again.
 */
const store = `
  WITH added AS (
    INSERT INTO turns (turn_id, key, line, namespace, thread, kind, lane, said, author_id, author, text, accepted_at, ready)
    SELECT $1, $2, $3::text, $4, $5, $6, $7, $8::boolean, $9, $10, $11, $12::bigint,
      NOT EXISTS (SELECT 1 FROM turns WHERE line = $3 AND status <> 'finished')
    ON CONFLICT (key) DO NOTHING RETURNING turn_id, namespace, thread, ready),
  entry AS (
    INSERT INTO events (turn_id, seq, at, type, body) SELECT turn_id, 0, $12::bigint, 'inbound', $13 FROM added),
  woken AS (
    UPDATE turns SET woken = woken | ${wokenByMessage}, ready = ready OR status = 'waiting'
    WHERE $8::boolean AND EXISTS (SELECT 1 FROM added) AND author_id = $9
      AND ordinal = (SELECT min(ordinal) FROM turns WHERE line = $3 AND status <> 'finished') RETURNING ready),
  thread AS (
    INSERT INTO threads (namespace, thread, title, root, turns, unfinished, last_at)
    SELECT namespace, thread, $14, CASE WHEN $6 = 'message' THEN turn_id END, 1, 1, $12::bigint FROM added
    ON CONFLICT (namespace, thread) DO UPDATE SET
      title = CASE WHEN threads.root IS NULL AND excluded.root IS NOT NULL THEN excluded.title ELSE threads.title END,
      root = coalesce(threads.root, excluded.root), turns = threads.turns + 1,
      unfinished = threads.unfinished + 1, last_at = greatest(threads.last_at, excluded.last_at)),
  space AS (INSERT INTO namespaces (namespace) SELECT namespace FROM added ON CONFLICT DO NOTHING),
  told AS (
    SELECT pg_notify($15, '') WHERE EXISTS (SELECT 1 FROM added WHERE ready UNION ALL SELECT 1 FROM woken WHERE ready))
  SELECT (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM told) AS told,
    (SELECT ${tellStored("0", "0")} FROM (SELECT added.*, NULL AS worker FROM added) AS stored)`;

const ofKey = "SELECT turn_id, namespace, thread, author_id, text FROM turns WHERE key = $1";

/** Accepts turns. Of concurrent messages with one key, one is stored and the others wait for it. */
export function createAccepting(turns: TurnStore): Pick<TurnQueue, "accept"> {
  const insert = (inbound: Inbound, turnId: string, at: number) =>
    turns.transaction(async (session) => {
      const { key, namespace, thread, kind, author, text } = inbound;
      const line = lineOf(inbound, turnId);
      const entry = bodyText({ type: "inbound", inbound, turn_id: turnId, seq: 0, at });
      await session.run(lockForTurn, namespace, line);
      const row = await session.get(
        store,
        ...[turnId, key, line, namespace, thread, kind, laneOf(inbound), isSaid(inbound), author.id],
        ...[JSON.stringify(author), JSON.stringify(text), at, entry, titleOf(text), turns.channels.work],
      );
      return row?.added === 1;
    });
  return {
    async accept(inbound, turnId, at) {
      for (;;) {
        if (await insert(inbound, turnId, at)) return { turn_id: turnId, accepted: true };
        // It is on the disk: nobody sees a row before that.
        const row = await turns.get(ofKey, inbound.key);
        if (row !== undefined) return knownTurnOf({ ...row, text: turns.parse(row.text) }, asStored(inbound));
        // Deleted in between, with its thread.
      }
    },
  };
}

function asStored(inbound: Inbound): Inbound {
  const { namespace, thread, author } = inbound;
  const id = storableText(author.id);
  return {
    ...inbound,
    namespace: storableText(namespace),
    thread: storableText(thread),
    author: { ...author, id },
  };
}
