import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A server that answers exactly the bytes a test wants, and keeps what it was sent. */
export interface WireServer {
  url: string;
  bodies: Record<string, unknown>[];
  headers: IncomingHttpHeaders[];
  stop(): Promise<void>;
}

export async function startWireServer(
  answer: (response: ServerResponse, body: Record<string, unknown>) => void,
): Promise<WireServer> {
  const bodies: Record<string, unknown>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await text(request)) || "{}") as Record<string, unknown>;
    bodies.push(body);
    headers.push(request.headers);
    answer(response, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    headers,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with server-sent events: OpenAI's without names, Anthropic's named after their `type`. */
export function sendEvents(response: ServerResponse, events: readonly Record<string, unknown>[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = typeof event.type === "string" ? `event: ${event.type}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(events.some((event) => "choices" in event) ? "data: [DONE]\n\n" : "");
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** One chat completion chunk. */
export function chunk(
  delta: Record<string, unknown>,
  finishReason: string | null = null,
): Record<string, unknown> {
  return {
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}
