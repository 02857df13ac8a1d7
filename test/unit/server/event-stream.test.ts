import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import { startServer } from "./start-server.ts";

const finished: TurnEventBody = { type: "turn_finished", outcome: "completed", text: "hi" };
const bodies: TurnEventBody[] = [
  { type: "turn_started", profile: "default", model: "offline" },
  { type: "text_delta", text: "h\ni" },
  finished,
];
const ended = { heartbeat_ms: 60_000, stall_ms: 60_000 };

describe("the events of a turn", () => {
  it("events of a turn carry an id only when they are stored, and end after the last", async () => {
    const { url, addTurn, live } = await startServer();
    addTurn("turn-1", "running", bodies.slice(0, 2));
    const response = await fetch(`${url}/api/v1/turns/turn-1/events`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    live.publish({ ...finished, turn_id: "turn-1", seq: 2, at: 1 });
    const messages = (await response.text()).split("\n\n").filter((message) => message.startsWith("data: "));
    expect(messages).toEqual([
      'data: {"type":"turn_started","profile":"default","model":"offline","turn_id":"turn-1","seq":0,"at":1}\nid: 0',
      'data: {"type":"text_delta","text":"h\\ni","turn_id":"turn-1","seq":1,"at":1}',
      'data: {"type":"turn_finished","outcome":"completed","text":"hi","turn_id":"turn-1","seq":2,"at":1}\nid: 2',
    ]);
    await live.hasFollowers(0);
  });

  it.each([
    ["the Last-Event-ID header", "", { "Last-Event-ID": "0" }],
    ["after", "?after=0", {}],
    ["the header before the query", "?after=-1", { "Last-Event-ID": "0" }],
  ])("events of a turn resume by %s", async (_by, query, headers) => {
    const { url, addTurn } = await startServer();
    addTurn("turn-1", "finished", bodies);
    const text = await (await fetch(`${url}/api/v1/turns/turn-1/events${query}`, { headers })).text();
    expect(text).not.toContain("turn_started");
    expect(text).toContain("turn_finished");
  });

  it("events of a turn reach many followers in their order, each complete", async () => {
    const { url, addTurn, live } = await startServer();
    addTurn("turn-1", "running", bodies.slice(0, 2));
    const following = Array.from({ length: 40 }, async () =>
      (await fetch(`${url}/api/v1/turns/turn-1/events`)).text(),
    );
    await live.hasFollowers(40);
    for (let seq = 2; seq < 20; seq += 1)
      live.publish({ type: "text_delta", text: String(seq), turn_id: "turn-1", seq, at: 1 });
    live.publish({ ...finished, turn_id: "turn-1", seq: 20, at: 1 });
    const seqs = (await Promise.all(following)).map((text) =>
      [...text.matchAll(/"seq":(\d+)/g)].map(([, seq]) => Number(seq)),
    );
    expect(new Set(seqs.map(String))).toEqual(new Set([String(Array.from({ length: 21 }, (_, at) => at))]));
  });

  it("events of a turn say that nothing is left of a finished turn", async () => {
    const { url, addTurn } = await startServer();
    addTurn("turn-1", "finished", bodies);
    expect((await fetch(`${url}/api/v1/turns/turn-1/events?after=2`)).status).toBe(204);
  });

  it("events of a turn are refused for an unknown turn or a strange position", async () => {
    const { url, addTurn } = await startServer();
    addTurn("turn-1", "finished", bodies);
    expect((await fetch(`${url}/api/v1/turns/turn-2/events`)).status).toBe(404);
    const headers = { "Last-Event-ID": "abc" };
    expect((await fetch(`${url}/api/v1/turns/turn-1/events`, { headers })).status).toBe(400);
  });

  it("events of a turn hold nothing open for a HEAD request", async () => {
    const { url, addTurn, live } = await startServer();
    addTurn("turn-1", "running", bodies.slice(0, 1));
    expect((await fetch(`${url}/api/v1/turns/turn-1/events`, { method: "HEAD" })).status).toBe(200);
    expect(live.followers).toBe(0);
  });
});

describe("a stream", () => {
  it("a stream is open at its source before the client hears of it", async () => {
    const { url, feed } = await startServer();
    const response = await connect(`${url}/api/v1/namespaces/console:local:general/events`);
    expect(feed.followers).toBe(1);
    feed.publish({ kind: "state", namespace: "console:local:general" });
    expect(await textWith(response, "data: ")).toContain(
      'data: {"kind":"state","namespace":"console:local:general"}\n\n',
    );
    response.destroy();
  });

  it("a stream releases its source when the client leaves", async () => {
    const { url, feed } = await startServer({ timing: ended });
    const response = await connect(`${url}/api/v1/namespaces/console%3Alocal%3Ageneral/events`);
    await feed.hasFollowers(1);
    response.destroy();
    await feed.hasFollowers(0);
  });

  it("a stream releases its source when an in-process reader leaves", async () => {
    const { server, feed } = await startServer({ timing: ended });
    const request = new Request("http://localhost/api/v1/namespaces/console:local:general/events");
    const response = await server.app.fetch(request);
    await feed.hasFollowers(1);
    await response.body?.cancel();
    await feed.hasFollowers(0);
  });

  it("a stream ends when the server closes", async () => {
    const { url, server, feed } = await startServer({ timing: ended });
    const response = await fetch(`${url}/api/v1/namespaces/console:local:general/events`);
    await feed.hasFollowers(1);
    await server.close();
    expect(await response.text()).toBe(": open\n\n");
    expect(feed.followers).toBe(0);
  });

  it("a server's close is not held up by a connection that was opened ahead and never used", async () => {
    const { url, server } = await startServer();
    const socket = createConnection({ host: "127.0.0.1", port: Number(new URL(url).port) });
    await once(socket, "connect");
    // The server knows the connection once it has answered on a later one.
    await fetch(`${url}/healthz`, { headers: { connection: "close" } });
    const closed = once(socket, "close");
    await server.close();
    await closed;
  });

  it("a stream keeps quiet connections alive", async () => {
    const { url } = await startServer({ timing: { heartbeat_ms: 10, stall_ms: 60_000 } });
    const response = await connect(`${url}/api/v1/namespaces/console:local:general/events`);
    expect(await textWith(response, ": alive")).toBe(": open\n\n: alive\n\n");
    response.destroy();
  });

  it("a stream takes no more from its source than the reader reads, and cuts off one that does not read", async () => {
    const { url, feed } = await startServer({ timing: { heartbeat_ms: 10, stall_ms: 150 } });
    const response = await connect(`${url}/api/v1/namespaces/console:local:general/events`);
    response.pause();
    const large = "x".repeat(1024 * 1024);
    for (let count = 0; count < 40; count += 1) feed.publish({ kind: "state", namespace: large });
    await feed.hasFollowers(0);
    expect(feed.undelivered).toBeGreaterThan(10);
    response.destroy();
  });
});

/** Resolves with the response as soon as its headers are there. */
function connect(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).on("error", reject);
  });
}

/** Reads until the text is among what came. */
async function textWith(response: IncomingMessage, wanted: string): Promise<string> {
  let text = "";
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes(wanted)) break;
  }
  return text;
}
