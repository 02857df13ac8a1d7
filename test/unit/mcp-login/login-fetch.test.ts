import { describe, expect, it } from "vitest";
import { createLoginFetch } from "../../../src/mcp/login/login-fetch.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { startLogin } from "./login-fixture.ts";
import { startOAuthServer } from "./oauth-server.ts";

const web = createWeb({ allow: [] });

describe("fetching for a tool server", () => {
  it("fetching for a tool server does not let a remote server send the bot to this machine", async () => {
    const inside = await startOAuthServer();
    const send = createLoginFetch("https://tools.example.com/mcp", web);
    await expect(send(`${inside.origin}/token`, { method: "POST" })).rejects.toMatchObject({
      code: "address_refused",
    });
    expect(inside.log).toEqual([]);
  });

  it("fetching for a tool server lets a server of this machine name a login of this machine", async () => {
    const [tools, inside] = [await startOAuthServer(), await startOAuthServer()];
    const send = createLoginFetch(tools.url, web);
    expect((await send(`${inside.origin}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });

  it("fetching gives the configured headers to the server only, even if every request carries them", async () => {
    const [tools, inside] = [await startOAuthServer(), await startOAuthServer()];
    const headers = { "x-api-key": "configured" };
    const send = createLoginFetch(tools.url, web, headers);
    await send(tools.url);
    await send(`${inside.origin}/register`, { headers: { "X-API-Key": "configured", accept: "text/plain" } });
    expect(tools.headers["/mcp"]?.["x-api-key"]).toBe("configured");
    expect(inside.headers["/register"]).toMatchObject({ accept: "text/plain" });
    expect(inside.headers["/register"]?.["x-api-key"]).toBeUndefined();
  });

  it("fetching for a tool server follows nothing that leads elsewhere", async () => {
    const tools = await startOAuthServer();
    const send = createLoginFetch(tools.url, web);
    const response = await send(`${tools.origin}/authorize?redirect_uri=http://127.0.0.1:1/`);
    expect(response.status).toBe(302);
  });
});

it.each(["<!doctype html><p>Welcome", "{}"])(
  "a login is found behind %s in place of its description",
  async (page) => {
    const { remote, connectAccount } = await startLogin();
    remote.page = page;
    remote.metadata = { scopes_supported: null, revocation_endpoint: null };
    expect(await connectAccount("ada")).toMatchObject({ ok: true });
  },
);
