import { createParser, type EventSourceMessage } from "eventsource-parser";
import { parseExactly } from "../base/exact-number.ts";
import { ApiError } from "./api-error.ts";
import type { Reconnect, Send } from "./request.ts";

/** A message of a stream with its JSON parsed, and the id to resume after. */
export interface StreamMessage {
  id: string | undefined;
  data: unknown;
}

/** The state of a connection, for display. `lost` has the reason; the stream reconnects automatically. */
export type Connection = { state: "open" } | { state: "lost"; error: unknown };

/** A stream to follow. */
interface Followed {
  path: string;
  /** Resume after this id. */
  after?: string | undefined;
  signal: AbortSignal;
  reconnect: Reconnect;
  onConnection?: ((connection: Connection) => void) | undefined;
}

/**
 * The messages of a server-sent event stream. Reconnects after the last id with growing pauses until the signal aborts or the server says
 * that nothing will come (204). A stream that ends is reopened too, so leave the loop when everything has arrived.
 * @throws ApiError when a retry would not help
 */
export async function* streamMessages(send: Send, stream: Followed): AsyncGenerator<StreamMessage> {
  const { signal, reconnect } = stream;
  let { after } = stream;
  let pause = reconnect.first_ms;
  while (!signal.aborted) {
    try {
      for await (const message of readOnce(send, stream, after)) {
        if (message === "nothing_to_come") return;
        pause = reconnect.first_ms;
        after = message.id ?? after;
        yield message;
      }
      stream.onConnection?.({ state: "lost", error: undefined });
    } catch (error) {
      if (signal.aborted) return;
      throwIfPermanent(error);
      stream.onConnection?.({ state: "lost", error });
    }
    await sleep(pause * (0.75 + Math.random() / 2), signal);
    pause = Math.min(pause * 2, reconnect.max_ms);
  }
}

function throwIfPermanent(error: unknown): void {
  if (error instanceof ApiError && !error.isTemporary) throw error;
}

/** One connection until it ends, breaks, or stays silent longer than the server's heartbeat allows. */
async function* readOnce(
  send: Send,
  { path, signal, reconnect, onConnection }: Followed,
  after: string | undefined,
): AsyncGenerator<StreamMessage | "nothing_to_come"> {
  const connection = new AbortController();
  const watch = silenceWatch(connection, reconnect.silence_ms);
  try {
    const response = await send(path, {
      headers: { Accept: "text/event-stream", ...(after && { "Last-Event-ID": after }) },
      signal: AbortSignal.any([signal, connection.signal]),
    });
    if (response.status === 204 || response.body === null) {
      yield "nothing_to_come";
      return;
    }
    onConnection?.({ state: "open" });
    const received: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (message) => received.push(message) });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      watch.heard();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      for (const { id, data } of received.splice(0)) yield { id, data: parseExactly(data) };
    }
  } finally {
    watch.stop();
    connection.abort();
  }
}

function silenceWatch(connection: AbortController, limitMs: number) {
  const expire = () => connection.abort(new ApiError(0, "silent", "The connection went silent"));
  let timer = setTimeout(expire, limitMs);
  return {
    heard() {
      clearTimeout(timer);
      timer = setTimeout(expire, limitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Resolves after `ms`, or at once when the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
