import { madeOnce } from "../../base/made-once.ts";
import { isEphemeral, type TurnEvent } from "../../core/log/turn-event.ts";
import type { ClaimedTurn } from "../../core/log/turn-log.ts";

/** Maximum events queued for one reader. A reader further behind is cut off and has to reconnect. */
const maxBacklog = 20_000;

/** An item that people watching a namespace see: a turn event, or a change of its state. */
export type FeedItem =
  | { kind: "event"; thread: string; event: TurnEvent }
  | { kind: "state"; namespace: string };

/** Live events for current watchers. Stored events are in the turn log. */
export interface Feed {
  publish(namespace: string, thread: string, event: TurnEvent): void;
  /** This process goes on with a turn of which it may not have shown all stored events. */
  resume(turn: ClaimedTurn): void;
  /** The state of a namespace changed. */
  changed(namespace: string): void;
  /** Ephemeral events of a running turn since its last stored one, for a watcher who joins late. */
  tail(turnId: string): readonly TurnEvent[];
  /** The same of all turns in a namespace. */
  tails(namespace: string): readonly Tail[];
  /** Everything in a namespace from the moment in which this resolves, until the signal or until the reader returns. */
  watch(namespace: string, signal: AbortSignal): Promise<FeedReader>;
}

/** A reader of live events. It leaves with `return`, also before it has asked for the first. */
export interface FeedReader extends AsyncIterable<FeedItem, void> {
  next(): Promise<IteratorResult<FeedItem, void>>;
  return(): Promise<IteratorResult<FeedItem, void>>;
}

/** Ephemeral events of a turn. */
export interface Tail {
  namespace: string;
  thread: string;
  events: TurnEvent[];
}

export function createFeed(): Feed {
  const readers = new Map<string, Set<(item: FeedItem) => void>>();
  const tails = new Map<string, Tail>();
  const send = (namespace: string, item: FeedItem) => {
    for (const reader of readers.get(namespace) ?? []) reader(item);
  };
  return {
    publish(namespace, thread, event) {
      if (!isEphemeral(event)) {
        // `message_posted` is stored while the answer is still being written.
        if (event.type !== "message_posted") tails.delete(event.turn_id);
      } else {
        madeOnce(tails, event.turn_id, (): Tail => ({ namespace, thread, events: [] })).events.push(event);
      }
      send(namespace, { kind: "event", thread, event });
    },
    // Who runs a turn has shown what it stored.
    resume: () => {},
    changed: (namespace) => send(namespace, { kind: "state", namespace }),
    tail: (turnId) => tails.get(turnId)?.events ?? [],
    tails: (namespace) => [...tails.values()].filter((tail) => tail.namespace === namespace),
    async watch(namespace, signal) {
      const set = readers.get(namespace) ?? new Set();
      readers.set(namespace, set);
      const reader = createReader(signal, () => {
        set.delete(reader.push);
        if (set.size === 0 && readers.get(namespace) === set) readers.delete(namespace);
      });
      if (!signal.aborted) set.add(reader.push);
      return reader;
    },
  };
}

/** @param left called once, when the reader has left or is too far behind */
function createReader(signal: AbortSignal, left: () => void): FeedReader & { push(item: FeedItem): void } {
  let items: FeedItem[] = [];
  let position = 0;
  let closed = signal.aborted;
  let wake = () => {};
  const close = () => {
    if (closed) return;
    closed = true;
    signal.removeEventListener("abort", close);
    left();
    wake();
  };
  signal.addEventListener("abort", close);
  const over: IteratorResult<FeedItem, void> = { done: true, value: undefined };
  const reader: FeedReader & { push(item: FeedItem): void } = {
    push(item) {
      if (closed) return;
      items.push(item);
      if (items.length - position > maxBacklog) close();
      wake();
    },
    async next() {
      while (position >= items.length && !closed) {
        items = [];
        position = 0;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = closed ? undefined : items[position];
      position += 1;
      return value === undefined ? over : { done: false, value };
    },
    async return() {
      close();
      return over;
    },
    [Symbol.asyncIterator]: () => reader,
  };
  return reader;
}
