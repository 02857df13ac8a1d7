import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { describe, expect, it } from "vitest";
import { isOpenable } from "../../../src/mcp/login/begin-login.ts";
import { sharingProcesses } from "../../support/fakes/sharing-processes.ts";
import { startLogin } from "./login-fixture.ts";

const minutes = 60_000;

describe("connecting an account", () => {
  it("connecting an account lets connections of that account in, and no others", async () => {
    const { connectAccount, open, login, server } = await startLogin();
    await expect(open("ada")).rejects.toThrow(UnauthorizedError);
    const connected: string[] = [];
    login.onConnected((name, account) => connected.push(`${name} ${account}`));
    expect(await connectAccount("ada")).toEqual({
      ok: true,
      server: "notes",
      account: "ada",
      shown: "ada (Slack)",
    });
    const client = await open("ada");
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add"]);
    await expect(open("ben")).rejects.toThrow(UnauthorizedError);
    expect(connected).toEqual(["notes ada"]);
    expect([await login.isConnected(server, "ada"), await login.isConnected(server, "ben")]).toEqual([
      true,
      false,
    ]);
  });

  it("connecting accounts registers once for everybody, and again for another return address", async () => {
    const { connectAccount, remote, redirect } = await startLogin();
    await connectAccount("ada");
    await connectAccount("ben");
    redirect.url = "http://127.0.0.1:4001/oauth/mcp/callback";
    expect(await connectAccount("eve")).toMatchObject({ ok: true });
    expect(remote.registered.map(({ redirect_uris }) => redirect_uris)).toEqual([
      ["http://127.0.0.1:4000/oauth/mcp/callback"],
      ["http://127.0.0.1:4001/oauth/mcp/callback"],
    ]);
  });

  it("connecting an account may begin in one process and end in another", async () => {
    const { begin, visit, openLogin, server } = await startLogin();
    const back = await visit(await begin("ada"));
    const other = openLogin();
    const before = await other.loginOf(server, "ada");
    expect(await other.finish(back)).toMatchObject({ ok: true, account: "ada" });
    expect([before, typeof (await other.loginOf(server, "ada"))]).toEqual([undefined, "string"]);
  });

  it("connecting accounts at the same time registers once, whatever process makes the link", async () => {
    const { openLogin, visit, server, remote } = await startLogin();
    const processes = sharingProcesses();
    const logins = [openLogin(processes.next()), openLogin(processes.next())];
    const begun = await Promise.all(logins.map((login, at) => login.begin(server, `person ${at}`, "Ada")));
    expect(remote.registered).toHaveLength(1);
    for (const each of begun) {
      const back = await visit(each.ok ? each.url : "");
      expect(await logins[0]?.finish(back)).toMatchObject({ ok: true });
    }
  });

  it("connecting an account takes the one the link was made for, whoever comes back first", async () => {
    const { begin, visit, login, server } = await startLogin();
    const [ada, ben] = [await visit(await begin("ada")), await visit(await begin("ben"))];
    expect(await login.finish(ben)).toMatchObject({ ok: true, account: "ben" });
    expect(await login.isConnected(server, "ada")).toBe(false);
    expect(await login.finish(ada)).toMatchObject({ ok: true, account: "ada" });
  });

  it("forgetting an account ends the link that was made for it, and no other", async () => {
    const { begin, visit, login, server } = await startLogin();
    const [ada, ben] = [await visit(await begin("ada")), await visit(await begin("ben"))];
    await login.forget(server, "ada");
    expect(await login.finish(ada)).toMatchObject({ ok: false });
    expect(await login.finish(ben)).toMatchObject({ ok: true, account: "ben" });
  });

  it("connecting an account asks for a proof that only the maker of the link has", async () => {
    const { begin, visit, login } = await startLogin();
    const [ada, ben] = [await visit(await begin("ada")), await visit(await begin("ben"))];
    const swapped = await login.finish({ ...ada, code: ben.code });
    expect(swapped).toMatchObject({
      ok: false,
      reason: expect.stringContaining("invalid_grant (no such grant)"),
    });
  });
});

describe("a link", () => {
  it("a login link works once", async () => {
    const { begin, visit, login } = await startLogin();
    const back = await visit(await begin("ada"));
    expect(await login.finish(back)).toMatchObject({ ok: true });
    expect(await login.finish(back)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("already used"),
    });
  });

  it("a login link is not used up by looking where it leads, and says for whom it is", async () => {
    const { begin, visit, login, server } = await startLogin();
    const back = await visit(await begin("ada"));
    for (const _ of [1, 2]) {
      expect(await login.check(back)).toEqual({ ok: true, server: "notes", shown: "ada (Slack)" });
    }
    expect(await login.check({ ...back, error: "access_denied" })).toMatchObject({ ok: false });
    expect(await login.isConnected(server, "ada")).toBe(false);
    expect(await login.finish(back)).toMatchObject({ ok: true });
    expect(await login.check(back)).toMatchObject({ ok: false });
  });

  it("a login link to the shared account says so and names the asker, whatever that person is called", async () => {
    const { visit, login, server } = await startLogin();
    const begun = await login.begin(server, "*", `Ada\u202e\n${"x".repeat(200)}`);
    const checked = await login.check(await visit(begun.ok ? begun.url : ""));
    expect(checked).toMatchObject({ shown: `everybody, as Ada ${"x".repeat(95)}… asked` });
  });

  it("a login link works for ten minutes", async () => {
    const { begin, visit, login, clock } = await startLogin();
    const back = await visit(await begin("ada"));
    clock.advance(10 * minutes);
    expect(await login.check(back)).toMatchObject({ ok: false });
    expect(await login.finish(back)).toMatchObject({ ok: false });
  });

  it("a login link stops working when the person asked for another one", async () => {
    const { begin, visit, login } = await startLogin();
    const first = await visit(await begin("ada"));
    const second = await visit(await begin("ada"));
    expect(await login.finish(first)).toMatchObject({ ok: false });
    expect(await login.finish(second)).toMatchObject({ ok: true });
  });

  it.each([
    [{ error: "access_denied" }, "You did not let the bot use your account at notes."],
    [
      { error: "server_error", error_description: "a\nb‮c" },
      "The login of notes refused: server_error (a b c).",
    ],
    [
      { iss: "https://evil.example" },
      "The answer came from another login than the one you were sent to, so it was not used.",
    ],
    [{ code: undefined }, "The login of notes returned no code."],
  ])("a login link that comes back with %o connects nothing", async (change, reason) => {
    const { begin, visit, login, server } = await startLogin();
    const back = await visit(await begin("ada"));
    expect(await login.finish({ ...back, ...change })).toEqual({ ok: false, reason, server: "notes" });
    expect(await login.isConnected(server, "ada")).toBe(false);
  });

  it("a login link is refused without its issuer when the login promises to name it", async () => {
    const { begin, visit, login, remote } = await startLogin();
    remote.metadata = { authorization_response_iss_parameter_supported: true };
    const back = await visit(await begin("ada"));
    expect(await login.finish(back)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("another login"),
    });
    const again = await visit(await begin("ada"));
    expect(await login.finish({ ...again, iss: remote.origin })).toMatchObject({ ok: true });
  });

  it("a login link is not made where no client can register, and says what an operator does", async () => {
    const { login, server, remote } = await startLogin();
    remote.metadata = { registration_endpoint: undefined };
    const begun = await login.begin(server, "ada", "Ada (Slack)");
    expect(begun).toMatchObject({ ok: false, reason: expect.stringContaining("oauth.client_id") });
  });

  it("a login link is not made when the server is away, and says so", async () => {
    const { login, server } = await startLogin();
    const begun = await login.begin({ ...server, url: "http://127.0.0.1:1/mcp" }, "ada", "Ada (Slack)");
    expect(begun).toMatchObject({ ok: false, reason: expect.stringContaining("could not be reached") });
  });

  it.each([
    ["https://login.example.com/authorize", "https://tools.example.com/mcp", true],
    ["http://127.0.0.1:9/authorize", "http://127.0.0.1:8/mcp", true],
    ["http://login.example.com/authorize", "https://tools.example.com/mcp", false],
    ["file:///etc/passwd", "http://127.0.0.1:8/mcp", false],
    ["javascript:alert(1)", "http://127.0.0.1:8/mcp", false],
  ])("a login link to %s of %s is shown to people: %s", (link, server, shown) => {
    expect(isOpenable(new URL(link), server)).toBe(shown);
  });
});

describe("tokens", () => {
  it("expired tokens are renewed", async () => {
    const { connectAccount, open, remote } = await startLogin();
    await connectAccount("ada");
    const client = await open("ada");
    remote.expire();
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(remote.log).toEqual(["register", "token authorization_code", "token refresh_token"]);
  });

  it("expired tokens are renewed once for several requests, so that a single-use token is not used twice", async () => {
    const { connectAccount, open, remote } = await startLogin();
    await connectAccount("ada");
    const client = await open("ada");
    remote.expire();
    await Promise.all([client.listTools(), client.listTools(), client.listTools()]);
    remote.expire();
    await client.listTools();
    expect(remote.log.filter((line) => line === "token authorization_code")).toHaveLength(1);
  });

  it("expired tokens are renewed once by processes that share the account", async () => {
    const { connectAccount, open, openLogin, server, remote } = await startLogin();
    const processes = sharingProcesses();
    const logins = [openLogin(processes.next()), openLogin(processes.next())];
    await connectAccount("ada");
    const clients = await Promise.all(logins.map((login) => open("ada", server, login)));
    for (let times = 0; times < 3; times += 1) {
      remote.expire();
      await Promise.all(clients.flatMap((client) => [client.listTools(), client.listTools()]));
    }
    expect(remote.log.filter((line) => line === "token authorization_code")).toHaveLength(1);
    expect(await logins[0]?.isConnected(server, "ada")).toBe(true);
  });

  it("tokens that allow too little for one process are renewed by it after the login through another one", async () => {
    const { connectAccount, open, openLogin, server, remote } = await startLogin();
    await connectAccount("ada");
    const client = await open("ada", server, openLogin());
    remote.needed.scope = "write";
    await expect(client.callTool({ name: "add", arguments: {} })).rejects.toThrow(UnauthorizedError);
    expect(await connectAccount("ada")).toMatchObject({ ok: true });
    remote.expire();
    expect(await client.callTool({ name: "add", arguments: {} })).toMatchObject({
      content: [{ type: "text", text: "done" }],
    });
  });

  it("tokens that cannot be renewed are forgotten, and the connection asks for a login", async () => {
    const { connectAccount, open, remote, login, server } = await startLogin();
    await connectAccount("ada");
    const client = await open("ada");
    remote.forgetGrants();
    await expect(client.listTools()).rejects.toThrow(UnauthorizedError);
    expect(await login.isConnected(server, "ada")).toBe(false);
  });

  it("tokens are revoked at the login when the person disconnects", async () => {
    const { connectAccount, login, server, remote, failures } = await startLogin();
    await connectAccount("ada");
    await connectAccount("ben");
    await login.forget(server, "ada");
    expect(remote.log.at(-1)).toBe("revoke refresh_token");
    expect([await login.isConnected(server, "ada"), await login.isConnected(server, "ben")]).toEqual([
      false,
      true,
    ]);
    expect(failures).toEqual([]);
  });

  it("tokens are not known at another address [server-5]", async () => {
    const { connectAccount, open, login, server } = await startLogin();
    const elsewhere = await startLogin();
    await connectAccount("ada");
    const moved = { ...server, url: elsewhere.server.url };
    expect(await login.isConnected(moved, "ada")).toBe(false);
    await expect(open("ada", moved)).rejects.toThrow(UnauthorizedError);
    expect(elsewhere.remote.headers["/mcp"]?.authorization).toBeUndefined();
  });

  it("tokens that do not allow enough lead to a login that asks for more", async () => {
    const { connectAccount, open, remote, begin } = await startLogin();
    await connectAccount("ada");
    const client = await open("ada");
    remote.needed.scope = "write";
    await expect(client.callTool({ name: "add", arguments: {} })).rejects.toThrow(UnauthorizedError);
    expect(new URL(await begin("ada")).searchParams.get("scope")).toBe("read write");
    expect(await connectAccount("ada")).toMatchObject({ ok: true });
    expect(await client.callTool({ name: "add", arguments: {} })).toMatchObject({
      content: [{ text: "done" }],
    });
  });

  it("tokens of a program are requested with its credentials, and nobody is given a link", async () => {
    const oauth = { grant: "client_credentials", client_id: "bot", client_secret: "configured" } as const;
    const { open, login, server, remote } = await startLogin(oauth);
    const client = await open("*");
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(remote.log).toEqual(["token client_credentials"]);
    expect(await login.begin(server, "*", "Ada (Slack)")).toMatchObject({ ok: false });
  });
});

describe("a client that the operator registered", () => {
  it("an operator's registered client is used instead of registering", async () => {
    const { connectAccount, remote } = await startLogin({ client_id: "bot", client_secret: "configured" });
    expect(await connectAccount("ada")).toMatchObject({ ok: true });
    expect(remote.log).toEqual(["token authorization_code"]);
    const credentials = Buffer.from("bot:configured").toString("base64");
    expect(remote.headers["/token"]?.authorization).toBe(`Basic ${credentials}`);
  });

  it("an operator's registered client is shown only to its own login", async () => {
    const oauth = { grant: "client_credentials", client_id: "bot", client_secret: "configured" } as const;
    const { open, remote } = await startLogin({ ...oauth, issuer: "https://login.example.com" });
    await expect(open("*")).rejects.toThrow();
    expect(remote.log).toEqual([]);
  });
});
