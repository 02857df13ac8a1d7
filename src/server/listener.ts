import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { isLoopback, type Security, ServerSetupError } from "./access.ts";

/** How long requests in flight may take to end when the server closes, ms. */
const drainMs = 5_000;

export interface Listener {
  /** @throws ServerSetupError when the address cannot be had */
  listen(): Promise<{ url: string }>;
  /** Takes no new connection, lets requests in flight end, then cuts what is left. */
  close(): Promise<void>;
}

/** Takes requests that are not ours to check, e.g. those a platform has signed. False when it is not for it. */
export type OutsideHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createListener(
  fetch: (request: Request) => Response | Promise<Response>,
  { host, port }: Security,
  outside: OutsideHandler = () => false,
): Listener {
  const inside = getRequestListener(fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => {
    if (!outside(request, response)) void inside(request, response);
  });
  // Connections that never carried a request, as browsers open ahead of need: Node does not count them as idle.
  const unused = new Set<Socket>();
  server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  // A connection kept alive by a client would hold up closing once its last answer is out.
  server.on("request", (request, response) => {
    unused.delete(request.socket);
    response.once("close", () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
  return {
    async listen() {
      server.listen(port, host);
      try {
        await once(server, "listening");
      } catch (cause) {
        throw cannotListen(host, port, cause);
      }
      return { url: urlOf(host, (server.address() as AddressInfo).port) };
    },
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

/** Where a person at this machine reaches the server. */
function urlOf(host: string, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere || isLoopback(host) ? host.replace(/^(0\.0\.0\.0|::)$/, "127.0.0.1") : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

function cannotListen(host: string, port: number, cause: unknown): ServerSetupError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const reason =
    code === "EADDRINUSE"
      ? `another program listens there. Stop it, or choose another port, e.g. KNACK_PORT=${port + 1} or --port ${port + 1}`
      : code === "EACCES"
        ? "this user may not. Choose a port above 1023 with --port"
        : code === "EADDRNOTAVAIL"
          ? "this machine does not have that address. Choose another with --host"
          : String(cause);
  return new ServerSetupError("cannot_listen", `Cannot listen on ${host} port ${port}: ${reason}.`, {
    cause,
  });
}
