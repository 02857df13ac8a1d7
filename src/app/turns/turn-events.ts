import { isInternal, type TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnReading, TurnRecord } from "../../core/log/turn-log.ts";
import type { Feed } from "./feed.ts";

/** Follows a turn; see `followTurn`. */
export type Follow = (
  turnId: string,
  afterSeq: number,
  signal: AbortSignal,
) => Promise<AsyncIterable<TurnEvent> | undefined>;

/**
 * The events of a turn after `afterSeq` until it is finished: first stored events, then the current stream, then live events. An
 * `afterSeq` beyond the end of the turn counts as its latest event, so that the caller still sees the end. Undefined for an unknown
 * turn. Ends early with the signal.
 */
export async function followTurn(
  { log, feed }: Followed,
  turnId: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<AsyncIterable<TurnEvent> | undefined> {
  const record = await log.get(turnId);
  return record && follow({ log, feed }, record, afterSeq, signal);
}

interface Followed {
  log: TurnReading;
  feed: Pick<Feed, "watch" | "tail">;
}

async function* follow(
  { log, feed }: Followed,
  { turn_id: turnId, namespace, status }: TurnRecord,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<TurnEvent, void> {
  const live = await feed.watch(namespace, signal);
  try {
    const { last: from, events } = await soFar({ log, feed }, turnId, afterSeq);
    let last = from;
    for (const event of events) {
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (event.type === "turn_finished") return;
    }
    if (status === "finished") return;
    for await (const item of live) {
      if (item.kind !== "event" || item.event.turn_id !== turnId) continue;
      const { event } = item;
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (event.type === "turn_finished") return;
    }
  } finally {
    await live.return();
  }
}

/** The events of a turn so far, in order, and the seq after which the reader continues. */
async function soFar(
  { log, feed }: Followed,
  turnId: string,
  afterSeq: number,
): Promise<{ last: number; events: TurnEvent[] }> {
  const tail = [...feed.tail(turnId)];
  // The event at `afterSeq` too, so that an id beyond the end of the log can be told from the id of its end.
  const stored = await log.read(turnId, afterSeq - 1);
  const shown = [...stored.filter((event) => !isInternal(event)), ...tail].sort((a, b) => a.seq - b.seq);
  if (stored.length > 0 || tail.some(({ seq }) => seq >= afterSeq)) return { last: afterSeq, events: shown };
  const end = (await log.read(turnId)).at(-1);
  if (end?.type === "turn_finished") return { last: end.seq - 1, events: [end] };
  return { last: Math.max(end?.seq ?? -1, tail.at(-1)?.seq ?? -1), events: [] };
}
