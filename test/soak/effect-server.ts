import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Counts what is sent to it: the world outside, in which an effect cannot be taken back. */
export interface EffectServer {
  url: string;
  /** How often each effect came, by its id. */
  readonly counts: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** How long an effect takes at most, ms: many a bot is killed after it came and before its answer. */
const maxDelayMs = 400;

/** Starts it on a free port of the loopback. The path of a POST is the id of an effect. */
export async function startEffectServer(): Promise<EffectServer> {
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const id = (request.url ?? "").slice(1);
    request.resume();
    if (request.method === "POST") counts.set(id, (counts.get(id) ?? 0) + 1);
    await sleep(Math.random() * maxDelayMs);
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(`noted ${id}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
