import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { openBench } from "../../support/skills/mcp-bench.ts";

/** What a foreign server says: the result of each method, or what it does to the answer instead. */
interface Foreign {
  initialize?: unknown;
  pages?: (cursor: unknown) => unknown;
  call?: unknown;
  /** In place of a result of `tools/call`. */
  error?: unknown;
  /** Answers `tools/call`, and the GET that takes its answer up again. */
  answer?: (response: ServerResponse, id: number | undefined, lastEventId: string | undefined) => void;
  /** Its answers are streams of events. */
  stream?: boolean;
  /** What it says in its streams before its answers, as JSON. */
  notice?: (method: string, params: { _meta?: { progressToken: number } }) => string;
}

export const plain = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "x" },
};
export const ping = { name: "ping", inputSchema: { type: "object" } };
export const hello = { type: "text", text: "hello" };
export const json = { "content-type": "application/json" };
export const events = { "content-type": "text/event-stream" };

export const resultFor = (id: number | undefined) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [hello] } });

/** A server that writes its messages by hand, and counts its requests by method. */
export async function openForeign(foreign: Foreign) {
  const {
    initialize = plain,
    pages,
    call,
    error = null,
    answer,
    notice,
    stream = notice !== undefined,
  } = foreign;
  const asked: string[] = [];
  const post = (response: ServerResponse, body: string) => {
    const { id, method, params } = JSON.parse(body);
    asked.push(method);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call" && answer !== undefined) return answer(response, id, undefined);
    const results: Record<string, unknown> = {
      initialize,
      "tools/list": pages?.(params?.cursor) ?? { tools: [ping] },
      "tools/call": call,
    };
    const failure = method === "tools/call" ? error : null;
    const said = JSON.stringify({ jsonrpc: "2.0", id, error: failure, extra: 1, result: results[method] });
    const before = notice === undefined ? "" : `data: ${notice(method, params)}\n\n`;
    if (stream) response.writeHead(200, events).end(`${before}data: ${said}\n\n`);
    else response.writeHead(200, json).end(said);
  };
  const http = createServer(async (request, response) => {
    const lastEventId = request.headers["last-event-id"]?.toString();
    if (request.method === "POST") post(response, await text(request));
    else if (lastEventId === undefined || answer === undefined) response.writeHead(405).end();
    else answer(response, undefined, lastEventId);
  });
  await once(http.listen(0, "127.0.0.1"), "listening");
  const bench = await openBench({
    web: { type: "http", url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` },
  });
  onTestFinished(async () => {
    await bench.close();
    http.closeAllConnections();
    http.close();
  });
  return { asked, bench, status: await bench.servers.start("web") };
}
