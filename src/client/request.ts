import { parseExactly } from "../base/exact-number.ts";
import { ApiError, readApiError } from "./api-error.ts";

/** Delays of a stream that reconnects, and how long it may stay silent, ms. */
export interface Reconnect {
  first_ms: number;
  max_ms: number;
  silence_ms: number;
}

/** The global `fetch`, or one that passes the request to a server in the same process. */
export type Reach = (url: string, init: RequestInit) => Response | Promise<Response>;

/** A server with its API. */
export interface ApiServer {
  fetch: Reach;
  /** The address of the server, e.g. `http://127.0.0.1:3000`. */
  baseUrl: string;
  /** Sent as a bearer token. */
  token?: string | undefined;
  /** The routes of operations by name; without them the server is asked. */
  routes?: { readonly [operation: string]: string };
  /** How streams reconnect. */
  reconnect?: Reconnect;
}

/** A request, apart from its address. */
export interface Sent {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON; a form is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** Failure statuses that carry an ordinary answer. */
  expect?: readonly number[];
}

/** Sends one request and returns the response. @throws ApiError; on abort, the signal's reason. */
export type Send = (path: string, sent?: Sent) => Promise<Response>;

export function createSend({ fetch, baseUrl, token }: ApiServer): Send {
  const base = baseUrl.replace(/(?<!\/)\/+$/, "");
  return async (path, { method = "GET", body, headers = {}, signal, expect = [] } = {}) => {
    signal?.throwIfAborted();
    const isJson = body !== undefined && !(body instanceof FormData);
    const own = {
      ...(isJson && { "Content-Type": "application/json" }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    const sent = isJson ? JSON.stringify(body) : ((body as FormData | undefined) ?? null);
    const init = { method, headers: { ...own, ...headers }, body: sent, signal: signal ?? null };
    const response = await reach(async () => fetch(base + path, init), base, signal);
    if (!response.ok && !expect.includes(response.status)) throw await readApiError(response);
    return response;
  };
}

/** The JSON of a response. @throws ApiError when it is cut off or not JSON, e.g. a proxy's page. */
export async function readJson<T>(response: Response, signal?: AbortSignal): Promise<T> {
  const text = await reach(() => response.text(), response.url, signal);
  try {
    return parseExactly(text) as T;
  } catch (cause) {
    const detail = "The answer is not JSON. Does the address lead to Knack?";
    throw new ApiError(response.status, "bad_answer", detail, { cause });
  }
}

/** Runs `attempt`. When it fails for any reason except an abort, the error says that the server was not reached. */
async function reach<T>(attempt: () => Promise<T>, where: string, signal?: AbortSignal): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) throw error;
    const detail = `Knack at ${where || "this address"} did not answer. Is it running?`;
    throw new ApiError(0, "unreachable", detail, { cause: error });
  }
}

/** `?a=1&b=2` of the values that are given. */
export function query(values: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}
