import { isEphemeral, type TurnEvent } from "../../core/log/turn-event.ts";
import { emptyTurnView, foldTurn, type TurnView } from "../../core/log/turn-view.ts";

/** One turn: its view, and the events from which the view was folded. */
interface Entry {
  view: TurnView;
  events: readonly TurnEvent[];
}

/**
 * The turns of one thread in the order of acceptance. Events arrive both with the thread and live from the feed, in any
 * interleaving; each is folded once, in the order of its `seq`. Immutable.
 */
export type Timeline = ReadonlyMap<string, Entry>;

export const emptyTimeline: Timeline = new Map();

/** The timeline after one live event. `complete` is false if the beginning of its turn is unknown: then read the thread. */
export function addLive(timeline: Timeline, event: TurnEvent): { timeline: Timeline; complete: boolean } {
  const known = timeline.get(event.turn_id);
  const events = known?.events ?? [];
  const last = events.at(-1)?.seq ?? -1;
  const entry =
    known !== undefined && event.seq > last
      ? { view: foldTurn(known.view, event), events: [...events, event] }
      : merge(events, [event]);
  return { timeline: put(timeline, event.turn_id, entry), complete: entry.events[0]?.seq === 0 };
}

/** The timeline after the thread was read, including live events that arrived during the request. */
export function addRead(timeline: Timeline, turns: readonly { events: readonly TurnEvent[] }[]): Timeline {
  const next = new Map(timeline);
  for (const { events } of turns) {
    const id = events[0]?.turn_id;
    if (id !== undefined) next.set(id, merge(next.get(id)?.events ?? [], events));
  }
  return inOrder(next);
}

/** The turns to show. A message that was added to another turn is shown only there. */
export function turnsOf(timeline: Timeline): TurnView[] {
  return [...timeline.values()].map(({ view }) => view).filter((view) => view.merged_into === undefined);
}

/** Turns that are running, or waiting for a person. */
export function runningTurns(timeline: Timeline): TurnView[] {
  return turnsOf(timeline).filter(({ status }) => status === "running" || status === "waiting");
}

function put(timeline: Timeline, id: string, entry: Entry): Timeline {
  const isNew = !timeline.has(id);
  const next = new Map(timeline).set(id, entry);
  return isNew ? inOrder(next) : next;
}

function inOrder(timeline: Timeline): Timeline {
  const order = [...timeline].sort(([, a], [, b]) => a.view.accepted_at - b.view.accepted_at);
  return new Map(order);
}

function merge(known: readonly TurnEvent[], more: readonly TurnEvent[]): Entry {
  const bySeq = new Map([...known, ...more].map((event) => [event.seq, event]));
  const events = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  // After a crash, the numbers of events that were only sent live are used again.
  const resumed = Math.max(...events.map(({ type, at }) => (type === "turn_resumed" ? at : 0)));
  return fold(events.filter((event) => event.at >= resumed || !isEphemeral(event)));
}

function fold(events: readonly TurnEvent[]): Entry {
  const id = events[0]?.turn_id ?? "";
  return { view: events.reduce(foldTurn, emptyTurnView(id)), events };
}
