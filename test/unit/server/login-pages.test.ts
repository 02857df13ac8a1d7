import { describe, expect, it } from "vitest";
import type { LoginPages } from "../../../src/server/routes/login-routes.ts";
import { send, startServer } from "./start-server.ts";

type Answer = Awaited<ReturnType<LoginPages["finish"]>>;

async function startPages(answer: Answer, document?: Record<string, unknown>) {
  const checked: unknown[] = [];
  const finished: unknown[] = [];
  const login: LoginPages = {
    async check(values) {
      checked.push(values);
      return answer;
    },
    async finish(values) {
      finished.push(values);
      return answer;
    },
    clientDocument: () => document,
  };
  const { url } = await startServer({ login, security: { token: "a-token-of-the-api" } });
  const page = `${url}/oauth/mcp/callback`;
  const post = (headers: Record<string, string>, body = "state=s&code=c&iss=i&error=x") =>
    send(page, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body,
    });
  return { url, page, post, checked, finished };
}

const connected: Answer = { ok: true, server: "notes", shown: "Ada (Slack)" };

describe("the page a login sends people back to", () => {
  it("the login page needs no token, and asks before anything is connected [server-6]", async () => {
    const { page, checked, finished } = await startPages(connected);
    const response = await send(`${page}?state=s&code=c&iss=i&other=x`, {
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    expect(response.status).toBe(200);
    expect(response.text).toContain(
      "Connect notes for Ada (Slack)? Only if you asked for this in the chat yourself.",
    );
    const inputs = [...response.text.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)">/g)];
    expect(inputs.map(([, name, value]) => [name, value])).toEqual([
      ["state", "s"],
      ["code", "c"],
      ["iss", "i"],
    ]);
    expect(response.text).toContain('<form method="post" action="callback">');
    expect(checked).toEqual([{ state: "s", code: "c", iss: "i" }]);
    expect(finished).toEqual([]);
  });

  it("the login page loads and runs nothing, is not kept, and posts only to this server, which sees where from", async () => {
    const { page } = await startPages(connected);
    const { headers } = await send(`${page}?state=s&code=c`);
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["referrer-policy"]).toBe("same-origin");
    expect(headers["content-type"]).toMatch(/^text\/html/);
  });

  it("the login page says at once what went wrong, without a button, and shows what others wrote as text", async () => {
    const { page } = await startPages({ ok: false, server: "a&b", reason: `<script>alert("1")</script>` });
    const response = await send(`${page}?error=x&state=s`);
    expect(response.status).toBe(400);
    expect(response.text).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(response.text).not.toMatch(/<script|<form/);
    expect(response.text).toContain("/mcp login a&amp;b");
    expect(response.headers["content-security-policy"]).toContain("form-action 'none'");
  });

  it("the login page lets nothing of the address or of a person's name out of its form", async () => {
    const { page } = await startPages({ ok: true, server: "notes", shown: "<form action='//evil'>" });
    const value = `"><form action="//evil">`;
    const { text } = await send(`${page}?state=${encodeURIComponent(value)}&code='x`);
    expect(text.match(/<form/g)).toHaveLength(1);
    expect(text).toContain('value="&quot;&gt;&lt;form action=&quot;//evil&quot;&gt;"');
  });
});

describe("the form of that page", () => {
  it("the login form connects the account without a token", async () => {
    const { url, post, finished } = await startPages(connected);
    const response = await post({ Origin: url, "Sec-Fetch-Site": "same-origin" });
    expect(response.status).toBe(200);
    expect(response.text).toContain("notes is connected for Ada (Slack). Go back to the chat");
    expect(finished).toEqual([{ state: "s", code: "c", iss: "i" }]);
  });

  it("the login form works behind a proxy that changes the name of the host", async () => {
    const { post, finished } = await startPages(connected);
    const response = await post({
      Origin: "https://knack.example.com",
      "Sec-Fetch-Site": "same-origin",
    });
    expect(response.status).toBe(200);
    expect(finished).toHaveLength(1);
  });

  it.each([
    ["another site", { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }],
    ["another site, said by its Sec-Fetch-Site alone", { "Sec-Fetch-Site": "cross-site" }],
    ["a neighbour of this site", { "Sec-Fetch-Site": "same-site" }],
    ["another site, in a browser without Sec-Fetch-Site", { Origin: "https://evil.example" }],
    ["nobody says where", { Origin: "null" }],
  ])("the login form connects nothing for a foreign origin: %s", async (_, headers) => {
    const { post, finished } = await startPages(connected);
    expect((await post(headers)).status).toBe(403);
    expect(finished).toEqual([]);
  });

  it("the login form is read no further than a login can write", async () => {
    const { post, finished } = await startPages(connected);
    expect((await post({}, `state=${"s".repeat(200_000)}`)).status).toBe(413);
    expect(finished).toEqual([]);
  });

  it("a login form that was sent twice says what became of the link", async () => {
    const { url, post } = await startPages({ ok: false, reason: "This link was used already." });
    const response = await post({ Origin: url, "Sec-Fetch-Site": "same-origin" });
    expect(response.status).toBe(400);
    expect(response.text).toContain("This link was used already.");
  });
});

describe("who the bot is for logins", () => {
  const document = { client_id: "https://bot.example.com/oauth/mcp/client.json" };

  it("the client document for logins is served at the bot's public address", async () => {
    const { url } = await startPages(connected, document);
    const response = await send(`${url}/oauth/mcp/client.json`);
    expect(JSON.parse(response.text)).toEqual(document);
  });

  it("the client document for logins does not exist without a public address", async () => {
    const { url } = await startPages(connected);
    expect((await send(`${url}/oauth/mcp/client.json`)).status).toBe(404);
  });
});
