import { madeOnce } from "../../base/made-once.ts";
import { isEphemeral, isInternal, type TurnEvent } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, TurnReading } from "../../core/log/turn-log.ts";
import type { TurnObserver } from "./turn-writer.ts";

/** Maximum events queued for one reader. A reader further behind is cut off and has to reconnect. */
const maxBacklog = 20_000;

/** An item that people watching a namespace see: a turn event, or a change of its state. */
export type FeedItem =
  | { kind: "event"; thread: string; event: TurnEvent }
  | { kind: "state"; namespace: string };

/** Ephemeral events of a turn. */
export interface Tail {
  namespace: string;
  thread: string;
  events: TurnEvent[];
}

/**
 * Live events for current watchers. Stored events are in the turn log.
 * - Order: as published in the namespace.
 * - How often: at most once. A watcher reads what it missed from the log.
 * - Slow reader: holds up nobody. Once it is `maxBacklog` items behind, it is cut off and has to reconnect.
 * - A crash loses ephemeral events only.
 * - End: the reader's signal or `return`.
 * - Bound: `maxBacklog` for each reader; for late watchers, the ephemeral events of each turn since its last stored one.
 */
export class Feed {
  readonly #readers = new Map<string, Set<FeedReader>>();
  readonly #tails = new Map<string, Tail>();

  publish(namespace: string, thread: string, event: TurnEvent): void {
    const { turn_id, type } = event;
    if (isEphemeral(event))
      madeOnce(this.#tails, turn_id, (): Tail => ({ namespace, thread, events: [] })).events.push(event);
    // `message_posted` is stored while the answer is still being written.
    else if (type !== "message_posted") this.#tails.delete(turn_id);
    this.#send(namespace, { kind: "event", thread, event });
  }

  /** Shows a turn that this process runs to its watchers, with the end of each message that it absorbs. */
  follow({ inbound: { namespace, thread } }: ClaimedTurn, log: Pick<TurnReading, "read">): TurnObserver {
    const show = (event: TurnEvent) => {
      if (!isInternal(event)) this.publish(namespace, thread, event);
    };
    const showAbsorbed = async (turnId: string) => (await log.read(turnId, 0)).forEach(show);
    return {
      after(event) {
        show(event);
        return event.type === "steered" ? showAbsorbed(event.from_turn) : undefined;
      },
    };
  }

  /** The state of a namespace changed. */
  changed(namespace: string): void {
    this.#send(namespace, { kind: "state", namespace });
  }

  /** Ephemeral events of a running turn since its last stored one, for a watcher who joins late. */
  tail(turnId: string): readonly TurnEvent[] {
    return this.#tails.get(turnId)?.events ?? [];
  }

  /** The same of all turns in a namespace. */
  tails(namespace: string): readonly Tail[] {
    return [...this.#tails.values()].filter((tail) => tail.namespace === namespace);
  }

  /**
   * Everything in a namespace from the moment in which this resolves, until the signal or until the reader returns.
   * @param left called once, when the reader has left or is too far behind
   */
  async watch(namespace: string, signal: AbortSignal, left = () => {}): Promise<FeedReader> {
    const readers = madeOnce(this.#readers, namespace, () => new Set<FeedReader>());
    const reader = new FeedReader(signal, () => {
      readers.delete(reader);
      if (readers.size === 0 && this.#readers.get(namespace) === readers) this.#readers.delete(namespace);
      left();
    });
    if (!signal.aborted) readers.add(reader);
    return reader;
  }

  /** Begins to hear of other processes. Returns a function that ends it. */
  start(): () => Promise<void> {
    return async () => {};
  }

  #send(namespace: string, item: FeedItem): void {
    for (const reader of this.#readers.get(namespace) ?? []) reader.push(item);
  }
}

/** A reader of live events. It leaves with `return`, also before it has asked for the first. */
export class FeedReader implements AsyncIterableIterator<FeedItem, void> {
  #items: FeedItem[] = [];
  #position = 0;
  #wake = () => {};
  readonly #signal: AbortSignal;
  readonly #left: () => void;
  #isClosed: boolean;

  constructor(signal: AbortSignal, left: () => void) {
    this.#signal = signal;
    this.#left = left;
    this.#isClosed = signal.aborted;
    signal.addEventListener("abort", this.#close);
  }

  push(item: FeedItem): void {
    if (this.#isClosed) return;
    this.#items.push(item);
    if (this.#items.length - this.#position > maxBacklog) this.#close();
    this.#wake();
  }

  async next(): Promise<IteratorResult<FeedItem, void>> {
    while (this.#position >= this.#items.length && !this.#isClosed) {
      this.#items = [];
      this.#position = 0;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const value = this.#isClosed ? undefined : this.#items[this.#position];
    this.#position += 1;
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  async return(): Promise<IteratorResult<FeedItem, void>> {
    this.#close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #close = () => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#signal.removeEventListener("abort", this.#close);
    this.#left();
    this.#wake();
  };
}
