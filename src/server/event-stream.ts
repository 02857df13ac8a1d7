import type { Context } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { madeOnce } from "../base/made-once.ts";
import type { Log } from "../core/ports/storage.ts";

/** Time until a silent stream gets a heartbeat comment, and maximum time for which a reader may take nothing, ms. */
export interface StreamTiming {
  heartbeat_ms: number;
  stall_ms: number;
}

export interface EventSource<T> {
  /** Opens the source; it ends at once when the signal aborts. */
  open(signal: AbortSignal): AsyncIterable<T> | Promise<AsyncIterable<T>>;
  /** The bytes of an item; see `createFrames`. */
  frame(item: T): Uint8Array;
  /** Passed before each write. */
  gate: Gate;
  /** Whether all items are stored already. With nothing left to send, the answer is then 204, "do not connect again". */
  complete: boolean;
  /** The server is closing. */
  closing: AbortSignal;
  timing: StreamTiming;
  logger: Pick<Log, "error">;
}

/** Lets a few callers pass in each round of the event loop, in order, so that hundreds at once do not block other work. */
export type Gate = () => Promise<void>;

/** Callers that pass a gate in one round: some 10 ms of work. */
const perRound = 40;

export function createGate(): Gate {
  const waiting: (() => void)[] = [];
  const open = () => {
    for (const pass of waiting.splice(0, perRound)) pass();
    if (waiting.length > 0) setImmediate(open);
  };
  return () =>
    new Promise((pass) => {
      if (waiting.push(pass) === 1) setImmediate(open);
    });
}

/** Encodes items as server-sent events (HTML standard, 9.2.5), once for all readers of the same item. */
export function createFrames<T extends object>(of: (item: T) => { data: string; id?: string | undefined }) {
  const made = new WeakMap<T, Uint8Array>();
  return (item: T): Uint8Array =>
    madeOnce(made, item, () => {
      const { data, id } = of(item);
      return Buffer.from(`data: ${data}\n${id === undefined ? "" : `id: ${id}\n`}\n`);
    });
}

/**
 * Streams items as server-sent events. The next item is taken from the source only after the reader took the previous one; a reader that
 * takes nothing for too long is cut off and may resume. The source is open before the client gets the response.
 */
export async function streamEvents<T>(context: Context, source: EventSource<T>): Promise<Response> {
  if (context.req.method === "HEAD") return context.body(null, 200, { "Content-Type": "text/event-stream" });
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, source.closing, context.req.raw.signal]);
  const iterator = (await source.open(signal))[Symbol.asyncIterator]();
  const first = iterator.next();
  if (source.complete && (await first).done) return context.body(null, 204);
  return streamSSE(context, async (stream) => {
    stream.onAbort(() => gone.abort());
    try {
      await sendAll(stream, { ...source, iterator, first, signal });
    } catch (error) {
      if (!signal.aborted)
        source.logger.error({ err: error, path: context.req.path }, "An event stream broke off");
    } finally {
      gone.abort();
    }
  });
}

interface OpenSource<T> extends EventSource<T> {
  iterator: AsyncIterator<T>;
  first: Promise<IteratorResult<T>>;
  signal: AbortSignal;
}

async function sendAll<T>(stream: SSEStreamingApi, source: OpenSource<T>): Promise<void> {
  const send = stallGuard(stream, source.timing.stall_ms);
  const heartbeat = setInterval(
    () => void send.ifIdle(() => stream.write(": alive\n\n")),
    source.timing.heartbeat_ms,
  );
  const stopped = () => stream.abort();
  source.closing.addEventListener("abort", stopped);
  try {
    let [item] = await Promise.all([source.first, send.now(() => stream.write(": open\n\n"))]);
    while (!item.done && !source.signal.aborted) {
      const frame = source.frame(item.value);
      await source.gate();
      await send.now(() => stream.write(frame));
      item = await source.iterator.next();
    }
  } finally {
    clearInterval(heartbeat);
    source.closing.removeEventListener("abort", stopped);
  }
}

/** Writes one frame at a time; aborts the stream when a write is not taken within the limit. */
function stallGuard(stream: SSEStreamingApi, limitMs: number) {
  let writing: Promise<unknown> = Promise.resolve();
  let busy = false;
  const now = async (write: () => Promise<unknown>): Promise<void> => {
    await writing;
    busy = true;
    const timer = setTimeout(() => stream.abort(), limitMs);
    writing = write().finally(() => {
      clearTimeout(timer);
      busy = false;
    });
    await writing;
  };
  return { now, ifIdle: (write: () => Promise<unknown>) => (busy ? Promise.resolve() : now(write)) };
}
