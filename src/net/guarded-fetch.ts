import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { Dispatcher, Response } from "undici";
import { WebError, type WebRequest } from "../core/ports/web.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { guardConnector, guardLookup } from "./guarded-connector.ts";
import { mediaType, readText } from "./response-text.ts";
import { addressRefused, redirectRefused, timedOut, tooLarge, unreachable } from "./web-failure.ts";
import { parseWebUrl, shownUrl } from "./web-url.ts";

export interface FetchLimits {
  policy: AddressPolicy;
  /** From the first connection to the last byte, all redirects included. */
  timeoutMs: number;
  /** Of the unpacked body. */
  maxBytes: number;
  maxRedirects: number;
  userAgent: string;
  lookup?: LookupFunction | undefined;
}

export interface FetchedText {
  url: URL;
  status: number;
  headers: Record<string, string>;
  /** Lower case, without parameters; empty if the server named none. */
  mediaType: string;
  body: string;
}

interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  from?: URL;
}

/** Headers a caller may not set: they belong to the connection. */
const connectionHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
]);
/** Headers kept when a redirect leaves the origin: they carry no credentials. */
const harmlessHeaders = new Set(["accept", "accept-language", "content-type", "user-agent"]);
const redirects = new Set([301, 302, 303, 307, 308]);

/** Fetches text through the guard. @throws WebError; on abort, the signal's reason. */
export function guardedFetch(text: string, request: WebRequest, limits: FetchLimits): Promise<FetchedText> {
  return guardedRequest(text, request, limits, receiveText);
}

/** Reads the last response of a request, within the limits. @throws WebError */
type Receive<T> = (url: URL, response: Response, limits: FetchLimits) => Promise<T>;

/**
 * Sends a request through the guard. Every hop of a redirect is checked again. Connections live as long as the call.
 * @throws WebError; on abort, the signal's reason.
 */
export async function guardedRequest<T>(
  text: string,
  request: WebRequest,
  limits: FetchLimits,
  receive: Receive<T>,
): Promise<T> {
  const hop = firstHop(parseWebUrl(text), request, limits.userAgent);
  request.signal?.throwIfAborted();
  const timeoutMs = Math.min(request.timeout_ms ?? limits.timeoutMs, limits.timeoutMs);
  const deadline = AbortSignal.timeout(timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([request.signal, deadline]);
  const dispatcher = await guardedDispatcher(limits, timeoutMs);
  try {
    const { url, response } = await follow(hop, { limits, dispatcher, signal, mayFollow: request.mayFollow });
    return await receive(url, response, limits);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (error instanceof WebError) throw error;
    if (deadline.aborted) throw timedOut(hop.url, timeoutMs, error);
    throw unreachable(hop.url, error);
  } finally {
    await dispatcher.destroy();
  }
}

function firstHop(url: URL, request: WebRequest, userAgent: string): Hop {
  const headers: Record<string, string> = { "user-agent": userAgent };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!connectionHeaders.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  return { url, method: (request.method ?? "GET").toUpperCase(), headers, body: request.body };
}

async function guardedDispatcher(limits: FetchLimits, timeoutMs: number): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import("undici");
  const lookup = guardLookup(limits.lookup ?? (systemLookup as LookupFunction), limits.policy);
  const options = { lookup, timeout: timeoutMs, autoSelectFamily: true };
  // `lookup` reaches net.connect and tls.connect through these options; undici's type names only required unions.
  const connect = buildConnector(options as Parameters<typeof buildConnector>[0]);
  return new Agent({
    connect: guardConnector(connect, limits.policy),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
}

interface Means {
  limits: FetchLimits;
  dispatcher: Dispatcher;
  signal: AbortSignal;
  mayFollow: WebRequest["mayFollow"];
}

async function follow(
  first: Hop,
  { limits, dispatcher, signal, mayFollow }: Means,
): Promise<{ url: URL; response: Response }> {
  let hop = first;
  for (let count = 0; count <= limits.maxRedirects; count += 1) {
    refuseLiteral(hop, limits.policy);
    const response = await send(hop, dispatcher, signal);
    const location = response.headers.get("location");
    if (!redirects.has(response.status) || location === null) return { url: hop.url, response };
    await response.body?.cancel();
    const next = nextHop(hop, response.status, location);
    const [from, to] = [hop.url.href, next.url.href];
    if ((await mayFollow?.({ from, to, sends: next.body !== undefined })) === false)
      throw redirectRefused(hop.url, next.url);
    hop = next;
  }
  throw new WebError(
    "too_many_redirects",
    `${shownUrl(first.url)} redirects more than ${limits.maxRedirects} times. Use the address the page ends at.`,
  );
}

/** An address written into the URL is refused without a connection. The URL parser has normalized every notation. */
function refuseLiteral(hop: Hop, policy: AddressPolicy): void {
  const host = hop.url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !policy.permits(host, host)) throw addressRefused(hop.url, host, hop.from);
}

async function send(hop: Hop, dispatcher: Dispatcher, signal: AbortSignal): Promise<Response> {
  const { fetch, Request } = await import("undici");
  const request = requestOf(hop, Request, signal);
  try {
    return await fetch(request, { dispatcher });
  } catch (error) {
    if (signal.aborted) throw error;
    throw unreachable(hop.url, error, hop.from);
  }
}

function requestOf(hop: Hop, Request: typeof import("undici").Request, signal: AbortSignal) {
  const { method, headers, body } = hop;
  try {
    return new Request(hop.url, { method, headers, body: body ?? null, redirect: "manual", signal });
  } catch (error) {
    throw new WebError(
      "invalid_url",
      `The request to ${shownUrl(hop.url)} is not valid: check its method and headers, and that a GET has no body.`,
      { cause: error },
    );
  }
}

/** RFC 9110 section 15.4: 303 becomes GET, and so do 301 and 302 of a POST, as browsers do. */
function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = parseWebUrl(location, hop.url.href);
  const becomesGet = status === 303 || ((status === 301 || status === 302) && hop.method === "POST");
  const sameOrigin = url.origin === hop.url.origin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (sameOrigin || harmlessHeaders.has(name)) && !(becomesGet && name === "content-type"),
  );
  return {
    url,
    method: becomesGet && hop.method !== "HEAD" ? "GET" : hop.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : hop.body,
    from: hop.url,
  };
}

/** A response whose body is text. @throws WebError `unsupported_content`, `too_large` */
export async function receiveText(url: URL, response: Response, limits: FetchLimits): Promise<FetchedText> {
  const declared = Number(response.headers.get("content-length") ?? 0);
  if (response.body !== null && declared > limits.maxBytes) throw tooLarge(url, limits.maxBytes);
  const contentType = response.body === null ? "" : (response.headers.get("content-type") ?? "");
  const body = await readText({ url, contentType, body: response.body }, limits.maxBytes);
  return {
    url,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    mediaType: mediaType(contentType),
    body,
  };
}
