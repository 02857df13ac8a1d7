import { isInternal, type TurnEvent } from "../core/turn-event.ts";
import type { TurnLog } from "../core/turn-log.ts";
import type { Feed } from "./feed.ts";

/**
 * The events of a turn after `afterSeq` until it is finished: stored ones, what is streaming now, then live. Undefined for
 * an unknown turn; ends early with the signal.
 */
export async function followTurn(
  log: TurnLog,
  feed: Feed,
  turnId: string,
  afterSeq: number,
  signal: AbortSignal,
): Promise<AsyncIterable<TurnEvent> | undefined> {
  const record = await log.get(turnId);
  if (record === undefined) return undefined;
  const { namespace, status } = record;
  return follow(log, feed, { turnId, namespace, afterSeq, complete: status === "finished", signal });
}

interface Following {
  turnId: string;
  namespace: string;
  afterSeq: number;
  /** Everything there will ever be is stored. */
  complete: boolean;
  signal: AbortSignal;
}

async function* follow(
  log: TurnLog,
  feed: Feed,
  { turnId, namespace, afterSeq, complete, signal }: Following,
): AsyncGenerator<TurnEvent, void> {
  const live = feed.watch(namespace, signal);
  try {
    let last = afterSeq;
    const tail = [...feed.tail(turnId)];
    const stored = await log.read(turnId, afterSeq);
    for (const event of [...stored.filter((event) => !isInternal(event)), ...tail]) {
      if (event.seq <= last) continue;
      last = event.seq;
      yield event;
      if (event.type === "turn_finished") return;
    }
    if (complete) return;
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
