import { lookup as systemLookup } from "node:dns";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, ListenOptions, LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Duplex, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorCode } from "../base/error-text.ts";
import type { NetworkAccess } from "../core/skill/programs.ts";
import { createAddressPolicy, type OwnPort } from "./address-policy.ts";
import {
  AddressRefusedError,
  type ConnectionGuard,
  type ConnectionTarget,
  ConnectionTimeoutError,
  connectGuarded,
} from "./guarded-connector.ts";

export interface GuardedProxyOptions {
  /** Private host names (`*.` for subdomains), addresses or CIDRs that may be reached. */
  allow: readonly string[];
  /** Never reached, whatever is allowed. */
  own?: OwnPort;
  limits?: Partial<TrafficLimits>;
  /** Resolves names; default: the system's resolver. */
  lookup?: LookupFunction;
}

/** A proxy that listens on a unix socket. */
export interface OpenProxy {
  /** Path of the socket. Any process that can reach it has the access it was opened with. */
  socket: string;
  /** Ends every connection and removes the socket. */
  close(): Promise<void>;
}

/** A proxy that listens on the loopback, for programs of the bot itself that do not support unix sockets. */
interface OpenLoopbackProxy {
  /** `http://127.0.0.1:port`. Every process of the machine can reach it. */
  url: string;
  close(): Promise<void>;
}

/** Opens proxies, each for one program with its own access. */
export interface GuardedProxy {
  open(access: NetworkAccess): Promise<OpenProxy>;
  openOnLoopback(access: NetworkAccess): Promise<OpenLoopbackProxy>;
}

/** The context of one open proxy. */
interface Room {
  access: NetworkAccess;
  guard: ConnectionGuard;
  limits: TrafficLimits;
  meter: TrafficMeter;
}

/** Headers of one hop (RFC 9110 section 7.6.1), and those for a proxy alone. */
const hopHeaders = new Set([
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"],
  ...["proxy-connection", "proxy-authenticate", "proxy-authorization", "host"],
]);

/**
 * An HTTP proxy (absolute-form requests and CONNECT) that asks for every host whether it may be reached, and refuses private addresses
 * whatever the answer. Traffic through CONNECT is encrypted: a granted host is granted as a whole.
 */
export function createGuardedProxy(options: GuardedProxyOptions): GuardedProxy {
  const limits = { ...defaultTrafficLimits, ...options.limits };
  const lookup = options.lookup ?? (systemLookup as LookupFunction);
  const guard = {
    policy: createAddressPolicy(options.allow, options.own),
    lookup,
    timeoutMs: limits.connectMs,
  };
  const serverFor = (access: NetworkAccess) =>
    createProxyServer({ access, guard, limits, meter: new TrafficMeter(limits, () => performance.now()) });
  return {
    open: (access) => listenOnSocket(serverFor(access)),
    async openOnLoopback(access) {
      const server = serverFor(access);
      const close = await listen(server, { port: 0, host: "127.0.0.1" });
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
    },
  };
}

/** Unix socket paths are limited to 108 bytes (unix(7)), so the folder is a short one of the system's. */
async function listenOnSocket(server: Server): Promise<OpenProxy> {
  const folder = await mkdtemp(join(tmpdir(), "knack-net-"));
  const socket = join(folder, "s");
  const close = await listen(server, { path: socket });
  // The sandbox has another user; the folder keeps others away.
  await chmod(socket, 0o666);
  return {
    socket,
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a function that ends it and all its connections. */
async function listen(server: Server, at: ListenOptions): Promise<() => Promise<void>> {
  const connections = new Set<Duplex>();
  server.on("connection", (connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(at, () => resolve());
  await promise;
  return async () => {
    const closed = new Promise((done) => server.close(done));
    for (const connection of connections) connection.destroy();
    await closed;
  };
}

function createProxyServer(room: Room): Server {
  const server = createServer((request, response) => {
    forward(request, response, room).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else answer(response, failureOf(error, request.url ?? ""));
    });
  });
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on("error", () => client.destroy());
    tunnel(request.url ?? "", client, head, room).catch((error: unknown) => {
      refuse(client, failureOf(error, request.url ?? ""));
    });
  });
  server.on("clientError", (_error, client) => client.destroy());
  server.maxConnections = room.limits.connections;
  return server;
}

interface Answer {
  status: number;
  phrase: string;
  text: string;
}

async function tunnel(authority: string, client: Duplex, head: Buffer, room: Room): Promise<void> {
  const target = connectTarget(authority);
  if (target === undefined) return refuse(client, badRequest);
  const refusal = judgeTarget(target, room.access);
  if (refusal !== undefined) return refuse(client, refusal);
  const upstream = await connectGuarded(target, room.guard);
  upstream.setTimeout(room.limits.idleMs, () => upstream.destroy());
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.byteLength > 0) client.unshift(head);
  const take = room.meter.connection();
  try {
    await Promise.all([pipeline(client, metered(take), upstream), pipeline(upstream, metered(take), client)]);
  } catch {
    // Either side broke off, or a limit was exceeded: a tunnel cannot report that.
    client.destroy();
    upstream.destroy();
  }
}

async function forward(request: IncomingMessage, response: ServerResponse, room: Room): Promise<void> {
  const url = plainUrl(request.url ?? "");
  if (url === undefined) return answer(response, badRequest);
  const target = { host: plainHost(url), port: url.port === "" ? 80 : Number(url.port) };
  const refusal = judgeTarget(target, room.access);
  if (refusal !== undefined) return answer(response, refusal);
  const socket = await connectGuarded(target, room.guard);
  socket.setTimeout(room.limits.idleMs, () => socket.destroy());
  // If the program leaves, its request is cancelled.
  response.once("close", () => socket.destroy());
  const upstream = requestHttp({
    method: request.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    headers: {
      ...endToEnd(request.headers, request.headers.connection),
      host: url.host,
      connection: "close",
    },
    createConnection: () => socket,
  });
  const answered = Promise.withResolvers<IncomingMessage>();
  upstream.once("response", answered.resolve);
  upstream.on("error", answered.reject);
  const take = room.meter.connection();
  const sent = pipeline(request, metered(take), upstream);
  // A server may answer, or fail, before it has read the whole request; `answered` records that.
  sent.catch(answered.reject);
  const reply = await answered.promise;
  response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers, reply.headers.connection));
  await pipeline(reply, metered(take), response);
}

function endToEnd(headers: OutgoingHttpHeaders, connection: string | undefined): OutgoingHttpHeaders {
  const named = new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !hopHeaders.has(name) && !named.has(name)),
  );
}

function metered(take: (bytes: number) => boolean): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (take(chunk.byteLength)) done(null, chunk);
      else done(new Error("More was sent than a skill may send or receive."));
    },
  });
}

function failureOf(error: unknown, address: string): Answer {
  if (error instanceof AddressRefusedError) return privateAddress(error.host);
  const status = error instanceof ConnectionTimeoutError ? 504 : 502;
  const code = errorCode(error) ?? "unknown reason";
  const shown = address.replace(/[?#].*$/s, "").slice(0, 300);
  return { status, phrase: "Not reachable", text: `${shown} could not be reached (${code}).\n` };
}

function answer(response: ServerResponse, { status, phrase, text }: Answer): void {
  response.writeHead(status, phrase, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(text);
}

function refuse(client: Duplex, { status, phrase, text }: Answer): void {
  const headers = [
    `HTTP/1.1 ${status} ${phrase}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(text)}`,
    "connection: close",
  ];
  client.end(`${headers.join("\r\n")}\r\n\r\n${text}`);
}

/** Why a proxy refuses a request, for the program that made it. */
interface ProxyRefusal {
  status: 400 | 403;
  /** One line of ASCII: many programs show nothing else. */
  phrase: string;
  text: string;
}

/** Ports that every grant of a host covers. */
const webPorts: readonly number[] = [80, 443];

/** The host and port of a CONNECT request; every notation of an address is normalized, as browsers do. */
function connectTarget(authority: string): ConnectionTarget | undefined {
  if (!/^[^/?#@\s]+:\d{1,5}$/.test(authority)) return undefined;
  const url = URL.parse(`http://${authority}`);
  // The URL parser omits the default port of the scheme.
  return url === null ? undefined : { host: plainHost(url), port: url.port === "" ? 80 : Number(url.port) };
}

/** The URL of a request in absolute form, plain http only: https goes through CONNECT. */
function plainUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "http:" || url.username !== "" || url.password !== "")
    return undefined;
  return url;
}

/** A URL's host without brackets and trailing dot. */
function plainHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Asks whether a host may be reached: by its name on ports 80 and 443, as `host:port` on all others. */
function judgeTarget({ host, port }: ConnectionTarget, access: NetworkAccess): ProxyRefusal | undefined {
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const asked = webPorts.includes(port) ? host : `${bracketed}:${port}`;
  if (host !== "" && access.permits(asked)) return undefined;
  return {
    status: 403,
    phrase: `${printable(asked)} is not granted`,
    text: `This skill may not reach ${printable(asked)}. An operator can grant it the host.\n`,
  };
}

/** The refusal of a request that is not for a proxy. */
const badRequest: ProxyRefusal = {
  status: 400,
  phrase: "Not a proxy request",
  text: "Only http addresses and CONNECT host:port are taken here.\n",
};

/** The refusal of a private address, whatever was granted. */
function privateAddress(host: string): ProxyRefusal {
  return {
    status: 403,
    phrase: `${printable(host)} is not public`,
    text: `${printable(host)} leads to an address that is not public. An operator can allow it with KNACK_NET_ALLOW.\n`,
  };
}

function printable(host: string): string {
  return host.replace(/[^\x21-\x7e]/g, "?").slice(0, 255);
}

interface TrafficLimits {
  /** Connections at one time. */
  connections: number;
  /** Maximum of one connection, both directions together, bytes. */
  connectionBytes: number;
  /** Maximum of all connections within an hour, bytes. */
  hourlyBytes: number;
  /** Maximum time without a byte in either direction, ms. */
  idleMs: number;
  /** Maximum time from the request to the connection, ms. */
  connectMs: number;
}

/** Enough for API calls and some downloads. */
const defaultTrafficLimits: TrafficLimits = {
  connections: 64,
  connectionBytes: 104_857_600,
  hourlyBytes: 1_073_741_824,
  idleMs: 120_000,
  connectMs: 15_000,
};

const hourMs = 3_600_000;

/** Counts the traffic of one proxy. */
class TrafficMeter {
  readonly #limits: TrafficLimits;
  readonly #now: () => number;
  #hourBegan: number;
  #hourly = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(limits: TrafficLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#hourBegan = now();
  }

  /** A counter for one connection; it returns false once a limit is exceeded. */
  connection(): (bytes: number) => boolean {
    let own = 0;
    return (bytes) => {
      if (this.#now() - this.#hourBegan > hourMs) {
        this.#hourBegan = this.#now();
        this.#hourly = 0;
      }
      own += bytes;
      this.#hourly += bytes;
      return own <= this.#limits.connectionBytes && this.#hourly <= this.#limits.hourlyBytes;
    };
  }
}
