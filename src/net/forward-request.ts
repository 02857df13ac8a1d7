/** Requests that a proxy passes on, and its answers in place of those of a host. */
import { once } from "node:events";
import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type ServerResponse,
} from "node:http";
import { isIP, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { connect as connectTls, type SecureContext } from "node:tls";
import { errorCode } from "../base/error-text.ts";
import {
  AddressRefusedError,
  type ConnectionGuard,
  type ConnectionTarget,
  ConnectionTimeoutError,
  connectGuarded,
} from "./guarded-connector.ts";
import { metered, type TrafficLimits, type TrafficMeter } from "./traffic-meter.ts";

/** What a proxy needs to reach hosts. */
export interface WayOut {
  guard: ConnectionGuard;
  limits: TrafficLimits;
  meter: TrafficMeter;
}

/** Headers of one hop (RFC 9110 section 7.6.1), and those for a proxy alone. */
const hopHeaders = new Set([
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"],
  ...["proxy-connection", "proxy-authenticate", "proxy-authorization", "host"],
]);

/** Where a request goes. */
export interface Destination {
  target: ConnectionTarget;
  /** The `host` header. */
  authority: string;
  path: string;
  headers: OutgoingHttpHeaders;
  /** The authorities by which the host is verified; without them it is reached without TLS. */
  trusts?: SecureContext;
}

/**
 * Passes a request on, and its answer back, both as they arrive.
 * @throws the errors of the connection; after the head of the answer, the response is then destroyed by `fail`
 */
export async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  way: WayOut,
  { target, authority, path, headers, trusts }: Destination,
): Promise<void> {
  const plain = await connectGuarded(target, way.guard);
  // If the program leaves, its request is cancelled.
  response.once("close", () => plain.destroy());
  const socket = trusts === undefined ? plain : await secure(plain, target.host, trusts);
  socket.setTimeout(way.limits.idleMs, () => socket.destroy());
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const upstream = requestHttp({
    method: request.method ?? "GET",
    path,
    headers: {
      ...endToEnd(headers, request.headers.connection),
      ...(isChunked && { "transfer-encoding": "chunked" }),
      host: authority,
      connection: "close",
    },
    createConnection: () => socket,
  });
  const answered = Promise.withResolvers<IncomingMessage>();
  upstream.once("response", answered.resolve);
  upstream.on("error", answered.reject);
  const take = way.meter.connection();
  const sent = pipeline(request, metered(take), upstream);
  // A server may answer, or fail, before it has read the whole request; `answered` records that.
  sent.catch(answered.reject);
  const reply = await answered.promise;
  response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers, reply.headers.connection));
  await pipeline(reply, metered(take), response);
}

/** TLS with a host whose certificate is verified. @throws the error of the handshake */
async function secure(socket: Socket, host: string, secureContext: SecureContext): Promise<Socket> {
  const names = isIP(host) === 0 ? { servername: host } : {};
  const secured = connectTls({ socket, host, ...names, secureContext, ALPNProtocols: ["http/1.1"] });
  await once(secured, "secureConnect");
  return secured;
}

function endToEnd(headers: OutgoingHttpHeaders, connection: string | undefined): OutgoingHttpHeaders {
  const named = new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopHeaders.has(name) && !named.has(name)),
  );
}

/** An answer of the proxy itself. */
export interface Answer {
  status: number;
  /** One line of ASCII: many programs show nothing else. */
  phrase: string;
  text: string;
}

/** Why a host could not be reached, for the program that asked. */
export function failureOf(error: unknown, address: string): Answer {
  if (error instanceof AddressRefusedError) return privateAddress(error.host);
  const status = error instanceof ConnectionTimeoutError ? 504 : 502;
  const code = errorCode(error) ?? "unknown reason";
  const shown = address.replace(/[?#].*$/s, "").slice(0, 300);
  return { status, phrase: "Not reachable", text: `${shown} could not be reached (${code}).\n` };
}

/** Answers in place of the host. */
export function answer(response: ServerResponse, { status, phrase, text }: Answer): void {
  response.writeHead(status, phrase, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(text);
}

/** As `answer`; an answer that has begun is broken off. */
export function fail(response: ServerResponse, failure: Answer): void {
  if (response.headersSent) response.destroy();
  else answer(response, failure);
}

/** The refusal of a private address, whatever was granted. */
function privateAddress(host: string): Answer {
  return {
    status: 403,
    phrase: `${printable(host)} is not public`,
    text: `${printable(host)} leads to an address that is not public. An operator can allow it with KNACK_NET_ALLOW.\n`,
  };
}

/** A host in one line of ASCII. */
export function printable(host: string): string {
  return host.replace(/[^\x21-\x7e]/g, "?").slice(0, 255);
}
