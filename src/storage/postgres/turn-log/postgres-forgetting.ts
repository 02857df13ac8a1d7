import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { TurnRemoval } from "../../../core/log/turn-log.ts";
import { deletedPerson } from "../../../core/values/inbound.ts";
import type { Place } from "../../../core/values/place.ts";
import {
  countDeletion,
  disownTurn,
  dropCarriedOver,
  finishedTurn,
  renameThread,
} from "../../turns/turn-statements.ts";
import { disowned, forgottenTitle, withoutCause, withoutTexts } from "../../turns/turn-texts.ts";
import type { PostgresSession } from "../postgres-connection.ts";
import { insertEvent, readEvents, replaceEvent } from "./postgres-events.ts";
import type { TurnStore } from "./turn-store.ts";

/** Waits for the thread of a turn, as everything does that deletes in it. */
export const lockThreadOfTurn = `
  SELECT 1 FROM threads JOIN turns USING (namespace, thread) WHERE turn_id = $1 FOR NO KEY UPDATE OF threads`;

/** Deletes what people said. */
export function createForgetting(turns: TurnStore): Pick<TurnRemoval, "forget" | "disown"> {
  return {
    async disown(turnIds, person) {
      for (const turnId of turnIds)
        await turns.transaction((session) => disown(session, turns, turnId, person));
    },

    forget: (turnId, by, at) =>
      turns.transaction(async (session) => {
        await session.run(lockThreadOfTurn, turnId);
        const turn = await session.get(finishedTurn, turnId);
        if (turn === undefined) return false;
        const remaining = withoutTexts(await readEvents(session, turns.parse, turnId), by, at);
        if (remaining === undefined) return true;
        const place = { namespace: turn.namespace as string, thread: turn.thread as string };
        const ordinal = turn.ordinal as number;
        await replaceAll(session, turnId, remaining);
        await session.run("DELETE FROM signals WHERE turn_id = $1", turnId);
        const empty = `UPDATE turns SET text = '""', answer = NULL, details = false WHERE turn_id = $1`;
        await session.run(empty, turnId);
        await session.run(renameThread, forgottenTitle, place.namespace, place.thread, turnId, ordinal);
        await dropFromLaterTurns(session, place, ordinal);
        return true;
      }),
  };
}

/** Removes what later turns of a thread carried over from this turn and those before it: it may repeat deleted text. */
export async function dropFromLaterTurns(
  session: PostgresSession,
  { namespace, thread }: Place,
  ordinal: number,
): Promise<void> {
  await session.run(dropCarriedOver, namespace, thread, ordinal);
  await session.run(countDeletion, namespace, thread);
}

async function replaceAll(session: PostgresSession, turnId: string, events: readonly TurnEvent[]) {
  await session.run("DELETE FROM events WHERE turn_id = $1", turnId);
  for (const event of events) await insertEvent(session, event);
}

async function disown(session: PostgresSession, turns: TurnStore, turnId: string, person: string) {
  if ((await session.get(finishedTurn, turnId)) === undefined) return;
  for (const event of await readEvents(session, turns.parse, turnId)) {
    const after = disowned(event, person);
    if (after !== event) await replaceEvent(session, after);
  }
  await session.run(disownTurn, turnId, person, deletedPerson.id, JSON.stringify(deletedPerson));
}

/** Removes from entry 0 the event that began a turn, and who caused it. */
export async function dropCauseEvent(
  session: PostgresSession,
  parse: TurnStore["parse"],
  turnId: string,
): Promise<void> {
  const [entry] = await readEvents(session, parse, turnId);
  const without = withoutCause(entry);
  if (without !== undefined) await replaceEvent(session, without);
}
