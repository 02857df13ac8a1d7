import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request of the bot to a platform, as it stands before the gate. */
export interface PlatformRequest {
  method: string;
  path: string;
  body: string;
}

type Fits = (request: PlatformRequest) => boolean;

/** Stands between the bot and a platform's HTTP API. Everything passes, but what a test takes out. */
export interface PlatformGate {
  url: string;
  /** The next request that fits is done, and its reply never comes. Resolves when it is done. */
  loseReply(fits: Fits): Promise<void>;
  /** The next request that fits is done, and its connection breaks. Resolves when it is done. */
  breakReply(fits: Fits): Promise<void>;
  /** The next request that fits is never done, nor answered. Resolves when it came. */
  loseRequest(fits: Fits): Promise<void>;
  /** While on, connections break without anything being done. */
  cut(on: boolean): void;
  /** From now on requests that fit answer HTTP 500 without being done. */
  fail(fits: Fits): void;
  stop(): Promise<void>;
}

interface Loss {
  fits: Fits;
  isDone: boolean;
  isBroken: boolean;
  happened: () => void;
}

/** @param origin e.g. `http://127.0.0.1:1234` */
export async function startPlatformGate(origin: string): Promise<PlatformGate> {
  const losses = new Set<Loss>();
  let isCut = false;
  let fails: Fits = () => false;
  const lose = (fits: Fits, how: Pick<Loss, "isDone" | "isBroken">) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    losses.add({ fits, ...how, happened: resolve });
    return promise;
  };
  const takeLoss = (request: PlatformRequest): Loss | undefined => {
    const loss = [...losses].find(({ fits }) => fits(request));
    if (loss !== undefined) losses.delete(loss);
    return loss;
  };
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming).catch(() => undefined);
    if (isCut || body === undefined) {
      response.destroy();
      return;
    }
    const { method = "", url = "" } = incoming;
    if (fails({ method, path: url, body: body.toString() })) {
      response.writeHead(500).end();
      return;
    }
    const loss = takeLoss({ method, path: url, body: body.toString() });
    if (loss === undefined) await passOn(origin, incoming, body, response);
    else {
      if (loss.isDone) await passOn(origin, incoming, body);
      if (loss.isBroken) response.destroy();
      loss.happened();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseReply: (fits) => lose(fits, { isDone: true, isBroken: false }),
    loseRequest: (fits) => lose(fits, { isDone: false, isBroken: false }),
    breakReply: (fits) => lose(fits, { isDone: true, isBroken: true }),
    cut: (on) => {
      isCut = on;
    },
    fail: (fits) => {
      fails = fits;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Does the request. Without a response its reply is thrown away. */
async function passOn(
  origin: string,
  { method, url = "", headers }: IncomingMessage,
  body: Buffer,
  response?: ServerResponse,
): Promise<void> {
  const { host: _, connection: __, ...passed } = headers;
  const request = send(origin + url, { method, headers: passed });
  request.end(body);
  try {
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    const content = await buffer(answer);
    response?.writeHead(answer.statusCode ?? 502, answer.headers).end(content);
  } catch {
    // The platform is gone: the bot must see it.
    response?.destroy();
  }
}
