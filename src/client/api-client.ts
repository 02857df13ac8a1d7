/**
 * The HTTP API as functions: in browsers, in Node and in the server's own process. Requests that fail throw `ApiError`.
 * No imports but the stream parser at run time, so that the browser uses this very file.
 */

import type { TurnEvent } from "../core/turn-event.ts";
import { type Connection, streamMessages } from "./event-stream.ts";
import { type CallOperation, createCall } from "./operation-call.ts";
import { type ApiClientOptions, createSend, query, readJson, type SendOptions } from "./request.ts";
import type * as shapes from "./shapes.ts";

/** How to follow a turn. */
interface FollowOptions {
  /** Only events with a greater `seq`; -1 or left out: all. */
  after?: number;
  signal?: AbortSignal;
  onConnection?: (connection: Connection) => void;
}

export interface ApiClient {
  /** Everything that is an operation: one request, one answer. */
  call: CallOperation;
  /** Whether everything the bot needs is usable; not being ready is an answer, not an error. */
  ready(): Promise<shapes.Readiness>;

  submitTurn(request: shapes.TurnRequest): Promise<shapes.TurnAccepted>;
  /**
   * The events of a turn up to and including `turn_finished`. A lost connection is made again without losing stored events
   * or repeating any; deltas of the time between may be missing. Ends early, without an error, when the signal aborts.
   */
  turnEvents(turnId: string, options?: FollowOptions): AsyncIterable<TurnEvent>;
  /** A file of a turn, by the address its event has. */
  file(url: string, signal?: AbortSignal): Promise<Blob>;
  /**
   * Everything that happens in a namespace from now on, until the signal aborts. Connects again by itself; what happened
   * between is not repeated, so read the thread again on every `open` but the first.
   */
  watchNamespace(
    namespace: string,
    signal: AbortSignal,
    onConnection?: (connection: Connection) => void,
  ): AsyncIterable<shapes.FeedItem>;

  /** Everything stored of a channel, or of all, as JSON lines in pieces of any size. The last line has the type `export_finished`. */
  exportData(namespace?: string): AsyncIterable<Uint8Array>;
}

const api = "/api/v1";
const at = encodeURIComponent;
const defaultReconnect = { first_ms: 300, longest_ms: 10_000, silence_ms: 45_000 };

export function createApiClient(options: ApiClientOptions): ApiClient {
  const send = createSend(options);
  const reconnect = options.reconnect ?? defaultReconnect;
  const json = async <T>(path: string, sendOptions?: SendOptions): Promise<T> =>
    readJson<T>(await send(path, sendOptions), sendOptions?.signal);
  const post = <T>(path: string, body: unknown) => json<T>(api + path, { method: "POST", body });
  return {
    call: createCall(json, options.routes),
    ready: () => json("/readyz", { expect: [503] }),

    submitTurn: (request) => post("/turns", request),
    async *turnEvents(turnId, { after, signal = new AbortController().signal, onConnection } = {}) {
      const path = `${api}/turns/${at(turnId)}/events`;
      const from = after === undefined || after < 0 ? undefined : String(after);
      let seen = after ?? -1;
      const messages = streamMessages(send, { path, after: from, signal, reconnect, onConnection });
      for await (const { id, data } of messages) {
        const event = data as TurnEvent;
        // A new connection repeats deltas, which have no id. A stored event may be behind them: after a crash they are void.
        if (id === undefined && event.seq <= seen) continue;
        seen = event.seq;
        yield event;
        if (event.type === "turn_finished") return;
      }
    },
    file: async (url, signal) => (await send(url, { signal })).blob(),
    async *watchNamespace(namespace, signal, onConnection) {
      const path = `${api}/namespaces/${at(namespace)}/events`;
      for await (const { data } of streamMessages(send, { path, signal, reconnect, onConnection })) {
        yield data as shapes.FeedItem;
      }
    },

    async *exportData(namespace) {
      const { body } = await send(`${api}/export${query({ namespace })}`);
      if (body !== null) yield* body;
    },
  };
}
