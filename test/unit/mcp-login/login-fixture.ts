import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished } from "vitest";
import type { Mutex } from "../../../src/core/ports/storage.ts";
import { createMcpLogin } from "../../../src/mcp/login/create-mcp-login.ts";
import type { LoginReturn } from "../../../src/mcp/login/finish-login.ts";
import type { LoginServer, OAuthSettings } from "../../../src/mcp/login-port.ts";
import { createWeb } from "../../../src/net/create-web.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { startOAuthServer } from "./oauth-server.ts";

/** A login over a real tool server with OAuth. */
export async function startLogin(oauth: OAuthSettings = {}) {
  const remote = await startOAuthServer();
  const store = createMemoryKeyValue();
  const clock = createFakeClock();
  const redirect = { url: "http://127.0.0.1:4000/oauth/mcp/callback" };
  const failures: unknown[] = [];
  const openLogin = (mutex?: Mutex) =>
    createMcpLogin({
      store,
      mutex,
      clock,
      web: createWeb({ allow: [] }),
      redirectUrl: () => redirect.url,
      report: (error) => failures.push(error),
    });
  const login = openLogin();
  const server: LoginServer = { name: "notes", url: remote.url, credentials: "per_user", oauth };

  /** Follows a link as a browser does, and answers what the login sends back. */
  const visit = async (link: string): Promise<LoginReturn> => {
    const response = await fetch(link, { redirect: "manual" });
    return Object.fromEntries(new URL(response.headers.get("location") ?? "").searchParams);
  };
  const begin = async (account: string) => {
    const begun = await login.begin(server, account, `${account} (Slack)`);
    if (!begun.ok) throw new Error(begun.reason);
    return begun.url;
  };
  return {
    remote,
    store,
    clock,
    redirect,
    login,
    /** The login as another process has it. */
    openLogin,
    server,
    failures,
    visit,
    begin,
    async connectAccount(account: string) {
      return await login.finish(await visit(await begin(account)));
    },
    /** A session as connections have it. */
    async open(account: string, at: LoginServer = server, process = login) {
      const transport = new StreamableHTTPClientTransport(new URL(at.url), {
        authProvider: process.providerFor(at, account),
        fetch: process.fetchFor(at, account),
      });
      const client = new Client({ name: "test", version: "1" });
      onTestFinished(() => client.close());
      await client.connect(transport as Transport);
      return client;
    },
  };
}
