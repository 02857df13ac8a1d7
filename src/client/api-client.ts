/**
 * The HTTP API as functions: in browsers, in Node and in the server's own process. Requests that fail throw `ApiError`.
 * At run time it imports only the stream parser and its neighbours, so that browsers load this file as it is.
 */

import type { InputOf, OperationName, OutputOf } from "../app/operations/table.ts";
import type { TurnEvent } from "../core/log/turn-event.ts";
import { type Connection, streamMessages } from "./event-stream.ts";
import { type ApiServer, createSend, query, readJson, type Sent } from "./request.ts";
import type * as shapes from "./shapes.ts";

export type ApiClient = ReturnType<typeof createApiClient>;

/** A file to send, with its name. */
export interface NamedFile {
  name: string;
  content: Blob;
}

const api = "/api/v1";
const at = encodeURIComponent;
const defaultReconnect = { first_ms: 300, max_ms: 10_000, silence_ms: 45_000 };

export function createApiClient(server: ApiServer) {
  const send = createSend(server);
  const { reconnect = defaultReconnect } = server;
  const json = async <T>(path: string, sent?: Sent): Promise<T> =>
    readJson<T>(await send(path, sent), sent?.signal);
  return {
    /** Calls an operation: one request, one answer. */
    call: createCall(json, server.routes),
    /** Whether the bot is ready. "Not ready" is an answer, not an error. */
    ready: () => json<shapes.Readiness>("/readyz", { expect: [503] }),
    /** Submits a message; with files the text may be empty. */
    submitTurn(request: shapes.TurnRequest, files: readonly NamedFile[] = []) {
      const body = files.length === 0 ? request : formOf(request, files);
      return json<shapes.TurnAccepted>(`${api}/turns`, { method: "POST", body });
    },
    /**
     * The events of a turn up to and including `turn_finished`. A lost connection is reopened without losing or repeating stored events;
     * deltas from the time in between may be missing. Ends early, without an error, when the signal aborts.
     * @param after only events with a greater `seq`; -1: all
     */
    async *turnEvents(
      turnId: string,
      {
        after = -1,
        signal = new AbortController().signal,
        onConnection,
      }: { after?: number; signal?: AbortSignal; onConnection?: (connection: Connection) => void } = {},
    ): AsyncIterable<TurnEvent> {
      const path = `${api}/turns/${at(turnId)}/events`;
      const from = after < 0 ? undefined : String(after);
      let seen = after;
      const messages = streamMessages(send, { path, after: from, signal, reconnect, onConnection });
      for await (const { id, data } of messages) {
        const event = data as TurnEvent;
        // A new connection repeats deltas, which have no id. A stored event may have a lower `seq` than they: after a crash they are void.
        if (id === undefined && event.seq <= seen) continue;
        seen = event.seq;
        yield event;
        if (event.type === "turn_finished") return;
      }
    },
    /** A file of a turn, by the address in its event. */
    file: async (url: string, signal?: AbortSignal) => (await send(url, { signal })).blob(),
    /**
     * Everything that happens in a namespace from now on, until the signal aborts. Reconnects automatically; events from the time in
     * between are lost, so read the thread again on every `open` except the first.
     */
    async *watchNamespace(
      namespace: string,
      signal: AbortSignal,
      onConnection?: (connection: Connection) => void,
    ): AsyncIterable<shapes.FeedItem> {
      const path = `${api}/namespaces/${at(namespace)}/events`;
      for await (const { data } of streamMessages(send, { path, signal, reconnect, onConnection }))
        yield data as shapes.FeedItem;
    },
    /** Everything stored for a channel, or for all, as JSON lines in pieces of any size. The last line has the type `export_finished`. */
    async *exportData(namespace?: string): AsyncIterable<Uint8Array> {
      const { body } = await send(`${api}/export${query({ namespace })}`);
      if (body !== null) yield* body;
    },
  };
}

/** The input of an operation as `user`, by default the operator. With a `file` it is sent as a form. */
export type CallInput<Name extends CallName> = InputOf<Name> & {
  user?: string | undefined;
  file?: File;
};

/** The name of an operation. */
export type CallName = OperationName;

/** What an operation returns. */
export type CallResult<Name extends CallName> = OutputOf<Name>;

/** Calls an operation. @throws ApiError */
type CallOperation = <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<CallResult<Name>>;

/** The routes of operations by name: `POST /skills/{id}/grant`. */
interface Routes {
  operations: { readonly [name: string]: string };
}

type ReadJson = <T>(path: string, sent?: Sent) => Promise<T>;

function formOf(request: shapes.TurnRequest, files: readonly NamedFile[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(request)) if (value !== undefined) form.append(name, value);
  for (const { name, content } of files) form.append("file", content, name);
  return form;
}

/**
 * The typed call of every operation.
 * @param json sends a request and reads its answer
 * @param given known routes; without them the server is asked
 */
function createCall(json: ReadJson, given?: Routes["operations"]): CallOperation {
  let known = given === undefined ? undefined : Promise.resolve<Routes>({ operations: given });
  const routes = () => {
    known ??= json<Routes>(`${api}/operations`).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return async (name, input) => {
    const { operations } = await routes();
    const { path, ...sent } = requestOf(operations[name] ?? "", { ...input });
    return json(path, sent);
  };
}

/** Input in braces goes into the path, the rest into the query or the body. */
function requestOf(route: string, input: Record<string, unknown>): Sent & { path: string } {
  const [method = "GET", template = ""] = route.split(" ") as [Sent["method"], string];
  const filled = template.replace(/\{(\w+)\}/g, (_braces, key: string) => {
    const value = at(String(input[key]));
    delete input[key];
    return value;
  });
  const path = api + filled;
  if (method === "POST" || method === "PUT") return { method, path, body: bodyOf(input) };
  return { method, path: `${path}${query(input as Record<string, string>)}` };
}

/** In a form, lists are joined with commas. */
function bodyOf(input: Record<string, unknown>): unknown {
  if (!(input.file instanceof File)) return input;
  const form = new FormData();
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) form.set(name, value instanceof File ? value : String(value));
  }
  return form;
}

/** The `time_zone` of this machine or browser, to be spread into a request; undefined when it is unknown. */
export function ownTimeZone(): { time_zone: string | undefined } {
  return { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
}
