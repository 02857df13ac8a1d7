import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import type { McpLogin } from "../../../src/mcp/login-port.ts";
import type { ServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { type McpBench, openBench } from "../../support/skills/mcp-bench.ts";
import { type McpHttpServer, openMcpHttpServer } from "../../support/skills/mcp-http-server.ts";

const ok = (output: unknown) => ({ status: "ok", output });
let remote: McpHttpServer;
let bench: McpBench;
beforeEach(async () => {
  remote = await openMcpHttpServer();
});
afterEach(async () => {
  await bench.close();
  await remote.close();
});

/** Accounts that are connected are those with a token. */
function fakeLogin(tokens: Map<string, string>): McpLogin & { connected(account: string): void } {
  const listeners = new Set<Parameters<McpLogin["onConnected"]>[0]>();
  return {
    providerFor: (_server, account) => ({
      redirectUrl: "http://127.0.0.1/callback",
      clientMetadata: { redirect_uris: ["http://127.0.0.1/callback"] },
      clientInformation: () => ({ client_id: "knack" }),
      tokens: () => ({ access_token: tokens.get(account) ?? "", token_type: "Bearer" }),
      saveTokens: () => {},
      redirectToAuthorization: () => {},
      saveCodeVerifier: () => {},
      codeVerifier: () => "",
    }),
    fetchFor:
      (_server, _account, headers = {}) =>
      (address, init) =>
        fetch(address, {
          ...init,
          headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers },
        }),
    loginOf: async (_server, account) => tokens.get(account),
    isConnected: async (_server, account) => tokens.has(account),
    begin: async ({ name }, account) => ({ ok: true, url: `https://login/${name}/${account}` }),
    forget: async (_server, account) => void tokens.delete(account),
    onConnected: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connected(account) {
      for (const listener of listeners) listener("web", account);
    },
  };
}

const as = (id: string): Partial<ToolContext> => ({ user: { id, name: id, trust: "member" } });

describe("a server on Streamable HTTP", () => {
  it("an HTTP server gets the headers of its entry", async () => {
    bench = await openBench({ web: { url: remote.url, headers: { Authorization: "Bearer abcdef-123" } } });
    expect(await bench.servers.start("web")).toMatchObject({ state: "running", transport: "http" });
    // It came back masked: what was sent is in the server's record.
    expect(await bench.call("web", "whoami")).toEqual(ok("[secret]"));
    expect(new Set(remote.requests)).toEqual(new Set(["POST Bearer abcdef-123", "GET Bearer abcdef-123"]));
  });

  it("an HTTP server's header reaches nobody: in progress, in what it asks, or where its result is cut", async () => {
    const heard: string[] = [];
    const requests: ServerRequests = {
      capabilities: { elicitation: { form: {} }, sampling: {} },
      async elicit(_server, { message }) {
        heard.push(message);
        return { action: "accept", content: {} };
      },
      async sample(_server, { messages }) {
        heard.push(JSON.stringify(messages[0]?.content));
        return { role: "assistant", content: { type: "text", text: "Yes." }, model: "m" };
      },
    };
    const headers = { Authorization: "Bearer abcdef-123" };
    bench = await openBench({ web: { url: remote.url, headers } }, { requests });
    await bench.servers.start("web");
    const progress = (note: string) => void heard.push(note);
    const result = await bench.call("web", "tell", {}, { progress });
    const asked = '{"type":"text","text":"I hold [secret]"}';
    expect(heard).toEqual(["I hold [secret]", "I hold [secret]", asked]);
    expect(result).toMatchObject({ output: expect.stringMatching(/\.I hold \[se\n\[Cut: /) });
  });

  it.each([404, 400])(
    "an HTTP server that answers %i because it forgot the session gets a new one, and the call is made there",
    async (status) => {
      remote.unknownSession = status;
      bench = await openBench({ web: { url: remote.url } });
      await bench.servers.start("web");
      remote.forget();
      expect(await bench.call("web", "whoami")).toEqual(ok("undefined"));
      expect(remote.sessions()).toBe(2);
    },
  );

  it("an HTTP server is not followed to another origin [server-5]", async () => {
    const elsewhere = await openMcpHttpServer();
    remote.instead = (_request, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
      return true;
    };
    bench = await openBench({ web: { url: remote.url, type: "http" } });
    expect(await bench.servers.start("web")).toMatchObject({ state: "failed" });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("an HTTP server that needs an unconfigured login says what to do", async () => {
    remote.instead = (_request, response) => {
      response.writeHead(401).end();
      return true;
    };
    bench = await openBench({ web: { url: remote.url } });
    const { problem } = (await bench.servers.start("web")) ?? {};
    expect(problem).toMatch(/wants a login\. Give it a header, or set knack\.credentials/);
  });

  it("an HTTP server that is away is reported by its address, and the call after its return works", async () => {
    bench = await openBench({ web: { url: remote.url } });
    await bench.servers.start("web");
    remote.instead = (request) => {
      request.socket.destroy();
      return true;
    };
    expect(await bench.call("web", "whoami")).toMatchObject({ code: "server_lost" });
    remote.instead = undefined;
    expect(await bench.call("web", "whoami")).toEqual(ok("undefined"));
  });

  it("an HTTP server asks the person whose call it is, even while others call", async () => {
    const asked: string[] = [];
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
    const requests: ServerRequests = {
      capabilities: { elicitation: { form: {} } },
      async elicit(_server, _params, context) {
        asked.push(context.user.id);
        if (asked.length === 2) resolve();
        await bothAsked;
        return { action: "accept", content: { name: context.user.id } };
      },
      sample: () => Promise.reject(new Error("not in this test")),
    };
    bench = await openBench({ web: { url: remote.url } }, { requests });
    await bench.servers.start("web");
    const both = ["ada", "ben"].map((id) => bench.call("web", "ask", {}, as(id)));
    expect(await Promise.all(both)).toEqual([ok('accept {"name":"ada"}'), ok('accept {"name":"ben"}')]);
  });
});

it("an untyped answer to a call is read as JSON", async () => {
  bench = await openBench({ web: { url: remote.url } });
  await bench.servers.start("web");
  remote.instead = (request, response) => {
    if (request.method !== "POST") return false;
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const { id } = JSON.parse(text) as { id?: number };
      const result = { content: [{ type: "text", text: "plain" }] };
      response.writeHead(id === undefined ? 202 : 200);
      response.end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    return true;
  };
  expect(await bench.call("web", "whoami")).toMatchObject(ok("plain"));
});

describe("a server that means harm", () => {
  it("a hostile server can neither fill the log with progress nor have its tools read again and again", async () => {
    bench = await openBench({ web: { url: remote.url } });
    await bench.servers.start("web");
    const notes: string[] = [];
    const progress = (note: string) => void notes.push(note);
    expect(await bench.call("web", "chatter", {}, { progress })).toEqual(ok("done"));
    expect(notes).toHaveLength(300);
    expect(Math.max(...notes.map((note) => note.length))).toBe(200);
    expect(remote.requests.length).toBeLessThan(250);
  });

  it.each(["application/json", "text/event-stream"])(
    "a hostile server cannot fill the memory with an endless answer (%s)",
    async (type) => {
      bench = await openBench({ web: { url: remote.url, knack: { timeout_seconds: 0.5 } } });
      await bench.servers.start("web");
      let sent = 0;
      const { promise: broken, resolve } = Promise.withResolvers<void>();
      remote.instead = (request, response) => {
        if (request.method !== "POST") return false;
        response.writeHead(200, { "content-type": type });
        response.write(type === "application/json" ? '{"a":"' : "data: ");
        const piece = Buffer.alloc(1_000_000, "x");
        response.on("close", resolve);
        const more = () => {
          while (!response.destroyed && sent < 400_000_000) {
            sent += piece.length;
            if (!response.write(piece)) return void response.once("drain", more);
          }
          response.end();
        };
        more();
        return true;
      };
      const result = bench.call("web", "whoami");
      await broken;
      expect(sent).toBeLessThan(100_000_000);
      expect(await result).toMatchObject({ status: "error" });
    },
  );
});

describe("accounts", () => {
  const perUser = () => ({ web: { url: remote.url, knack: { credentials: "per_user" } } });

  it("accounts are personal: no connection is shared", async () => {
    const login = fakeLogin(
      new Map([
        ["console:local:ada", "token-of-ada"],
        ["console:local:ben", "token-of-ben"],
      ]),
    );
    bench = await openBench(perUser(), { login });
    expect((await bench.skill("mcp_web")).problems?.[0]).toMatch(/\/mcp login web connects yours/);
    login.connected("console:local:ada");
    await bench.until("web", "running");
    expect(await bench.call("web", "whoami", {}, as("ada"))).toEqual(ok("Bearer token-of-ada"));
    expect(await bench.call("web", "whoami", {}, as("ben"))).toEqual(ok("Bearer token-of-ben"));
    expect(remote.sessions()).toBe(2);
    const result = await bench.call("web", "whoami", {}, as("cleo"));
    expect(result).toMatchObject({ code: "needs_login", hint: expect.stringContaining("/mcp login web") });
    expect(remote.sessions()).toBe(2);
  });

  it("accounts keep their connection while a call of theirs waits, and lose it after long disuse", async () => {
    const login = fakeLogin(new Map([["console:local:ada", "token-of-ada"]]));
    const clock = createFakeClock();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<{ action: "accept"; content: { name: string } }>();
    const requests: ServerRequests = {
      capabilities: { elicitation: { form: {} } },
      elicit() {
        asked.resolve();
        return answered.promise;
      },
      sample: () => Promise.reject(new Error("not in this test")),
    };
    bench = await openBench(perUser(), { login, requests, clock });
    login.connected("console:local:ada");
    await bench.until("web", "running");
    const call = bench.call("web", "ask", {}, as("ada"));
    await asked.promise;
    clock.advance(25 * 60_000);
    answered.resolve({ action: "accept", content: { name: "ada" } });
    expect(await call).toEqual(ok('accept {"name":"ada"}'));
    expect(bench.servers.list()[0]?.state).toBe("running");
    clock.advance(10 * 60_000);
    expect(bench.servers.list()[0]?.state).toBe("stopped");
  });

  it("accounts that were disconnected are no longer used", async () => {
    const login = fakeLogin(new Map([["console:local:ada", "token-of-ada"]]));
    bench = await openBench(perUser(), { login });
    login.connected("console:local:ada");
    await bench.until("web", "running");
    await bench.servers.logout("web", "console:local:ada");
    expect(await bench.call("web", "whoami", {}, as("ada"))).toMatchObject({ code: "needs_login" });
  });

  it("the bot's account is for everybody, and the skill waits for it", async () => {
    const tokens = new Map<string, string>();
    const login = fakeLogin(tokens);
    bench = await openBench({ web: { url: remote.url, knack: { credentials: "shared" } } }, { login });
    bench.start();
    await bench.until("web", "needs_login");
    expect(remote.requests).toEqual([]);
    expect((await bench.skill("mcp_web")).problems?.[0]).toMatch(/an operator connects one/);
    expect(await bench.servers.login("web", "ada")).toEqual({ ok: true, url: "https://login/web/*" });
    tokens.set("*", "token-of-all");
    login.connected("*");
    await bench.until("web", "running");
    expect(await bench.call("web", "whoami", {}, as("cleo"))).toEqual(ok("Bearer token-of-all"));
  });

  it("accounts that another process connects, or connects anew, are used, with what that process learned of the server", async () => {
    const tokens = new Map<string, string>();
    const shared = { web: { url: remote.url, knack: { credentials: "shared" } } };
    bench = await openBench(shared, { login: fakeLogin(tokens) });
    await using other = await openBench(shared, { login: fakeLogin(tokens), store: bench.store });
    other.start();
    await other.until("web", "needs_login");
    bench.start();
    await bench.until("web", "needs_login");
    tokens.set("*", "first");
    expect(await bench.servers.start("web")).toMatchObject({ state: "running" });
    expect(await other.call("web", "whoami", {}, as("cleo"))).toEqual(ok("Bearer first"));
    const sessions = remote.sessions();
    tokens.set("*", "second");
    expect(await other.call("web", "whoami", {}, as("cleo"))).toEqual(ok("Bearer second"));
    expect(remote.sessions()).toBe(sessions + 1);
    tokens.clear();
    expect(await other.call("web", "whoami", {}, as("cleo"))).toMatchObject({ code: "needs_login" });
  });

  it("accounts are not for servers that need none", async () => {
    bench = await openBench({ web: { url: remote.url } });
    expect(await bench.servers.login("web", "ada")).toMatchObject({ ok: false });
    expect(await bench.servers.login("other", "ada")).toMatchObject({ ok: false });
  });
});
