import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";

/** A request to Discord's REST API. */
export interface DiscordCall {
  /** `POST /channels/1/messages`. */
  what: string;
  body: Record<string, unknown>;
}

/** A gateway that says what it is told to, and a REST API that answers what it is told to. */
export interface RecordedGateway {
  /** For `api_url`. */
  apiUrl: string;
  url: string;
  calls: readonly DiscordCall[];
  dispatch(event: string, data: unknown): void;
  stop(): Promise<void>;
}

/**
 * @param opening events that follow an IDENTIFY
 * @param answer what a call is answered; undefined for no content
 */
export async function startRecordedGateway(
  opening: (url: string) => readonly [event: string, data: unknown][],
  answer: (call: DiscordCall) => object | undefined,
): Promise<RecordedGateway> {
  const calls: DiscordCall[] = [];
  let socket: WebSocket | undefined;
  let sequence = 0;
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").replace("/api/v10", "").replace(/\?.*/, "");
    const raw = await text(request);
    const isJson = request.headers["content-type"]?.includes("json") === true;
    const call = { what: `${request.method} ${path}`, body: isJson && raw !== "" ? JSON.parse(raw) : {} };
    calls.push(call);
    const limit = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 16 };
    const reply =
      path === "/gateway/bot" ? { url: address(), shards: 1, session_start_limit: limit } : answer(call);
    if (reply === undefined) response.writeHead(204).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  const address = () => `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatch = (event: string, data: unknown) => {
    sequence += 1;
    socket?.send(JSON.stringify({ op: 0, t: event, s: sequence, d: data }));
  };
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (opened) => {
    socket = opened;
    opened.on("message", (received) => {
      const { op } = JSON.parse(String(received)) as { op: number };
      if (op === 1) opened.send(JSON.stringify({ op: 11 }));
      if (op === 2) for (const [event, data] of opening(address())) dispatch(event, data);
    });
    opened.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    apiUrl: `${address().replace("ws:", "http:")}/api`,
    url: address(),
    calls,
    dispatch,
    async stop() {
      for (const each of sockets.clients) each.terminate();
      sockets.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
