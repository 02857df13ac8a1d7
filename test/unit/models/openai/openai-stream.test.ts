import { once } from "node:events";
import { createServer, get, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { collect, finish, requestOf } from "../collect.ts";
import { chunk } from "../wire-server.ts";

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server !== undefined) await once(server, "close");
  server = undefined;
});

/** A model whose server writes its answer as told. */
async function modelAnswering(answer: (response: ServerResponse) => Promise<void>) {
  const connections = new Set<Socket>();
  server = createServer((request, response) => {
    if (request.method === "GET") {
      response.end();
      return;
    }
    connections.add(request.socket);
    response.writeHead(200, { "content-type": "text/event-stream" });
    void answer(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const model = createOpenAiModel({ model: "m", baseUrl: `${url}/v1`, timeoutMs: 30_000 });
  return { model, url, connections };
}

const data = (value: unknown, end = "\n\n") => `data: ${JSON.stringify(value)}${end}`;
const written = (response: ServerResponse, bytes: Uint8Array | string) =>
  new Promise<void>((resolve) => response.write(bytes, () => setImmediate(resolve)));

it.each(["\n", "\r\n"])("an answer torn apart anywhere is put together (lines end with %j)", async (end) => {
  const said = "Grüße, 世界 🎉";
  const events = [...said].map((letter) => data(chunk({ content: letter }), end + end));
  const whole = [
    `: hello${end}${end}`,
    ...events,
    data(chunk({}, "stop"), end + end),
    `data: [DONE]${end}${end}`,
  ];
  const bytes = Buffer.from(whole.join(""));
  const { model } = await modelAnswering(async (response) => {
    for (let at = 0; at < bytes.length; at += 7) await written(response, bytes.subarray(at, at + 7));
    response.end();
  });
  expect((await finish(model, requestOf("hello"))).message.text).toBe(said);
});

it("the texts that arrive together are one event, except for the first", async () => {
  const texts = (...letters: string[]) => letters.map((letter) => data(chunk({ content: letter }))).join("");
  const isShown = Promise.withResolvers<void>();
  const { model } = await modelAnswering(async (response) => {
    response.write(texts("a", "b", "c"));
    await isShown.promise;
    response.write(texts("d", "e") + data(chunk({ reasoning_content: "Hm." })) + texts("f"));
    response.end(data(chunk({}, "stop")));
  });
  const shown: string[] = [];
  for await (const event of model.stream(requestOf("hello"))) {
    if (event.type === "text" || event.type === "thought") shown.push(event.text);
    if (shown.at(-1) === "bc") isShown.resolve();
  }
  expect(shown).toEqual(["a", "bc", "de", "Hm.", "f"]);
});

it("a last event without its blank line counts", async () => {
  const { model } = await modelAnswering(async (response) => {
    await written(response, data(chunk({ content: "Hi" })));
    response.end(data(chunk({}, "stop"), ""));
  });
  expect((await finish(model, requestOf("hello"))).message.text).toBe("Hi");
});

it("an answer is complete with [DONE], though the server keeps the connection open", async () => {
  const { model } = await modelAnswering(async (response) => {
    await written(response, `${data(chunk({ content: "Hi" }, "stop"))}data: [DONE]\n\n`);
  });
  const from = performance.now();
  expect((await finish(model, requestOf("hello"))).message.text).toBe("Hi");
  expect(performance.now() - from).toBeLessThan(5_000);
});

it("a server that closes its answer after [DONE] is asked again on the same connection", async () => {
  const complete = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { model, url, connections } = await modelAnswering(async (response) => {
    await written(response, `${data(chunk({ content: "Hi" }, "stop"))}data: [DONE]\n\n`);
    await complete.promise;
    response.end(closed.resolve);
  });
  await finish(model, requestOf("hello"));
  complete.resolve();
  await closed.promise;
  // What was sent before is read by the time another request has its answer.
  await once(
    get(url, { agent: false }).on("response", (response) => response.resume()),
    "close",
  );
  await finish(model, requestOf("hello"));
  expect(connections.size).toBe(1);
});

it("an event named error is a failure, with the code the server gave", async () => {
  const { model } = await modelAnswering(async (response) => {
    await written(response, data(chunk({ content: "Hi" })));
    response.end(`event: error\n${data({ message: "too many", code: "rate_limit_exceeded" })}`);
  });
  expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code: "rate_limited" });
});

it("a reader that leaves early ends the request", async () => {
  const gone = Promise.withResolvers<void>();
  const { model } = await modelAnswering(async (response) => {
    response.on("close", gone.resolve);
    await written(response, data(chunk({ content: "Hi" })));
  });
  for await (const event of model.stream(requestOf("hello"))) if (event.type === "text") break;
  await gone.promise;
});

it("a long reasoning is reported as it arrives, and comments alone keep the answer alive", async () => {
  const pieces = 20_000;
  const { model } = await modelAnswering(async (response) => {
    for (let at = 0; at < 20; at += 1) {
      const batch = Array.from({ length: pieces / 20 }, () =>
        data(chunk({ reasoning_content: "I go on thinking. " })),
      );
      await written(response, `: PROCESSING\n\n${batch.join("")}`);
    }
    await written(response, data(chunk({ content: "Done" }, "stop")));
    response.end();
  });
  const from = performance.now();
  const { events } = await collect(model, requestOf("hello"));
  expect(performance.now() - from).toBeLessThan(5_000);
  expect(events.filter(({ type }) => type === "thought")).toHaveLength(pieces);
  expect(events.at(-1)).toMatchObject({ type: "finished", message: { text: "Done" } });
});
