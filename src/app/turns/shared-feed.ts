import { madeOnce } from "../../base/made-once.ts";
import { isEphemeral, isInternal, type TurnEvent } from "../../core/log/turn-event.ts";
import type { StoredEvents, TurnCalls, TurnReading } from "../../core/log/turn-log.ts";
import type { Clock, Log, Wire } from "../../core/ports/storage.ts";
import type { Feed, FeedReader, Tail } from "./feed.ts";
import { keepListening } from "./keep-listening.ts";

/** A feed whose watchers and turns may be in different processes. */
export interface SharedFeed extends Feed {
  /** Begins to hear who watches elsewhere. Returns a function that ends it. */
  start(): () => Promise<void>;
}

export interface SharedFeedDeps {
  log: Pick<TurnReading, "read">;
  shared: { calls: Pick<TurnCalls, "onEvents">; wire: Wire };
  clock: Clock;
  logger: Pick<Log, "warn" | "error">;
  /** Identifies this process. */
  owner: string;
}

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

/**
 * Stored events are told by the log and read there, so that none is missed. Ephemeral ones are sent as they are, while somebody elsewhere
 * watches their namespace; the next stored event makes up for lost ones. If anything may have been missed, watchers are cut off and have to
 * connect again, as readers that are too slow.
 */
export function createSharedFeed(local: Feed, deps: SharedFeedDeps): SharedFeed {
  const elsewhere = createRemoteWatchers(local, deps);
  const here = createWatching(local, deps);
  const publish: Feed["publish"] = (namespace, thread, event) => {
    if (isEphemeral(event)) elsewhere.send({ namespace, thread, events: [event] });
    else if (here.isNew(event)) elsewhere.drop(event.turn_id);
    else return;
    local.publish(namespace, thread, event);
  };
  return {
    ...local,
    publish,
    // What another process told of them may arrive after this one has stored the next.
    resume({ inbound: { namespace, thread }, events }) {
      for (const event of events) if (!isInternal(event)) publish(namespace, thread, event);
    },
    changed(namespace) {
      local.changed(namespace);
      elsewhere.sendChange(namespace);
    },
    watch: here.watch,
    start: () => elsewhere.start(here.announce),
  };
}

/** Sends live events to the processes that watch. */
function createRemoteWatchers(local: Feed, { shared: { wire }, clock, logger, owner }: SharedFeedDeps) {
  /** Until when a namespace is watched elsewhere, ms since the epoch. */
  const watched = new Map<string, number>();
  /** What is sent next, by turn. */
  const batches = new Map<string, Tail>();
  let isFlushing = false;
  const isWatched = (namespace: string) => (watched.get(namespace) ?? 0) > clock.now();
  const tell = (channel: string, message: WatchMessage | LiveMessage) => {
    wire.notify(channel, JSON.stringify(message)).catch((error: unknown) => {
      logger.warn({ err: error }, "Another process could not be told what happens in a turn");
    });
  };
  const flush = () => {
    isFlushing = false;
    for (const { namespace, thread, events } of batches.values())
      for (const some of inMessages(events))
        tell(liveChannel(namespace), { by: owner, live: { thread, events: some } });
    batches.clear();
  };
  const send = ({ namespace, thread, events }: Tail) => {
    const [first] = events;
    if (first === undefined || !isWatched(namespace)) return;
    madeOnce(batches, first.turn_id, (): Tail => ({ namespace, thread, events: [] })).events.push(...events);
    if (!isFlushing) clock.after(batchMs, flush);
    isFlushing = true;
  };
  const heard = (namespace: string) => {
    const isNew = !isWatched(namespace);
    watched.set(namespace, clock.now() + watchedMs);
    for (const [name, until] of watched) if (until <= clock.now()) watched.delete(name);
    if (isNew) for (const tail of local.tails(namespace)) send(tail);
  };
  return {
    send,
    /** What waits to be sent is in the stored event that follows it. */
    drop: (turnId: string) => void batches.delete(turnId),
    sendChange(namespace: string) {
      if (isWatched(namespace)) tell(liveChannel(namespace), { by: owner });
    },
    start(announce: () => void) {
      const onMessage = (text: string | undefined) => {
        const { by, watches } = text === undefined ? { by: owner } : (JSON.parse(text) as WatchMessage);
        // What was lost is said again.
        if (text === undefined) tell(watchChannel, { by: owner });
        else if (by !== owner && watches !== undefined) heard(watches);
        else if (by !== owner) announce();
      };
      const listen = async () => {
        const end = await wire.listen(watchChannel, onMessage);
        tell(watchChannel, { by: owner });
        return end;
      };
      return keepListening(listen, { clock, logger });
    },
  };
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

interface Watched {
  watchers: number;
  /** Resolves with a function that stops listening. */
  listening: Promise<() => Promise<unknown>>;
}

/** Brings what happens in other processes to the watchers of this one. */
function createWatching(local: Feed, { log, shared, clock, logger, owner }: SharedFeedDeps) {
  const { calls, wire } = shared;
  const open = new Map<string, Watched>();
  /** Seq of the last stored event that was shown here, by turn. */
  const shown = new Map<string, number>();
  /** By turn, so that its events keep their order. */
  const order = new Map<string, Promise<void>>();
  let session = new AbortController();
  let cancelRepeat: (() => void) | undefined;

  const cutOff = () => {
    session.abort();
    session = new AbortController();
  };
  const isNew = ({ turn_id, seq }: TurnEvent) => {
    if (seq <= (shown.get(turn_id) ?? -1)) return false;
    shown.delete(turn_id);
    shown.set(turn_id, seq);
    const [oldest] = shown.keys();
    if (shown.size > maxTurns && oldest !== undefined) shown.delete(oldest);
    return true;
  };
  const inOrder = (turnId: string, work: () => Promise<void> | void) => {
    const done = (order.get(turnId) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      logger.warn(
        { err: error },
        "Events of another process could not be read; watchers have to connect again",
      );
      cutOff();
    });
    order.set(turnId, done);
    void done.then(() => {
      if (order.get(turnId) === done) order.delete(turnId);
    });
  };
  const show = (namespace: string, { turn_id, thread, from, to }: StoredEvents) =>
    inOrder(turn_id, async () => {
      const after = shown.get(turn_id) ?? from - 1;
      if (to <= after) return;
      for (const event of await log.read(turn_id, after))
        if (!isInternal(event) && isNew(event)) local.publish(namespace, thread, event);
    });
  const onStored = (namespace: string, stored: StoredEvents | undefined) => {
    if (stored === undefined) return cutOff();
    if (stored.by !== owner) return show(namespace, stored);
    // This process shows its own events, unless it lost the connection and does not know that they were stored.
    clock.after(ownMs, () => {
      if (open.has(namespace)) show(namespace, stored);
    });
  };
  const onLive = (namespace: string, text: string | undefined) => {
    if (text === undefined) return cutOff();
    const { by, live } = JSON.parse(text) as LiveMessage;
    if (by === owner) return;
    const [first] = live?.events ?? [];
    if (live === undefined || first === undefined) return local.changed(namespace);
    inOrder(first.turn_id, () => {
      const after = shown.get(first.turn_id) ?? -1;
      for (const event of live.events) if (event.seq > after) local.publish(namespace, live.thread, event);
    });
  };
  const listen = async (namespace: string) => {
    const listening = [
      calls.onEvents(namespace, (stored) => onStored(namespace, stored)),
      wire.listen(liveChannel(namespace), (text) => onLive(namespace, text)),
    ];
    const end = () => Promise.allSettled(listening.map(async (each) => (await each)()));
    try {
      await Promise.all(listening);
    } catch (error) {
      await end();
      throw error;
    }
    return end;
  };
  const announceOne = (namespace: string) =>
    wire.notify(watchChannel, JSON.stringify({ by: owner, watches: namespace } satisfies WatchMessage));
  const announce = () => {
    cancelRepeat?.();
    cancelRepeat = open.size === 0 ? undefined : clock.after(repeatMs, announce);
    // It is repeated anyway.
    for (const namespace of open.keys()) void announceOne(namespace).catch(() => {});
  };
  /** Counts a watcher until the signal. Resolves when everything reaches it. */
  const join = async (namespace: string, until: AbortSignal) => {
    const watched = madeOnce(open, namespace, () => ({ watchers: 0, listening: listen(namespace) }));
    watched.watchers += 1;
    until.addEventListener("abort", () => {
      watched.watchers -= 1;
      if (watched.watchers > 0) return;
      open.delete(namespace);
      void watched.listening.then((end) => end()).catch(() => {});
    });
    await watched.listening;
    await announceOne(namespace);
    if (cancelRepeat === undefined) cancelRepeat = clock.after(repeatMs, announce);
  };
  return {
    isNew,
    announce,
    async watch(namespace: string, signal: AbortSignal): Promise<FeedReader> {
      const left = new AbortController();
      const until = AbortSignal.any([signal, session.signal, left.signal]);
      const items = await local.watch(namespace, until);
      try {
        if (!until.aborted) await join(namespace, until);
      } catch (error) {
        left.abort();
        throw error;
      }
      const reader: FeedReader = {
        next: () => items.next(),
        return() {
          left.abort();
          return items.return();
        },
        [Symbol.asyncIterator]: () => reader,
      };
      return reader;
    },
  };
}
