import { madeOnce } from "../../base/made-once.ts";
import { isEphemeral, isInternal, type TurnEvent } from "../../core/log/turn-event.ts";
import type { ClaimedTurn, StoredEvents, TurnCalls, TurnReading } from "../../core/log/turn-log.ts";
import type { Log, Wire } from "../../core/ports/storage.ts";
import type { AppDeps } from "../app-deps.ts";
import { Feed, type FeedReader, type Tail } from "./feed.ts";
import { keepListening } from "./keep-listening.ts";
import type { TurnObserver } from "./turn-writer.ts";

/** `owner` identifies this process. */
type SharedFeedDeps = Pick<AppDeps, "clock" | "owner"> & {
  log: Pick<TurnReading, "read">;
  logger: Pick<Log, "warn" | "error">;
};

/** On this channel a process says that it watches a namespace, or asks the others to say what they watch. */
const watchChannel = "watch";
type WatchMessage = { by: string; watches?: string };
/** A watcher that said nothing for this time is gone, ms. */
const watchedMs = 30_000;
const repeatMs = 10_000;

/** Live events of a turn; without them, the state of the namespace has changed. */
interface LiveMessage {
  by: string;
  live?: Omit<Tail, "namespace">;
}
/** Live events of a turn are sent together after this time, ms. */
const batchMs = 100;
/** Maximum bytes of the events in a message. */
const maxBytes = 7_000;

/** Events that this process stored are shown to its watchers after this time at the latest, ms. */
const ownMs = 1_000;

/** Turns of which the last stored event is remembered. */
const maxTurns = 5_000;

const liveChannel = (namespace: string) => `live:${namespace}`;

/** A namespace that somebody watches here. */
interface Watched {
  watchers: number;
  /** Resolves with a function that stops listening. */
  listening: Promise<() => Promise<unknown>>;
}

/**
 * A feed whose watchers and turns may be in different processes. Stored events are told by the log and read there, so that none is missed.
 * Ephemeral ones are sent as they are, while somebody elsewhere watches their namespace; the next stored event makes up for lost ones. If
 * anything may have been missed, watchers are cut off and have to connect again, as readers that are too slow.
 */
export class SharedFeed extends Feed {
  readonly #deps: SharedFeedDeps;
  readonly #calls: Pick<TurnCalls, "onEvents">;
  readonly #wire: Wire;
  readonly #elsewhere: RemoteWatchers;
  readonly #open = new Map<string, Watched>();
  /** Seq of the last stored event that was shown here, by turn. */
  readonly #shown = new Map<string, number>();
  /** By turn, so that its events keep their order. */
  readonly #order = new Map<string, Promise<void>>();
  #session = new AbortController();
  #cancelRepeat: (() => void) | undefined;

  constructor(deps: SharedFeedDeps, { calls, wire }: { calls: Pick<TurnCalls, "onEvents">; wire: Wire }) {
    super();
    this.#deps = deps;
    this.#calls = calls;
    this.#wire = wire;
    this.#elsewhere = new RemoteWatchers(deps, wire);
  }

  override publish(namespace: string, thread: string, event: TurnEvent): void {
    if (isEphemeral(event)) this.#elsewhere.send({ namespace, thread, events: [event] });
    else if (this.#isNew(event)) this.#elsewhere.drop(event.turn_id);
    else return;
    super.publish(namespace, thread, event);
  }

  override follow(turn: ClaimedTurn, log: Pick<TurnReading, "read">): TurnObserver {
    const { namespace, thread } = turn.inbound;
    // What another process told of the turn's events may arrive after this one has stored the next.
    for (const event of turn.events) if (!isInternal(event)) this.publish(namespace, thread, event);
    return super.follow(turn, log);
  }

  override changed(namespace: string): void {
    super.changed(namespace);
    this.#elsewhere.sendChange(namespace);
  }

  override async watch(namespace: string, signal: AbortSignal): Promise<FeedReader> {
    const until = AbortSignal.any([signal, this.#session.signal]);
    let leave = () => {};
    const reader = await super.watch(namespace, until, () => leave());
    if (until.aborted) return reader;
    const watched = madeOnce(this.#open, namespace, () => ({
      watchers: 0,
      listening: this.#listen(namespace),
    }));
    watched.watchers += 1;
    leave = () => this.#leave(namespace, watched);
    try {
      await watched.listening;
      await this.#announceOne(namespace);
    } catch (error) {
      await reader.return();
      throw error;
    }
    this.#cancelRepeat ??= this.#deps.clock.after(repeatMs, () => this.#announce());
    return reader;
  }

  override start(): () => Promise<void> {
    const { clock, logger, owner } = this.#deps;
    const onMessage = (text: string | undefined) => {
      const { by, watches } = text === undefined ? { by: owner } : (JSON.parse(text) as WatchMessage);
      // What was lost is said again.
      if (text === undefined) this.#elsewhere.tell(watchChannel, { by: owner });
      else if (by !== owner && watches !== undefined) this.#elsewhere.heard(watches, this.tails(watches));
      else if (by !== owner) this.#announce();
    };
    const listen = async () => {
      const end = await this.#wire.listen(watchChannel, onMessage);
      this.#elsewhere.tell(watchChannel, { by: owner });
      return end;
    };
    return keepListening(listen, { clock, logger });
  }

  #leave(namespace: string, watched: Watched): void {
    watched.watchers -= 1;
    if (watched.watchers > 0) return;
    this.#open.delete(namespace);
    void watched.listening.then((end) => end()).catch(() => {});
  }

  async #listen(namespace: string): Promise<() => Promise<unknown>> {
    const listening = [
      this.#calls.onEvents(namespace, (stored) => this.#onStored(namespace, stored)),
      this.#wire.listen(liveChannel(namespace), (text) => this.#onLive(namespace, text)),
    ];
    const end = () => Promise.allSettled(listening.map(async (each) => (await each)()));
    try {
      await Promise.all(listening);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  }

  #announceOne(namespace: string): Promise<void> {
    const message: WatchMessage = { by: this.#deps.owner, watches: namespace };
    return this.#wire.notify(watchChannel, JSON.stringify(message));
  }

  #announce(): void {
    this.#cancelRepeat?.();
    const again = () => this.#announce();
    this.#cancelRepeat = this.#open.size === 0 ? undefined : this.#deps.clock.after(repeatMs, again);
    // It is repeated anyway.
    for (const namespace of this.#open.keys()) void this.#announceOne(namespace).catch(() => {});
  }

  #onStored(namespace: string, stored: StoredEvents | undefined): void {
    const { owner, clock } = this.#deps;
    if (stored === undefined) this.#cutOff();
    else if (stored.by !== owner) this.#show(namespace, stored);
    // This process shows its own events, unless it lost the connection and does not know that they were stored.
    else clock.after(ownMs, () => this.#open.has(namespace) && this.#show(namespace, stored));
  }

  #show(namespace: string, { turn_id, thread, from, to }: StoredEvents): void {
    this.#inOrder(turn_id, async () => {
      const after = this.#shown.get(turn_id) ?? from - 1;
      if (to <= after) return;
      for (const event of await this.#deps.log.read(turn_id, after))
        if (!isInternal(event) && this.#isNew(event)) super.publish(namespace, thread, event);
    });
  }

  #onLive(namespace: string, text: string | undefined): void {
    const { by, live }: Partial<LiveMessage> = text === undefined ? {} : JSON.parse(text);
    const [first] = live?.events ?? [];
    if (text === undefined) this.#cutOff();
    else if (by === this.#deps.owner) return;
    else if (live === undefined || first === undefined) super.changed(namespace);
    else
      this.#inOrder(first.turn_id, () => {
        const after = this.#shown.get(first.turn_id) ?? -1;
        for (const event of live.events) if (event.seq > after) super.publish(namespace, live.thread, event);
      });
  }

  #isNew({ turn_id, seq }: TurnEvent): boolean {
    const shown = this.#shown;
    if (seq <= (shown.get(turn_id) ?? -1)) return false;
    shown.delete(turn_id);
    shown.set(turn_id, seq);
    const [oldest] = shown.keys();
    if (shown.size > maxTurns && oldest !== undefined) shown.delete(oldest);
    return true;
  }

  #inOrder(turnId: string, work: () => Promise<void> | void): void {
    const done = (this.#order.get(turnId) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      this.#deps.logger.warn(
        { err: error },
        "Events of another process could not be read; watchers have to connect again",
      );
      this.#cutOff();
    });
    this.#order.set(turnId, done);
    void done.then(() => {
      if (this.#order.get(turnId) === done) this.#order.delete(turnId);
    });
  }

  #cutOff(): void {
    this.#session.abort();
    this.#session = new AbortController();
  }
}

/**
 * Sends live events to the processes that watch.
 * - Order: as sent, within a turn.
 * - How often: at most once, and not at all once a stored event says the same (`drop`).
 * - Slow reader: the turn never waits. What arrives within `batchMs` is sent together.
 * - A crash or a lost connection loses what was not sent; the other process then cuts its watchers off.
 * - End: `watchedMs` after the last process said that it watches.
 * - Bound: `maxBytes` a message. An event that is larger is left out.
 */
class RemoteWatchers {
  readonly #deps: SharedFeedDeps;
  readonly #wire: Wire;
  /** Until when a namespace is watched elsewhere, ms since the epoch. */
  readonly #watched = new Map<string, number>();
  /** What is sent next, by turn. */
  readonly #batches = new Map<string, Tail>();
  #isFlushing = false;

  constructor(deps: SharedFeedDeps, wire: Wire) {
    this.#deps = deps;
    this.#wire = wire;
  }

  send({ namespace, thread, events }: Tail): void {
    const [first] = events;
    if (first === undefined || !this.#isWatched(namespace)) return;
    const begin = (): Tail => ({ namespace, thread, events: [] });
    madeOnce(this.#batches, first.turn_id, begin).events.push(...events);
    if (!this.#isFlushing) this.#deps.clock.after(batchMs, () => this.#flush());
    this.#isFlushing = true;
  }

  /** What waits to be sent is in the stored event that follows it. */
  drop(turnId: string): void {
    this.#batches.delete(turnId);
  }

  sendChange(namespace: string): void {
    if (this.#isWatched(namespace)) this.tell(liveChannel(namespace), { by: this.#deps.owner });
  }

  /** A process says that it watches a namespace. One that begins to gets the ephemeral events so far. */
  heard(namespace: string, tails: readonly Tail[]): void {
    const isNew = !this.#isWatched(namespace);
    const now = this.#deps.clock.now();
    this.#watched.set(namespace, now + watchedMs);
    for (const [name, until] of this.#watched) if (until <= now) this.#watched.delete(name);
    if (isNew) for (const tail of tails) this.send(tail);
  }

  tell(channel: string, message: WatchMessage | LiveMessage): void {
    this.#wire.notify(channel, JSON.stringify(message)).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error }, "Another process could not be told what happens in a turn");
    });
  }

  #isWatched(namespace: string): boolean {
    return (this.#watched.get(namespace) ?? 0) > this.#deps.clock.now();
  }

  #flush(): void {
    this.#isFlushing = false;
    for (const { namespace, thread, events } of this.#batches.values())
      for (const some of inMessages(events))
        this.tell(liveChannel(namespace), { by: this.#deps.owner, live: { thread, events: some } });
    this.#batches.clear();
  }
}

/** Splits events so that each part fits a message. One that does not fit is left out: the next stored event has its content. */
function inMessages(events: readonly TurnEvent[]): TurnEvent[][] {
  const encoder = new TextEncoder();
  const parts: TurnEvent[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = encoder.encode(JSON.stringify(event)).byteLength + 1;
    if (size > maxBytes) continue;
    if (bytes + size > maxBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(event);
    bytes += size;
  }
  return parts.filter(({ length }) => length > 0);
}
