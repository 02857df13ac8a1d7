import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { errorCode } from "../base/error-text.ts";
import { requireSafeSetup, type Security, ServerSetupError } from "./access.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { createHttpApi } from "./http-api.ts";

/** Handles requests that are checked elsewhere, e.g. those a platform has signed. Returns false for all others. */
type OutsideHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What the routes serve. Defaults: the name `operator`, the usual timing, and no speaking for people of platforms. */
type Served = Omit<ServerDependencies, "closing" | "draining" | keyof typeof defaults> &
  Partial<Pick<ServerDependencies, keyof typeof defaults>>;

const defaults = {
  operator: "operator",
  speakForPeople: false,
  timing: { heartbeat_ms: 15_000, stall_ms: 30_000 },
};

export type KnackServer = ReturnType<typeof createServer>;

/**
 * The HTTP API, the console and the health checks.
 * @param outside requests that this handler takes are not checked here, and need no token
 * @throws ServerSetupError when others could reach the server and it has no token
 */
export function createServer({
  security,
  outside,
  ...served
}: Served & { security: Security; outside?: OutsideHandler }) {
  requireSafeSetup(security);
  const closing = new AbortController();
  let draining = false;
  const state = { closing: closing.signal, draining: () => draining };
  const dependencies: ServerDependencies = { ...defaults, ...served, ...state };
  const app = createHttpApi(dependencies, security);
  const listener = createListener(app.fetch, security, outside);
  return {
    /** Handles requests of the same process: `server.app.fetch(new Request("http://localhost/api/v1/about"))`. */
    app,
    /** Returns the address of the console. @throws ServerSetupError when listening fails */
    listen: listener.listen,
    /** Reports "not ready" from now on, so that a load balancer sends requests elsewhere. */
    drain() {
      draining = true;
    },
    /** Ends the streams, lets other requests finish, and stops listening. */
    async close() {
      draining = true;
      closing.abort();
      await listener.close();
    },
  };
}

/** How long requests in flight may take to end when the server closes, ms. */
const drainMs = 5_000;

function createListener(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: Security,
  outside: OutsideHandler = () => false,
) {
  const inside = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createHttpServer((request, response) => {
    if (!outside(request, response)) void inside(request, response);
  });
  // Connections that never carried a request, as browsers open them in advance. Node does not count them as idle.
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  // A kept-alive connection would delay closing after its last response.
  server.on("request", (request, response) => {
    unused.delete(request.socket);
    response.once("close", () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    /** @throws ServerSetupError when listening fails */
    async listen() {
      await once(server.listen(port, host), "listening").catch((cause: unknown) => {
        throw cannotListen(host, port, cause);
      });
      return { url: urlOf(host, (server.address() as AddressInfo).port) };
    },
    /** Accepts no new connection, lets requests in flight end, then closes the rest. */
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The address of the server for a person on this machine. */
function urlOf(host: string, port: number): string {
  const name = host.replace(/^(0\.0\.0\.0|::)$/, "127.0.0.1");
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function cannotListen(host: string, port: number, cause: unknown): ServerSetupError {
  const code = errorCode(cause);
  const reasons: Record<string, string> = {
    EADDRINUSE: `another program listens there. Stop it, or choose another port, e.g. KNACK_PORT=${port + 1} or --port ${port + 1}`,
    EACCES: "this user may not. Choose a port above 1023 with --port",
    EADDRNOTAVAIL: "this machine does not have that address. Choose another with --host",
  };
  const message = `Cannot listen on ${host} port ${port}: ${reasons[code ?? ""] ?? String(cause)}.`;
  return new ServerSetupError("cannot_listen", message, { cause });
}
