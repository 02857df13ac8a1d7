import { describe, expect, it } from "vitest";
import { createServer } from "../../../src/server/server.ts";
import { createFakeApp } from "./fake-app.ts";
import { json, send, startServer } from "./start-server.ts";

const turn = JSON.stringify({ text: "hello" });

describe("a server without a token", () => {
  it("a server without a token answers programs on this machine by every loopback name", async () => {
    const { url } = await startServer();
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, "localhost"]) {
      expect((await send(`${url}/api/v1/about`, { headers: { Host: host } })).status, host).toBe(200);
    }
  });

  it.each(["evil.example", "localhost.evil.example:3000", "127.0.0.1.evil.example"])(
    "a server without a token tells nothing to a page that resolved %s to this machine",
    async (host) => {
      const { url, asked } = await startServer();
      for (const path of ["/", "/healthz", "/api/v1/about", "/assets/app-12345678.js"]) {
        const response = await send(url + path, { headers: { Host: host } });
        expect(response.status, path).toBe(403);
        expect(JSON.parse(response.text)).toMatchObject({ status: 403, code: "host_refused" });
      }
      await send(`${url}/api/v1/turns`, { method: "POST", headers: { ...json, Host: host }, body: turn });
      expect(asked).toEqual([]);
    },
  );

  it.each([
    ["a form or text without asking first", { "Content-Type": "text/plain", Origin: "https://evil.example" }],
    ["text from a browser that names no origin", { "Content-Type": "text/plain" }],
    ["a body without a type", {}],
    ["JSON", { ...json, Origin: "https://evil.example" }],
    ["JSON from another port of this machine", { ...json, Origin: "http://127.0.0.1:1" }],
    ["JSON from a sandboxed frame", { ...json, Origin: "null" }],
    ["JSON, told by fetch metadata alone", { ...json, "Sec-Fetch-Site": "cross-site" }],
    ["JSON from a sibling site", { ...json, "Sec-Fetch-Site": "same-site" }],
  ])(
    "a server without a token does nothing for a page of another origin that posts %s [access-2]",
    async (_what, headers) => {
      const { url, asked } = await startServer();
      const response = await send(`${url}/api/v1/turns`, { method: "POST", headers, body: turn });
      expect([403, 415]).toContain(response.status);
      expect(response.headers["access-control-allow-origin"]).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  it.each([{}, { "Content-Type": "text/plain" }, { "Content-Type": "application/x-www-form-urlencoded" }])(
    "a server without a token stops no turn for a page that sends what needs no preflight: %o",
    async (headers) => {
      const { url, asked, addTurn } = await startServer();
      addTurn("turn-1", "running", []);
      expect((await send(`${url}/api/v1/turns/turn-1/stop`, { method: "POST", headers })).status).toBe(415);
      expect(asked).toEqual([]);
    },
  );

  it("a server without a token does not allow a preflight", async () => {
    const { url } = await startServer();
    const response = await send(`${url}/api/v1/turns`, {
      method: "OPTIONS",
      headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" },
    });
    expect(response.status).toBe(403);
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it.each([
    { Forwarded: "for=203.0.113.7" },
    { "X-Forwarded-For": "203.0.113.7" },
    { "X-Forwarded-Proto": "https" },
    { "x-forwarded-host": "127.0.0.1" },
    { Via: "1.1 proxy" },
    { "X-Real-IP": "203.0.113.7" },
  ])(
    "a server without a token refuses what came through a proxy, %o, and says what to do [access-1]",
    async (headers) => {
      const { url, asked } = await startServer();
      for (const path of ["/", "/api/v1/about", "/api/v1/openapi.json"]) {
        const { status, text } = await send(url + path, { headers });
        expect(status, path).toBe(403);
        expect(JSON.parse(text)).toMatchObject({
          code: "proxy_refused",
          detail: expect.stringMatching(/Set KNACK_API_TOKEN.*or remove the proxy/),
        });
      }
      await send(`${url}/api/v1/turns`, { method: "POST", headers: { ...json, ...headers }, body: turn });
      expect(asked).toEqual([]);
      const security = { token: "s3cret-token" };
      const behind = await startServer({ security });
      const allowed = { ...headers, Authorization: "Bearer s3cret-token" };
      expect((await send(`${behind.url}/api/v1/about`, { headers: allowed })).status).toBe(200);
    },
  );

  it("a server without a token serves its own page", async () => {
    const { url, asked } = await startServer();
    const headers = { ...json, Origin: url, "Sec-Fetch-Site": "same-origin" };
    expect((await send(`${url}/api/v1/turns`, { method: "POST", headers, body: turn })).status).toBe(202);
    expect(asked).toHaveLength(1);
  });

  it("a server without a token answers to a further name that was allowed, and to pages from there", async () => {
    const { url } = await startServer({ security: { allowedHosts: ["knack.example.com"] } });
    const headers = { Host: "knack.example.com", Origin: "https://knack.example.com" };
    expect((await send(`${url}/api/v1/about`, { headers })).status).toBe(200);
  });

  it.each(["0.0.0.0", "::", "192.0.2.1", "knack.example.com"])(
    "a server without a token does not start on %s and says what to set",
    (host) => {
      const start = () =>
        createServer({
          app: createFakeApp().app,
          assets: { page: async () => undefined, file: async () => undefined },
          version: "1",
          logger: { error: () => {} },
          security: { host, port: 0, token: "" },
        });
      expect(start).toThrow(expect.objectContaining({ code: "token_required" }));
      expect(start).toThrow(/KNACK_API_TOKEN/);
    },
  );
});

describe("a server with a token", () => {
  const security = { token: "s3cret-token" };

  it.each([
    {},
    { Authorization: "Bearer wrong" },
    { Authorization: "Basic s3cret-token" },
    { Authorization: "Bearer" },
  ])("a server with a token refuses the API to %o [access-1]", async (headers) => {
    const { url } = await startServer({ security });
    for (const path of ["/api/v1/about", "/api/v1/openapi.json", "/api/v1/nothing"]) {
      const response = await send(url + path, { headers });
      expect(response.status).toBe(401);
      expect(response.headers["www-authenticate"]).toBe("Bearer");
      expect(response.text).not.toContain("s3cret");
    }
  });

  it("a server with a token lets its holder in, by any name of the server", async () => {
    const { url } = await startServer({ security });
    const headers = { Authorization: "Bearer s3cret-token", Host: "knack.example.com" };
    expect((await send(`${url}/api/v1/about`, { headers })).status).toBe(200);
  });

  it("a server with a token answers only to its configured names, where it has any", async () => {
    const { url } = await startServer({ security: { ...security, allowedHosts: ["knack.example.com"] } });
    const statusFor = async (Host: string) =>
      (await send(`${url}/api/v1/about`, { headers: { Authorization: "Bearer s3cret-token", Host } })).status;
    expect([await statusFor("knack.example.com"), await statusFor("evil.example")]).toEqual([200, 403]);
  });

  it("a server with a token answers health checks without it", async () => {
    const { url } = await startServer({ security });
    expect((await send(`${url}/healthz`)).status).toBe(200);
    expect((await send(`${url}/readyz`)).status).toBe(200);
  });

  it("a server with a token still refuses pages of other origins", async () => {
    const { url } = await startServer({ security });
    const headers = { Authorization: "Bearer s3cret-token", Origin: "https://evil.example" };
    expect((await send(`${url}/api/v1/about`, { headers })).status).toBe(403);
  });
});
