import { describe, expect, it } from "vitest";
import type { LoginPages } from "../../../src/server/routes/login-routes.ts";
import { send, startServer } from "./start-server.ts";

type Finished = Awaited<ReturnType<LoginPages["finish"]>>;

async function startPages(finished: Finished, document?: Record<string, unknown>) {
  const returned: unknown[] = [];
  const login: LoginPages = {
    async finish(values) {
      returned.push(values);
      return finished;
    },
    clientDocument: () => document,
  };
  const { url } = await startServer({ login, security: { token: "a-token-of-the-api" } });
  return { url, returned };
}

const connected: Finished = { ok: true, server: "notes", account: "U1" };

describe("the page where a login ends", () => {
  it("needs no token, and hands on what the login said", async () => {
    const { url, returned } = await startPages(connected);
    const response = await send(`${url}/oauth/mcp/callback?state=s&code=c&other=x`, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expect(response.status).toBe(200);
    expect(response.text).toContain("notes is connected for U1. Go back to the chat");
    expect(returned).toEqual([{ state: "s", code: "c" }]);
  });

  it("loads and runs nothing, and is not kept", async () => {
    const { url } = await startPages(connected);
    const { headers } = await send(`${url}/oauth/mcp/callback?state=s&code=c`);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  it("shows what others wrote as text", async () => {
    const { url } = await startPages({ ok: false, server: "a&b", reason: `<script>alert("1")</script>` });
    const response = await send(`${url}/oauth/mcp/callback?error=x`);
    expect(response.status).toBe(400);
    expect(response.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(response.text).not.toContain("<script");
    expect(response.text).toContain("/mcp login a&amp;b");
  });
});

describe("who the bot is for logins", () => {
  it("stands at its address when it is public", async () => {
    const { url } = await startPages(connected, {
      client_id: "https://bot.example.com/oauth/mcp/client.json",
    });
    const response = await send(`${url}/oauth/mcp/client.json`);
    expect(JSON.parse(response.text)).toEqual({ client_id: "https://bot.example.com/oauth/mcp/client.json" });
  });

  it("is not there otherwise", async () => {
    const { url } = await startPages(connected);
    expect((await send(`${url}/oauth/mcp/client.json`)).status).toBe(404);
  });
});
