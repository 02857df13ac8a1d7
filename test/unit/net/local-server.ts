import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NetworkAccess } from "../../../src/core/skill/programs.ts";
import {
  createGuardedProxy,
  type GuardedProxyOptions,
  type OpenProxy,
} from "../../../src/net/guarded-proxy.ts";

/** A proxy, and the path of its socket. */
export type ListeningProxy = OpenProxy & { socket: string };

/** Opens a proxy on a socket of its own. */
export async function openProxy(
  options: GuardedProxyOptions,
  access: NetworkAccess,
): Promise<ListeningProxy> {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  const socket = join(folder, "s");
  const { close, ...proxy } = await createGuardedProxy(options).open(access, socket);
  return { ...proxy, socket, close: () => close().finally(() => rmSync(folder, { recursive: true })) };
}

/** A real HTTP server on the loopback that counts its requests. */
export interface LocalServer extends AsyncDisposable {
  port: number;
  /** `http://127.0.0.1:port` */
  origin: string;
  requests: { method: string; url: string; headers: Record<string, unknown> }[];
}

/** Starts a server on a free port. */
export async function startServer(listener: RequestListener): Promise<LocalServer> {
  const requests: LocalServer["requests"] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers });
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A resolver that gives the next of these answers each time, the last one for ever. */
export function resolverOf(...answers: string[][]): LookupFunction {
  const left = [...answers];
  return (_hostname, options, callback) => {
    const addresses = (left.length > 1 ? left.shift() : left[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 4);
  };
}
