import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { skill } from "../server/fake-services.ts";
import { startServer } from "../server/start-server.ts";

const reconnect = { first_ms: 1, max_ms: 5, silence_ms: 60_000 };
const namespace = "console:local:general";

async function startClient(security: { token?: string } = {}) {
  const started = await startServer({ security });
  const client = createApiClient({ fetch, baseUrl: `${started.url}/`, ...security, reconnect });
  return { ...started, client };
}

describe("the API client", () => {
  it("the API client does everything the API does", async () => {
    const { client, addTurn, asked } = await startClient({ token: "s3cret" });
    addTurn("turn-1", "finished", [{ type: "turn_finished", outcome: "completed", text: "hi" }]);
    expect(await client.call("bot.about", {})).toEqual({
      name: "Knack",
      version: "1.2.3",
      model: "offline",
      suggestions: ["/skill list"],
    });
    expect(await client.ready()).toMatchObject({ ok: true });
    expect(await client.submitTurn({ text: "hello", namespace, thread: "t-9", user: "ada" })).toEqual({
      turn_id: "turn-new",
      namespace,
      thread: "t-9",
    });
    const turn = await client.call("turn.show", { id: "turn-1" });
    expect(turn).toMatchObject({ question: "hello", text: "hi" });
    const cache = { cached_tokens: 0, cache_write_tokens: 0 };
    expect(turn.usage).toStrictEqual({ input_tokens: 3, ...cache, output_tokens: 4, unpriced_tokens: 7 });
    expect((await client.call("turn.stop", { id: "turn-1" })).stopped).toBe(true);
    expect((await client.call("turn.answer", { id: "turn-1", question_id: "q", text: "yes" })).answered).toBe(
      true,
    );
    expect((await client.call("channel.list", {})).namespaces).toEqual([
      { namespace: "console:local:dm", direct: true },
      { namespace, direct: false },
    ]);
    expect(await client.call("channel.show", { ns: namespace })).toMatchObject({
      namespace,
      pinned: [],
      settings: { progress: "steps" },
    });
    expect(
      await client.call("channel.change", { ns: namespace, settings: { progress: "quiet" } }),
    ).toMatchObject({
      settings: { progress: "quiet" },
    });
    expect((await client.call("thread.list", { ns: namespace })).threads).toHaveLength(1);
    expect((await client.call("thread.show", { ns: namespace, thread: "t-1" })).turns).toMatchObject([
      { events: [{ type: "turn_finished", seq: 0 }] },
    ]);
    expect(await client.call("run.list", { limit: 5 })).toMatchObject({
      turns: [{ turn_id: "turn-1" }],
      skills: [],
    });
    expect(await client.call("run.show", { id: "turn-1" })).toMatchObject({
      turn: { turn_id: "turn-1" },
      events: [{ seq: 0 }],
    });
    expect((await client.call("command.complete", { text: "/skill " })).completions).toEqual([
      { text: "/skill list", label: "list", description: "" },
    ]);
    expect(await client.call("prompt.show", { namespace, message: "a & b" })).toMatchObject({
      system: "a & b",
    });
    expect(asked).toContainEqual({
      run: "turn.answer",
      id: "turn-1",
      question_id: "q",
      text: "yes",
      by: expect.objectContaining({ trust: "operator" }),
    });
  });

  it("the API client finds skills whose ids need escaping", async () => {
    const { client } = await startClient();
    expect(await client.call("skill.list", { namespace, category: "research" })).toEqual({
      skills: [skill],
      diagnostics: [],
    });
    expect(await client.call("skill.show", { id: skill.id })).toEqual(skill);
    expect(await client.call("skill.set", { ns: namespace, id: skill.id, state: "pinned" })).toMatchObject({
      id: skill.id,
      state: "pinned",
    });
    expect(await client.call("skill.run", { id: skill.id, params: { topic: "x" } })).toEqual({
      skill_id: skill.id,
      output: { topic: "x" },
      success: true,
    });
  });

  it("the API client works in the server's own process", async () => {
    const { server, addTurn } = await startServer();
    const inProcess = (url: string, init: RequestInit) => server.app.fetch(new Request(url, init));
    const client = createApiClient({ fetch: inProcess, baseUrl: "http://localhost" });
    addTurn("turn-1", "finished", [{ type: "turn_finished", outcome: "completed", text: "hi" }]);
    expect(await client.submitTurn({ text: "hello" })).toMatchObject({ turn_id: "turn-new" });
    expect(await collect(client.turnEvents("turn-1"))).toEqual(["turn_finished"]);
  });

  it("the API client reports what the server said when a request fails", async () => {
    const { client } = await startClient();
    await expect(client.call("skill.show", { id: "none" })).rejects.toMatchObject({
      name: "ApiError",
      status: 404,
      code: "not_found",
      detail: expect.stringContaining("called none"),
    });
    await expect(client.submitTurn({ text: "too fast" })).rejects.toMatchObject({
      status: 429,
      detail: "Wait a minute.",
    });
  });

  it("the API client says when nobody answers, and when something else does", async () => {
    const { url, server } = await startServer();
    await server.close();
    const nobody = createApiClient({ fetch, baseUrl: url });
    await expect(nobody.call("bot.about", {})).rejects.toMatchObject({ status: 0, code: "unreachable" });
    const other = await serve((_request, response) => response.end("<h1>Hello</h1>"));
    await expect(createApiClient({ fetch, baseUrl: other }).call("bot.about", {})).rejects.toMatchObject({
      code: "bad_answer",
    });
    const proxy = await serve((_request, response) => response.writeHead(502).end("<h1>Bad gateway</h1>"));
    await expect(createApiClient({ fetch, baseUrl: proxy }).call("bot.about", {})).rejects.toMatchObject({
      status: 502,
      code: "http_502",
    });
  });
});

describe("following a turn", () => {
  it("following a turn ends with the turn, live or after the fact", async () => {
    const { client, addTurn, live } = await startClient();
    addTurn("turn-1", "running", [{ type: "turn_started", profile: "default", model: "offline" }]);
    const events = collect(client.turnEvents("turn-1"));
    await live.hasFollowers(1);
    live.publish({ type: "text_delta", text: "h", turn_id: "turn-1", seq: 1, at: 1 });
    live.publish({
      type: "turn_finished",
      outcome: "completed",
      text: "h",
      turn_id: "turn-1",
      seq: 2,
      at: 1,
    });
    expect(await events).toEqual(["turn_started", "text_delta", "turn_finished"]);
    addTurn("turn-2", "finished", [{ type: "turn_finished", outcome: "stopped", text: "" }]);
    expect(await collect(client.turnEvents("turn-2", { after: 0 }))).toEqual([]);
  });

  it("following a turn continues after the last stored event when the connection breaks, repeating nothing", async () => {
    const asked: unknown[] = [];
    const states: string[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers["last-event-id"]);
      if (asked.length === 2) return response.writeHead(503).end();
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      const repeated = 'data: {"type":"text_delta","seq":7}\n\n';
      if (asked.length === 3)
        return response.end(`${repeated}data: {"type":"turn_finished","seq":8}\nid: 8\n\n`);
      const first =
        'data: {"type":"turn_started","seq":6}\nid: 6\n\ndata: {"type":"text_delta","seq":7}\n\ndata: {"type":"ha';
      return response.write(first, () => response.destroy());
    });
    const client = createApiClient({ fetch, baseUrl: url, reconnect });
    const onConnection = ({ state }: { state: string }) => states.push(state);
    const events = await collect(client.turnEvents("turn-1", { after: 5, onConnection }));
    expect(events).toEqual(["turn_started", "text_delta", "turn_finished"]);
    expect(asked).toEqual(["5", "6", "6"]);
    expect(states).toEqual(["open", "lost", "lost", "open"]);
  });

  it("following a turn reconnects when the connection falls silent", async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      if (asked === 1) response.write(": open\n\n");
      else response.end('data: {"type":"turn_finished","seq":0}\nid: 0\n\n');
    });
    const client = createApiClient({ fetch, baseUrl: url, reconnect: { ...reconnect, silence_ms: 500 } });
    expect(await collect(client.turnEvents("turn-1"))).toEqual(["turn_finished"]);
    expect(asked).toBe(2);
  });

  it("following a turn gives up on what asking again does not mend", async () => {
    const { client } = await startClient();
    await expect(collect(client.turnEvents("none"))).rejects.toMatchObject({ status: 404 });
  });

  it("following a turn closes the connection when the reader stops", async () => {
    const { client, addTurn, live } = await startClient();
    addTurn("turn-1", "running", [{ type: "turn_started", profile: "default", model: "offline" }]);
    for await (const event of client.turnEvents("turn-1")) {
      expect(event.type).toBe("turn_started");
      break;
    }
    await live.hasFollowers(0);
  });
});

describe("watching a namespace", () => {
  it("watching a namespace reports events from when it is open until the signal", async () => {
    const { client, feed } = await startClient();
    const stop = new AbortController();
    const items: unknown[] = [];
    for await (const item of client.watchNamespace(namespace, stop.signal, () =>
      feed.publish({ kind: "state", namespace }),
    )) {
      items.push(item);
      stop.abort();
    }
    expect(items).toEqual([{ kind: "state", namespace }]);
    await feed.hasFollowers(0);
  });

  it("watching a namespace reconnects to a server that ended the stream", async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.end(`data: {"kind":"state","namespace":"console:local:${asked}"}\n\n`);
    });
    const client = createApiClient({ fetch, baseUrl: url, reconnect });
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const item of client.watchNamespace(namespace, stop.signal)) {
      seen.push(item);
      if (seen.length === 3) stop.abort();
    }
    expect(seen).toHaveLength(3);
    expect(asked).toBe(3);
  });
});

async function collect(events: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of events) types.push(event.type);
  return types;
}

/** A server that is not Knack, closed after the test. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
