import { lookup as systemLookup } from "node:dns";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, ListenOptions, LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { NetworkAccess } from "../core/skill/programs.ts";
import { createAddressPolicy, type Reach } from "./address-policy.ts";
import { type Answer, answer, fail, failureOf, forward, printable, type WayOut } from "./forward-request.ts";
import { type ConnectionTarget, connectGuarded } from "./guarded-connector.ts";
import { endTls, keysFor, openTlsEnds, type TlsEnds } from "./keyed-hosts.ts";
import { defaultTrafficLimits, metered, type TrafficLimits, TrafficMeter } from "./traffic-meter.ts";

export interface GuardedProxyOptions extends Reach {
  limits?: Partial<TrafficLimits>;
  /** Resolves names; default: the system's resolver. */
  lookup?: LookupFunction;
  /** Files of certificates (PEM) that are trusted beside Node's, where the proxy ends TLS. Unreadable ones are left out. */
  certificates?: readonly string[];
}

/** A proxy that listens on a unix socket. */
export interface OpenProxy {
  /** PEM of the authority that its programs have to trust, because the proxy puts keys into their requests. */
  authority?: string;
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
  /** @param socket path of the unix socket it creates; any process that can reach it has this access */
  open(access: NetworkAccess, socket: string): Promise<OpenProxy>;
  openOnLoopback(access: NetworkAccess): Promise<OpenLoopbackProxy>;
}

/** The context of one open proxy. */
interface Room extends WayOut {
  access: NetworkAccess;
  /** Present where keys are put into requests. */
  ends?: TlsEnds;
}

/**
 * An HTTP proxy (absolute-form requests and CONNECT) that asks for every host whether it may be reached, and refuses private addresses
 * whatever the answer. Traffic through CONNECT is encrypted: a granted host is granted as a whole. Only for hosts with keys
 * (`NetworkAccess.keys`) it ends TLS itself, so that it can put them into the headers.
 */
export function createGuardedProxy(options: GuardedProxyOptions): GuardedProxy {
  const limits = { ...defaultTrafficLimits, ...options.limits };
  const lookup = options.lookup ?? (systemLookup as LookupFunction);
  const guard = {
    policy: createAddressPolicy(options),
    lookup,
    timeoutMs: limits.connectMs,
  };
  const roomFor = (access: NetworkAccess): Room => ({
    access,
    guard,
    limits,
    meter: new TrafficMeter(limits, () => performance.now()),
  });
  return {
    async open(access, socket) {
      const room = roomFor(access);
      if (!access.keys?.length) return { close: await listen(createProxyServer(room), { path: socket }) };
      const ends = await openTlsEnds(options.certificates ?? []);
      const close = await listen(createProxyServer({ ...room, ends }), { path: socket });
      return { authority: ends.authority.certificate, close };
    },
    async openOnLoopback(access) {
      const server = createProxyServer(roomFor(access));
      const close = await listen(server, { port: 0, host: "127.0.0.1" });
      const { port } = server.address() as AddressInfo;
      options.own?.add(port);
      return {
        url: `http://127.0.0.1:${port}`,
        close: () => close().finally(() => options.own?.delete(port)),
      };
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
    forwardPlain(request, response, room).catch((error: unknown) =>
      fail(response, failureOf(error, request.url ?? "")),
    );
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

async function tunnel(authority: string, client: Duplex, head: Buffer, room: Room): Promise<void> {
  const target = connectTarget(authority);
  if (target === undefined) return refuse(client, badRequest);
  const refusal = judgeTarget(target, room.access);
  if (refusal !== undefined) return refuse(client, refusal);
  const keys = keysFor(target, room.access);
  if (room.ends !== undefined && keys.length > 0)
    return endTls(target, client, head, { ...room, ends: room.ends, keys });
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

async function forwardPlain(request: IncomingMessage, response: ServerResponse, room: Room): Promise<void> {
  const { url: address = "", headers } = request;
  const url = plainUrl(address);
  if (url === undefined) return answer(response, badRequest);
  const target = { host: plainHost(url), port: url.port === "" ? 80 : Number(url.port) };
  const refusal = judgeTarget(target, room.access);
  if (refusal !== undefined) return answer(response, refusal);
  const to = { target, authority: url.host, path: `${url.pathname}${url.search}`, headers };
  await forward(request, response, room, to);
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
function judgeTarget({ host, port }: ConnectionTarget, access: NetworkAccess): Answer | undefined {
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
const badRequest: Answer = {
  status: 400,
  phrase: "Not a proxy request",
  text: "Only http addresses and CONNECT host:port are taken here.\n",
};
