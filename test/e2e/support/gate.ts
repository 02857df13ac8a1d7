import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** A request as it stands before the gate. */
export interface GateRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real HTTP server that counts requests and can hold them, so that a test can act exactly while one is open. */
export interface Gate extends AsyncDisposable {
  url: string;
  requests: readonly GateRequest[];
  /** From now on requests that fit wait for `open`; their callers get nothing, not even headers. */
  close(fits?: (request: GateRequest) => boolean): void;
  /** Lets everything through: what waits, and what comes. */
  open(): void;
  /** Resolves when this many requests have come that fit. */
  reached(count: number, fits?: (request: GateRequest) => boolean): Promise<void>;
}

type Respond = (request: GateRequest, response: ServerResponse) => Promise<void> | void;

/** Maximum wait for a request, ms. */
const patienceMs = 30_000;

const everything = () => true;

/** A gate that answers with `respond`. In a sandbox 127.0.0.1 is the sandbox itself; another `host` of the loopback is not. */
export async function startGate(respond: Respond, host = "127.0.0.1"): Promise<Gate> {
  const requests: GateRequest[] = [];
  let holds: (request: GateRequest) => boolean = () => false;
  let opened = Promise.withResolvers<void>();
  let arrived = Promise.withResolvers<void>();

  const server = createServer(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: await text(incoming).catch(() => "") };
    requests.push(request);
    arrived.resolve();
    arrived = Promise.withResolvers();
    if (holds(request)) await opened.promise;
    // Whoever was killed meanwhile gets no answer, and leaves no trace behind the gate.
    if (!response.destroyed) await respond(request, response);
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    requests,
    close(fits = everything) {
      holds = fits;
      opened = Promise.withResolvers();
    },
    open() {
      holds = () => false;
      opened.resolve();
    },
    async reached(count, fits = everything) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        const paths = requests.map(({ method, path }) => `${method} ${path}`).join(", ");
        reject(new Error(`${count} such requests did not come. There were: ${paths || "none"}`));
      }, patienceMs);
      try {
        while (requests.filter(fits).length < count) await Promise.race([arrived.promise, late]);
      } finally {
        clearTimeout(timer);
      }
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A gate before another server. What comes back is passed on byte by byte, also when it breaks off. */
export function startGateBefore(origin: string): Promise<Gate> {
  return startGate(async ({ method, path, headers, body }, response) => {
    const { host: _, connection: __, "content-length": ___, ...rest } = headers;
    try {
      const answer = await fetch(origin + path, {
        method,
        headers: rest as Record<string, string>,
        ...(body === "" ? {} : { body }),
      });
      const passed = [...answer.headers].filter(([name]) => !hopByHop.has(name));
      response.writeHead(answer.status, Object.fromEntries(passed));
      if (answer.body === null) response.end();
      else await pipeline(Readable.fromWeb(answer.body), response);
    } catch {
      // One of the two sides is gone; the other must see it.
      response.destroy();
    }
  });
}

const hopByHop = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);
