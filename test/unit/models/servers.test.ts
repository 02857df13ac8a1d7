import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createModel } from "../../../src/models/create-models.ts";
import type { ProviderSettings } from "../../../src/models/named-model.ts";
import { collect, finish, requestOf } from "./collect.ts";
import { completion } from "./openai/chat-wire.ts";
import { recordingClock } from "./recording-clock.ts";
import { chunk, sendEvents, sendJson, startWireServer, type WireServer } from "./wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const asked: string[] = [];

/** A model of a server with these settings, behind either protocol. */
async function modelOf(
  settings: Partial<ProviderSettings>,
  answer: (response: ServerResponse) => void,
  more: Partial<Parameters<typeof createModel>[0]> = {},
) {
  asked.length = 0;
  server = await startWireServer((response) => {
    asked.push(response.req.url ?? "");
    answer(response);
  });
  const baseUrl = `${server.url}${settings.kind === "anthropic" ? "" : "/v1"}`;
  const box: ProviderSettings = { kind: "openai", baseUrl, ...settings };
  const base = { choice: "box/m", providers: { box }, streaming: false, retry: { attempts: 1 } };
  return createModel({ ...base, ...more }, recordingClock());
}

const said = (kind: ProviderSettings["kind"]) => (response: ServerResponse) =>
  sendJson(
    response,
    kind === "openai"
      ? completion({ content: "here" })
      : {
          ...{ id: "m", type: "message", role: "assistant", content: [{ type: "text", text: "here" }] },
          ...{ stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
        },
  );

const kinds: ProviderSettings["kind"][] = ["openai", "anthropic"];

describe.each(kinds)("a server of the protocol of %s", (kind) => {
  it("a model server gets the operator's headers and parameters with every request", async () => {
    const settings = { headers: { "X-Team": "support" }, query: { "api-version": "preview" } };
    await finish(await modelOf({ kind, ...settings, apiKey: "k-1" }, said(kind)), requestOf("hello"));
    expect(server?.headers[0]).toMatchObject({ "x-team": "support" });
    expect(asked[0]).toMatch(/\?api-version=preview$/);
    expect(server?.headers[0]).toMatchObject({ authorization: "Bearer k-1" });
  });

  it("a model server gets its key in the header it wants, and in no other", async () => {
    const model = await modelOf({ kind, apiKey: "k-1", keyHeader: "api-key" }, said(kind));
    await finish(model, requestOf("hello"));
    expect(server?.headers[0]).toMatchObject({ "api-key": "k-1" });
    expect(server?.headers[0]).not.toHaveProperty("authorization");
  });

  it("a model server gets a header of the operator's in place of a key", async () => {
    const headers = { Authorization: "Bearer of-entra" };
    await finish(await modelOf({ kind, headers, needsKey: true }, said(kind)), requestOf("hello"));
    expect(server?.headers[0]).toMatchObject({ authorization: "Bearer of-entra" });
  });

  it("a model server is not asked without a key it needs, and its variable is named", async () => {
    const model = await modelOf({ kind, needsKey: true, keyName: "BOX_API_KEY" }, said(kind));
    const { error } = await collect(model, requestOf("hello"));
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("Set BOX_API_KEY");
    expect(asked).toEqual([]);
  });

  it.each([200, 404])(
    "a model server that answers %d with a web page is reported so, with what was asked",
    async (status) => {
      const page = "<html><title>Welcome to\n nginx</title></html>";
      for (const streaming of [true, false]) {
        const model = await modelOf(
          { kind },
          (response) => response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page),
          { streaming },
        );
        const { error } = await collect(model, requestOf("hello"));
        const path = kind === "openai" ? "/v1/chat/completions" : "/v1/messages";
        expect(String(error)).toContain(`answers POST ${path} with a web page`);
        expect(String(error)).toContain(`HTTP ${status}, title: Welcome to nginx`);
        await server?.stop();
      }
      server = undefined;
    },
  );

  const page = "<html><title>Bad gateway</title>";
  it.each<[string, number, string, string, string]>([
    ["a page as success", 200, "text/html", page, "unavailable"],
    ["a page without success", 502, "text/html", page, "unavailable"],
    ["a page of a gateway without servers", 503, "text/html; charset=utf-8", page, "unavailable"],
    ["a page of a gateway that waited", 504, "text/html", page, "unavailable"],
    ["a page of a network's login", 511, "text/html", page, "unavailable"],
    ["words of a proxy", 200, "text/plain", "upstream connect error", "unavailable"],
    ["nothing", 200, "application/json", "", "unavailable"],
    ["half a document", 200, "application/json", '{"id": "x", "cho', "unavailable"],
    ["half an event", 200, "text/event-stream", 'data: {"id": "x", "cho', "unavailable"],
    ["an end without a beginning", 200, "text/event-stream", "data: [DONE]\n\n", "unavailable"],
    ["another document", 200, "application/json", '{"service": "files", "status": "ok"}', "bad_response"],
    ["a list", 200, "application/json", "[]", "bad_response"],
    ["a page of a firewall", 403, "text/html", page, "not_configured"],
    ["a page for an unknown address", 404, "text/html", page, "not_configured"],
    ["a limit, as a page", 429, "text/html", page, "rate_limited"],
  ])(
    "a model server that sends %s (%d %s) fails as it should, streamed or not",
    async (_name, status, type, body, code) => {
      for (const streaming of [true, false]) {
        const model = await modelOf(
          { kind, apiKey: "plain-key" },
          (response) => response.writeHead(status, { "content-type": type }).end(body),
          { streaming },
        );
        const { error } = await collect(model, requestOf("hello"));
        expect(error).toMatchObject({ code });
        expect(String(error)).not.toContain("plain-key");
        if (type.startsWith("text/html") && code === "unavailable") {
          expect(error).toMatchObject({ seen: "it sent a web page instead of an answer" });
          expect(String(error)).toContain(`text/html, HTTP ${status}, title: Bad gateway`);
        }
        await server?.stop();
      }
      server = undefined;
    },
  );

  it("a model server behind a proxy that wants an account looks like one that is away, except for a hint", async () => {
    const model = await modelOf({ kind }, (response) => response.writeHead(407).end());
    const { error } = await collect(model, requestOf("hello"));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("HTTP 407") });
  });

  it("a model server that leads elsewhere is not followed with the key [secret-2]", async () => {
    const model = await modelOf({ kind, apiKey: "k-1" }, (response) =>
      response.writeHead(308, { location: "https://elsewhere.example/v1/x?a=b" }).end(),
    );
    const { error } = await collect(model, requestOf("hello"));
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("https://elsewhere.example/v1/x");
    expect(asked).toHaveLength(1);
  });

  it("a model server's echo of a secret is not shown [secret-2]", async () => {
    const headers = { "x-gateway-token": "hunter2hunter2" };
    const model = await modelOf({ kind, apiKey: "plain-key", keyHeader: "api-key", headers }, (response) =>
      sendJson(response, { error: { message: "no such token hunter2hunter2 for plain-key" } }, 401),
    );
    const { error } = await collect(model, requestOf("hello"));
    expect(String(error)).toContain("no such token");
    expect(String(error)).not.toMatch(/hunter2|plain-key/);
  });
});

describe("the wait for an answer", () => {
  const begin = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const limits = { idleTimeoutMs: 100, firstAnswerMs: 1_000 };

  it("the wait for an answer is longer before its first sign, as a local server loads the model", async () => {
    const model = await modelOf(
      limits,
      (response) => setTimeout(() => sendEvents(response, [chunk({ content: "here" }, "stop")]), 300),
      { streaming: true },
    );
    expect((await finish(model, requestOf("hello"))).message.text).toBe("here");
  });

  it("the wait for an answer may be longer than any connection is kept waiting by itself", async () => {
    for (const kind of kinds) {
      const model = await modelOf({ kind, firstAnswerMs: 600_000 }, said(kind), {
        requestTimeoutMs: 600_000,
      });
      expect((await finish(model, requestOf("hello"))).message.text).toBe("here");
      await server?.stop();
    }
    server = undefined;
  });

  it("a wait for an answer that ends without one names its limit", async () => {
    const model = await modelOf({ ...limits, firstAnswerMs: 150 }, begin, { streaming: true });
    const { error } = await collect(model, requestOf("hello"));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(String(error)).toContain("sent nothing for 0.15 s (the limit is model.first_answer_seconds)");
  });

  it.each([
    ["before", ""],
    ["in the middle of", `data: ${JSON.stringify(chunk({ content: "he" }))}\n\n`],
  ])(
    "comments that keep a connection open are no sign of the model: %s the answer",
    async (_where, begun) => {
      let beat: NodeJS.Timeout | undefined;
      const model = await modelOf(
        { ...limits, firstAnswerMs: 250 },
        (response) => {
          begin(response);
          response.write(begun);
          beat = setInterval(() => response.write(": ping\n\n"), 20);
        },
        { streaming: true },
      );
      const { error } = await collect(model, requestOf("hello"));
      clearInterval(beat);
      expect(String(error)).toContain("sent nothing for 0.25 s (the limit is model.first_answer_seconds)");
    },
  );

  it("the wait in the middle of an answer is shorter, and names the other limit", async () => {
    const model = await modelOf(
      limits,
      (response) => {
        begin(response);
        response.write(`data: ${JSON.stringify(chunk({ content: "he" }))}\n\n`);
      },
      { streaming: true },
    );
    const { error } = await collect(model, requestOf("hello"));
    expect(String(error)).toContain("sent nothing more for 0.1 s (the limit is model.idle_seconds)");
  });
});
