import type { Clock } from "../core/clock.ts";
import type { Redact } from "../core/redact.ts";
import { isEphemeral, type TurnEvent, type TurnEventBody } from "../core/turn-event.ts";
import type { ClaimedTurn, TurnLog } from "../core/turn-log.ts";
import type { Feed } from "./feed.ts";

/** Stamps a turn's events, stores them, and shows them to those who watch. */
export interface TurnWriter {
  /** Resolves once the event is stored; ephemeral ones are only shown. @throws LeaseLostError, or as the log does. */
  write(body: TurnEventBody): Promise<void>;
}

/** Kinds that wait for the event after them, to be stored in the same write. */
const held = new Set<TurnEventBody["type"]>(["round_started", "usage"]);

export interface TurnWriterDeps {
  log: TurnLog;
  feed: Feed;
  clock: Clock;
  redact: Redact;
  /** Who holds the lease. */
  owner: string;
}

export function createTurnWriter(
  { log, feed, clock, redact, owner }: TurnWriterDeps,
  claimed: ClaimedTurn,
): TurnWriter {
  const { turn_id, inbound } = claimed;
  let seq = claimed.events.at(-1)?.seq ?? 0;
  let waiting: TurnEvent[] = [];

  const publish = (events: readonly TurnEvent[]) => {
    for (const event of events) feed.publish(inbound.namespace, inbound.thread, event);
  };
  const flush = async () => {
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    await log.append(turn_id, owner, events);
    publish(events);
  };
  return {
    async write(body) {
      seq += 1;
      const event: TurnEvent = { ...redact(body), turn_id, seq, at: clock.now() };
      if (isEphemeral(event)) {
        await flush();
        publish([event]);
      } else if (event.type === "steered") {
        await flush();
        await log.absorb(turn_id, owner, [event.from_turn], [event]);
        publish([event, ...(await log.read(event.from_turn, 0))]);
      } else {
        waiting.push(event);
        if (!held.has(event.type)) await flush();
      }
    },
  };
}
