import { describe, expect, it } from "vitest";
import { createServer } from "../../../src/server/server.ts";
import { json, send, startServer } from "./start-server.ts";

const problem = (text: string) =>
  JSON.parse(text) as { status: number; code: string; detail: string; title: string };

/** A JSON body, with its length or in chunks. */
function post(url: string, body: string, inChunks: boolean): Promise<Response> {
  const init = inChunks ? { body: new Blob([body]).stream(), duplex: "half" as const } : { body };
  return fetch(url, { method: "POST", headers: json, ...init });
}

describe("a request that fails", () => {
  it("an unknown route is answered with a problem document", async () => {
    const { url } = await startServer();
    const response = await send(`${url}/api/v1/nothing`);
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(problem(response.text)).toMatchObject({ status: 404, title: "Not Found", code: "not_found" });
    expect(problem(response.text).detail).toContain("/api/v1/nothing");
  });

  it("a failed request names every value that does not fit", async () => {
    const { url } = await startServer();
    const body = JSON.stringify({ text: 7, namespace: "no", shout: true });
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(response.status).toBe(400);
    const { detail, code } = problem(response.text);
    expect(code).toBe("invalid_request");
    expect(detail).toMatch(/body\.text: .*; |; body\.text: /);
    expect(detail).toContain("body.namespace: expected platform:workspace:channel");
    expect(detail).toContain('"shout"');
  });

  it.each([
    ["flows/weather/run", { variables: {} }, /variables". It takes vars, /],
    ["flows/weather/run", { params: {} }, /params". It takes vars, /],
    ["skills/memory/run", { parameters: {}, b: 1 }, /"parameters" and 1 more. It takes params, /],
    ["turns", { text: "hi", message: "hi" }, /"message". It takes namespace, /],
  ])(
    "an unknown key of a request to %s is answered with the keys that it takes",
    async (route, body, detail) => {
      const { url } = await startServer();
      const response = await send(`${url}/api/v1/${route}`, {
        method: "POST",
        headers: json,
        body: JSON.stringify(body),
      });
      expect(problem(response.text).detail).toMatch(detail);
    },
  );

  it("a request without a body is answered as one with an empty object", async () => {
    const { url, addTurn } = await startServer();
    addTurn("turn-1", "running", []);
    const response = await send(`${url}/api/v1/turns/turn-1/stop`, { method: "POST", headers: json });
    expect(response.status).toBe(200);
  });

  it("a skill run with values that do not fit is a problem that names what it takes", async () => {
    const { url } = await startServer();
    const body = JSON.stringify({ params: { refuse: "invalid_parameters" } });
    const response = await send(`${url}/api/v1/skills/memory/run`, { method: "POST", headers: json, body });
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(problem(response.text)).toMatchObject({
      status: 400,
      code: "invalid_parameters",
      detail: "Refused.",
      expected_parameters: ["text"],
    });
  });

  it.each([
    ["cut", '{"text":'],
    ["text", "nonsense"],
    ["nested without end", `{"text": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
  ])("a request body that is not JSON is reported (%s)", async (_, body) => {
    const { url } = await startServer();
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(problem(response.text)).toMatchObject({ status: 400, code: "invalid_json" });
  });

  it.each(["with its length", "in chunks"])(
    "a request is refused when its body is too large, sent %s",
    async (how) => {
      const { url, asked } = await startServer();
      const body = " ".repeat(4 * 1024 * 1024) + JSON.stringify({ text: "hello" });
      const response = await post(`${url}/api/v1/turns`, body, how === "in chunks");
      expect(response.status).toBe(413);
      expect(problem(await response.text()).detail).toContain("4 MB");
      expect(asked).toEqual([]);
    },
  );

  it("a failed request says which methods work", async () => {
    const { url } = await startServer();
    const response = await send(`${url}/api/v1/about`, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.allow).toContain("GET");
    expect(problem(response.text).code).toBe("method_not_allowed");
  });

  it("a failed request passes on what the app says", async () => {
    const { url } = await startServer();
    const body = JSON.stringify({ text: "too fast" });
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(problem(response.text)).toMatchObject({ status: 429, detail: "Wait a minute." });
  });

  it("a request that the store cannot take says so, and what to do", async () => {
    const { url } = await startServer();
    const how = { method: "POST", headers: json, body: "{}" };
    const { text } = await send(`${url}/api/v1/skills/full/run`, how);
    expect(problem(text)).toMatchObject({
      status: 503,
      detail: expect.stringContaining("no disk space left"),
    });
  });

  it("a failed request keeps an unexpected error to the log", async () => {
    const { url, logged } = await startServer();
    const response = await send(`${url}/api/v1/skills/broken/run`, {
      method: "POST",
      headers: json,
      body: "{}",
    });
    expect(problem(response.text)).toMatchObject({ status: 500, code: "internal" });
    expect(response.text).not.toContain("shadow");
    expect(logged).toEqual([expect.objectContaining({ path: "/api/v1/skills/broken/run" })]);
    expect(
      JSON.stringify(logged, (_key, value) => (value instanceof Error ? value.message : value)),
    ).toContain("shadow");
  });
});

describe("the API", () => {
  it.each([true, false])("the API takes a body up to the limit (in chunks: %s)", async (inChunks) => {
    const { url, asked } = await startServer();
    const text = "ä".repeat(1_900_000);
    expect((await post(`${url}/api/v1/turns`, JSON.stringify({ text }), inChunks)).status).toBe(202);
    expect(asked).toEqual([expect.objectContaining({ text })]);
  });

  it("the API gives a turn a thread of its own when none is named, and the caller as operator", async () => {
    const { url, asked } = await startServer({ operator: "Ada" });
    const body = JSON.stringify({ text: "hello" });
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(response.status).toBe(202);
    const accepted = JSON.parse(response.text);
    expect(accepted).toEqual({
      turn_id: "turn-new",
      namespace: "console:local:dm",
      thread: expect.stringMatching(/^t-/),
    });
    expect(asked).toEqual([
      {
        namespace: "console:local:dm",
        thread: accepted.thread,
        text: "hello",
        author: { id: "operator", name: "Ada", trust: "operator" },
      },
    ]);
  });

  it("the API takes the time zone of the user, who is its author", async () => {
    const { url, asked } = await startServer({ operator: "Ada" });
    const body = JSON.stringify({ text: "hello", thread: "t", time_zone: "Asia/Tokyo" });
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(response.status).toBe(202);
    const author = { id: "operator", name: "Ada", trust: "operator", time_zone: "Asia/Tokyo" };
    expect(asked).toEqual([{ namespace: "console:local:dm", thread: "t", text: "hello", author }]);
  });

  it("the API names the place of the first turn for a repeated key", async () => {
    const { url, addTurn } = await startServer();
    addTurn("turn-1", "finished");
    const body = JSON.stringify({ text: "again", key: "k" });
    const response = await send(`${url}/api/v1/turns`, { method: "POST", headers: json, body });
    expect(JSON.parse(response.text)).toEqual({
      turn_id: "turn-1",
      namespace: "console:local:general",
      thread: "t-1",
    });
  });

  it("the API is not ready when a check fails, nor while it closes", async () => {
    const { app, server, url } = await startServer();
    expect(JSON.parse((await send(`${url}/readyz`)).text)).toEqual({ ok: true, checks: await app.ready() });
    app.ready = async () => [{ name: "store", ok: false, detail: "The disk is full." }];
    const response = await send(`${url}/readyz`);
    expect(response.status).toBe(503);
    expect(response.text).toContain("The disk is full.");
    app.ready = async () => [];
    await server.close();
    expect((await server.app.fetch(new Request("http://localhost/readyz"))).status).toBe(503);
  });

  it("the API is not ready while it drains, and still answers", async () => {
    const { server, url } = await startServer();
    server.drain();
    const response = await send(`${url}/readyz`);
    expect(response.status).toBe(503);
    expect(response.text).toContain("shutting down");
    expect((await send(`${url}/healthz`)).status).toBe(200);
  });

  it("the API shows metrics to callers with the token", async () => {
    const metrics = async () => ({
      content_type: "text/plain; version=0.0.4; charset=utf-8",
      text: "knack 1",
    });
    const token = "a-token-that-is-long-enough";
    const { url } = await startServer({ metrics, security: { token } });
    expect((await send(`${url}/metrics`)).status).toBe(401);
    const response = await send(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    expect(response).toMatchObject({ status: 200, text: "knack 1" });
    expect(response.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect((await send(`${url}/healthz`)).status).toBe(200);
  });

  it.each([
    ["all of its platforms are lost", [false, false], 503],
    ["one of its platforms is lost", [true, false], 200],
    ["it has no platform", [], 200],
  ])("the API's readiness depends on the platforms: %s", async (_name, platforms, status) => {
    const { app, url } = await startServer();
    app.ready = async () => [
      { name: "store", ok: true, detail: "readable" },
      ...platforms.map((ok, at) => ({ name: `platform ${at}`, ok, detail: "", platform: true as const })),
    ];
    expect((await send(`${url}/readyz`)).status).toBe(status);
  });

  it("the API says who has the port when it cannot listen", async () => {
    const { app, url } = await startServer();
    const second = createServer({
      app,
      assets: { page: async () => undefined, file: async () => undefined },
      version: "1",
      logger: { error: () => {} },
      security: { host: "127.0.0.1", port: Number(new URL(url).port) },
    });
    await expect(second.listen()).rejects.toMatchObject({
      code: "cannot_listen",
      message: expect.stringContaining("another program listens there"),
    });
  });
});
