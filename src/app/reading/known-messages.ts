import { LRUCache } from "lru-cache";
import type { TurnReading } from "../../core/log/turn-log.ts";
import type { Place } from "../../core/values/place.ts";

/** What the log knows of a thread's messages. */
export interface KnownMessages {
  /** Platform ids of messages that are turns, or that a turn has read. */
  ids: ReadonlySet<string>;
  /** Platform ids of what these turns have posted. */
  posted: ReadonlySet<string>;
  /** When the newest message was said that a turn has read, ms since the epoch. What came before it was there to be read. */
  newest: number;
}

/** Turns of a thread that are looked at, newest first. */
const maxTurns = 200;
/** Turns remembered by what they were and had read. */
const remembered = 4_000;

/** Reads what is known of a thread; a finished turn is read from the log once. */
export function createKnownMessages(log: TurnReading): (place: Place) => Promise<KnownMessages> {
  const cache = new LRUCache<string, KnownMessages>({ max: remembered });

  const ofTurn = async (turnId: string, finished: boolean): Promise<KnownMessages> => {
    const cached = cache.get(turnId);
    if (cached !== undefined) return cached;
    const events = await log.read(turnId);
    const heard = events.flatMap((event) => (event.type === "context_read" ? event.thread : []));
    const said = events.flatMap((event) => (event.type === "inbound" ? event.inbound.origin?.message : []));
    const ids = [...said, ...heard.map(({ id }) => id)].filter((id) => id !== undefined);
    const posted = events.flatMap((event) => (event.type === "message_posted" ? event.reference : []));
    const known = {
      ids: new Set(ids),
      posted: new Set(posted),
      newest: latest(heard.map(({ at }) => at)),
    };
    if (finished) cache.set(turnId, known);
    return known;
  };

  return async ({ namespace, thread }) => {
    const turns = await log.list({ namespace, thread, limit: maxTurns });
    const all = await Promise.all(turns.map((turn) => ofTurn(turn.turn_id, turn.status === "finished")));
    return {
      ids: new Set(all.flatMap(({ ids }) => [...ids])),
      posted: new Set(all.flatMap(({ posted }) => [...posted])),
      newest: latest(all.map(({ newest }) => newest)),
    };
  };
}

function latest(times: readonly number[]): number {
  return times.reduce((newest, at) => Math.max(newest, at), Number.NEGATIVE_INFINITY);
}
