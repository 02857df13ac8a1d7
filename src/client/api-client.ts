/**
 * The HTTP API as functions: in browsers, in Node and in the server's own process. Requests that fail throw `ApiError`.
 * No imports but the stream parser at run time, so that the browser uses this very file.
 */

import type { TurnEvent } from "../core/turn-event.ts";
import type { ApprovalVerdict } from "../core/turn-view.ts";
import { type DataMethods, dataMethods } from "./data-methods.ts";
import { type Connection, streamMessages } from "./event-stream.ts";
import { type CallOperation, createCall } from "./operation-call.ts";
import { type ApiClientOptions, createSend, query, readJson, type SendOptions } from "./request.ts";
import type * as shapes from "./shapes.ts";
import { type SkillMethods, skillMethods } from "./skill-methods.ts";

/** How to follow a turn. */
interface FollowOptions {
  /** Only events with a greater `seq`; -1 or left out: all. */
  after?: number;
  signal?: AbortSignal;
  onConnection?: (connection: Connection) => void;
}

export interface ApiClient extends SkillMethods, DataMethods {
  /** Everything that is an operation: one request, one answer. */
  call: CallOperation;
  about(): Promise<shapes.About>;
  /** Whether everything the bot needs is usable; not being ready is an answer, not an error. */
  ready(): Promise<shapes.Readiness>;

  submitTurn(request: shapes.TurnRequest): Promise<shapes.TurnAccepted>;
  turn(turnId: string): Promise<shapes.Turn>;
  /**
   * The events of a turn up to and including `turn_finished`. A lost connection is made again without losing stored events
   * or repeating any; deltas of the time between may be missing. Ends early, without an error, when the signal aborts.
   */
  turnEvents(turnId: string, options?: FollowOptions): AsyncIterable<TurnEvent>;
  /** A file of a turn, by the address its event has. */
  file(url: string, signal?: AbortSignal): Promise<Blob>;
  /** False when the turn had finished before. */
  stop(turnId: string, user?: string): Promise<boolean>;
  /** False when the question was no longer open. */
  answer(turnId: string, answer: shapes.AnswerRequest): Promise<boolean>;

  /** Approves or refuses what a tool asked for. False when it was decided before, or is over. */
  approve(approvalId: string, verdict: ApprovalVerdict, user?: string): Promise<boolean>;
  /** Stops a turn and deletes its texts, files and answer for good. */
  forget(turnId: string, user?: string): Promise<void>;

  /** Namespaces in which something was said; of the console unless told. */
  namespaces(platform?: string): Promise<shapes.NamespaceList["namespaces"]>;
  namespace(namespace: string): Promise<shapes.NamespaceView>;
  changeSettings(
    namespace: string,
    settings: shapes.NamespaceSettings,
    user?: string,
  ): Promise<shapes.NamespaceView>;
  threads(namespace: string): Promise<shapes.Thread[]>;
  /** The turns of a thread, oldest first, with their events so far. */
  thread(namespace: string, thread: string): Promise<shapes.TurnWithEvents[]>;
  /**
   * Everything that happens in a namespace from now on, until the signal aborts. Connects again by itself; what happened
   * between is not repeated, so read the thread again on every `open` but the first.
   */
  watchNamespace(
    namespace: string,
    signal: AbortSignal,
    onConnection?: (connection: Connection) => void,
  ): AsyncIterable<shapes.FeedItem>;

  /** How long things are kept, and from when on old data is deleted. */
  retention(): Promise<shapes.RetentionStatus>;
  /** Counts old data, and deletes it unless `dryRun` or its limits are still announced. May take minutes. */
  removeOld(options?: { dryRun?: boolean; user?: string }): Promise<shapes.RetentionReport>;

  /** Completions of a text that begins with `/`, best first. */
  complete(text: string, namespace?: string): Promise<shapes.Completion[]>;
  /** What the next model call in this namespace would get. */
  prompt(namespace?: string, message?: string, thread?: string): Promise<shapes.PromptView>;
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
  const put = <T>(path: string, body: unknown) => json<T>(api + path, { method: "PUT", body });
  const get = <T>(path: string) => json<T>(api + path);
  return {
    call: createCall(json, options.routes),
    about: () => get("/about"),
    ready: () => json("/readyz", { expect: [503] }),

    submitTurn: (request) => post("/turns", request),
    turn: (turnId) => get(`/turns/${at(turnId)}`),
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
    stop: async (turnId, user) =>
      (await post<{ stopped: boolean }>(`/turns/${at(turnId)}/stop`, { user })).stopped,
    answer: async (turnId, answer) =>
      (await post<{ answered: boolean }>(`/turns/${at(turnId)}/answer`, answer)).answered,
    async approve(approvalId, verdict, user) {
      const approve = verdict !== false;
      const request = { approve, ...(typeof verdict === "string" ? { [verdict]: true } : {}), user };
      return (await post<{ decided: boolean }>(`/approvals/${at(approvalId)}`, request)).decided;
    },
    forget: async (turnId, user) => {
      await json(`${api}/turns/${at(turnId)}${query({ user })}`, { method: "DELETE" });
    },

    namespaces: async (platform) =>
      (await get<shapes.NamespaceList>(`/namespaces${query({ platform })}`)).namespaces,
    namespace: (namespace) => get(`/namespaces/${at(namespace)}`),
    changeSettings: (namespace, settings, user) => put(`/namespaces/${at(namespace)}`, { settings, user }),
    threads: async (namespace) =>
      (await get<{ threads: shapes.Thread[] }>(`/namespaces/${at(namespace)}/threads`)).threads,
    thread: async (namespace, thread) =>
      (await get<{ turns: shapes.TurnWithEvents[] }>(`/namespaces/${at(namespace)}/threads/${at(thread)}`))
        .turns,
    async *watchNamespace(namespace, signal, onConnection) {
      const path = `${api}/namespaces/${at(namespace)}/events`;
      for await (const { data } of streamMessages(send, { path, signal, reconnect, onConnection })) {
        yield data as shapes.FeedItem;
      }
    },

    ...skillMethods({ json, post, get }),
    ...dataMethods(send, { json, get }),

    retention: () => get("/retention"),
    removeOld: ({ dryRun, user } = {}) => post("/retention", { dry_run: dryRun, user }),

    complete: async (text, namespace) =>
      (await get<{ completions: shapes.Completion[] }>(`/commands${query({ text, namespace })}`)).completions,
    prompt: (namespace, message, thread) => get(`/prompt${query({ namespace, message, thread })}`),
  };
}
