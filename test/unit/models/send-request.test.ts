import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { type ServerAnswer, sendRequest, targetOf } from "../../../src/models/send-request.ts";
import { serverFetch } from "../../../src/models/server-fetch.ts";

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

/** Starts a server and returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?query=1`;
}

/** The answer to a request of an address. */
const answerOf = (url: string, signal?: AbortSignal): Promise<ServerAnswer> =>
  sendRequest(targetOf(url, "GET", new Headers()), undefined, signal);

describe("a request to a server of models", () => {
  it("a request arrives with its method, headers and text, and asks for an answer that is not packed", async () => {
    const url = await serve(async (request, response) => {
      const { authorization, "accept-encoding": packed } = request.headers;
      const body = await text(request);
      response.end(JSON.stringify([request.method, request.url, authorization, packed, body]));
    });
    const init = { method: "POST", headers: { authorization: "Bearer k" }, body: '{"a":"ü"}' };
    const response = await serverFetch(url, init);
    expect(await response.json()).toEqual(["POST", "/path?query=1", "Bearer k", "identity", '{"a":"ü"}']);
  });

  it("half of a surrogate pair is replaced, and nothing else", async () => {
    const url = await serve(async (request, response) => response.end(await text(request)));
    const asked = { half: "a \ud83d b \udc4d", pair: "👍", words: "\\ud83d", key: { "\ud83d": "\n" } };
    const response = await serverFetch(url, { method: "POST", body: JSON.stringify(asked) });
    expect(await response.json()).toEqual({
      ...asked,
      half: "a \ufffd b \ufffd",
      key: { "\ufffd": "\n" },
    });
  });

  it("a form arrives with its boundary", async () => {
    const url = await serve(async (request, response) => {
      response.end(`${request.headers["content-type"]}\n${await text(request)}`);
    });
    const body = new FormData();
    body.append("file", new File(["sound"], "voice.ogg"));
    const said = await (await serverFetch(url, { method: "POST", body })).text();
    const boundary = /^multipart\/form-data; boundary=(\S+)/.exec(said)?.[1] ?? "none";
    expect(said).toContain(`--${boundary}\r\n`);
    expect(said).toContain('filename="voice.ogg"');
    expect(said).toContain("sound");
  });

  it.each([204, 304])("an answer %i has no body", async (status) => {
    const url = await serve((_, response) => response.writeHead(status).end());
    expect((await answerOf(url)).response()).toMatchObject({ status, body: null });
  });

  it("a redirect is not followed", async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: "/elsewhere" }).end());
    const { status, headers } = await answerOf(url);
    expect([status, headers.get("location")]).toEqual([302, "/elsewhere"]);
  });

  it("an event stream is read as Node reads it, and its connection serves the next request", async () => {
    let connections = 0;
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      response.end("data: 1\n\n");
    });
    server.on("connection", () => {
      connections += 1;
    });
    for (let at = 0; at < 3; at += 1) {
      const answer = await answerOf(url);
      expect(answer.mediaType).toBe("text/event-stream");
      expect(await answer.text()).toBe("data: 1\n\n");
    }
    expect(connections).toBe(1);
  });

  it("an error that its server calls an event stream can be read", async () => {
    const url = await serve((_, response) => {
      response.writeHead(400, { "content-type": "text/event-stream" }).end('{"error":{"message":"no"}}');
    });
    expect(await (await serverFetch(url)).json()).toEqual({ error: { message: "no" } });
  });

  it.each(["application/json", "text/event-stream"])(
    "an answer of %s that breaks off fails as with fetch",
    async (type) => {
      const url = await serve((_, response) => {
        response.writeHead(200, { "content-type": type }).write("{");
        setImmediate(() => response.destroy());
      });
      const broken = { name: "TypeError", cause: { code: "ECONNRESET" } };
      await expect(answerOf(url).then((answer) => answer.text())).rejects.toMatchObject(broken);
      await expect(serverFetch(url).then((response) => response.text())).rejects.toMatchObject(broken);
    },
  );

  it("an abort ends a request, before and within the answer", async () => {
    const aborting = new AbortController();
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    const reading = (await answerOf(url, aborting.signal)).text();
    const reason = new Error("the person stopped it");
    aborting.abort(reason);
    await expect(reading).rejects.toThrow();
    await expect(answerOf(url, aborting.signal)).rejects.toBe(reason);
  });

  it("a request that reaches nobody fails as with fetch, with the reason as its cause", async () => {
    const url = await serve(() => {});
    server.close();
    await once(server, "close");
    const failed = answerOf(url);
    await expect(failed).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNREFUSED" } });
    await serve(() => {});
  });
});
