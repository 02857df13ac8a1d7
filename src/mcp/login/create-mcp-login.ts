import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { KeyedMutex } from "../../base/keyed-mutex.ts";
import type { Clock, KeyValue, Mutex } from "../../core/ports/storage.ts";
import type { Web } from "../../core/ports/web.ts";
import type { LoginServer, McpLogin } from "../login-port.ts";
import { createAccountStore } from "./account-store.ts";
import { clientDocument, clientMetadataOf, clientPart, needsPerson } from "./client-registration.ts";
import type { LoginReturn } from "./finish-login.ts";
import { grantPart } from "./grants.ts";
import { createLoginFetch, withDeadline } from "./login-fetch.ts";
import type { LoginParts } from "./login-parts.ts";
import { createStepUps, renewOnce, type StepUps, tokensPart } from "./tokens-part.ts";

export interface McpLoginOptions {
  /** Encrypted: it holds tokens. */
  store: KeyValue;
  /** Of all processes that share the store; without it, there is one. */
  mutex?: Mutex | undefined;
  /** For the addresses that servers name as their login: guarded. */
  web: Pick<Web, "fetch">;
  clock: Pick<Clock, "now">;
  /** Redirect address of a login, e.g. `https://knack.example.com/oauth/mcp/callback`. Requested each time. */
  redirectUrl(): string;
  /** Address that serves `clientDocument`, if the bot is publicly reachable there: https, not at the root. */
  clientMetadataUrl?: string | undefined;
  /** Failures without consequences for anybody, for the log. */
  report(error: unknown, where: string): void;
}

/** The login, and its part for the HTTP server. */
export type McpLoginWithReturn = ReturnType<typeof createMcpLogin>;

/** Accounts of people and of the bot with tool servers. Logins are rare, so their code is loaded with the first one. */
export function createMcpLogin(options: McpLoginOptions) {
  const accounts = createAccountStore(options.store);
  const stepUps = createStepUps(accounts);
  const listeners = new Set<(server: string, account: string) => void>();
  const { mutex = new KeyedMutex(), clock, redirectUrl, clientMetadataUrl, web } = options;
  const parts: LoginParts = {
    accounts,
    mutex,
    clock,
    redirectUrl,
    clientMetadataUrl,
    fetchOf: ({ url }) => withDeadline(createLoginFetch(url, web)),
    connected({ name }, account) {
      for (const listener of listeners) listener(name, account);
    },
    report: (error, { name }) => options.report(error, `the login of the tool server ${name}`),
  };
  const loginOf = async (server: LoginServer, account: string) => {
    if (!needsPerson(server)) return "";
    const stored = await accounts.tokens(server, account);
    return stored ? (stored.login ?? "") : undefined;
  };
  const login: McpLogin = {
    providerFor: (server, account) => createConnectionProvider(parts, stepUps, server, account),
    fetchFor: (server, account, headers) =>
      stepUps.watch(
        renewOnce(createLoginFetch(server.url, web, headers), parts, server, account),
        server,
        account,
      ),
    loginOf,
    isConnected: async (server, account) => (await loginOf(server, account)) !== undefined,
    begin: async (server, account, shown) =>
      (await import("./begin-login.ts")).beginLogin(parts, server, { account, shown }),
    async forget(server, account) {
      const stored = await accounts.tokens(server, account);
      await accounts.removeTokens(server, account);
      await accounts.dropPending(server, account);
      if (!stored) return;
      const { revokeTokens } = await import("./revoke-tokens.ts");
      await revokeTokens(parts, server, stored);
    },
    onConnected(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    ...login,
    /** What `finish` would connect, or why not. Changes nothing, so link previews may ask too. */
    check: async (returned: LoginReturn) => (await import("./finish-login.ts")).checkLogin(parts, returned),
    /** A person came back from a login and confirmed it. Never throws, whatever the address contains. */
    finish: async (returned: LoginReturn) => (await import("./finish-login.ts")).finishLogin(parts, returned),
    /** The metadata of this client, for logins that fetch it; undefined when it is not public. */
    clientDocument: () =>
      clientMetadataUrl === undefined ? undefined : clientDocument(clientMetadataUrl, redirectUrl()),
  };
}

/** Authenticates a connection. It refreshes tokens and never begins a login: a person has to ask for a link. */
function createConnectionProvider(
  parts: LoginParts,
  stepUps: StepUps,
  server: LoginServer,
  account: string,
): OAuthClientProvider {
  let discovery: OAuthDiscoveryState | undefined;
  const interactive = needsPerson(server);
  return {
    get redirectUrl() {
      return interactive ? parts.redirectUrl() : undefined;
    },
    get clientMetadata() {
      const methods = discovery?.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
      return clientMetadataOf(server, parts.redirectUrl(), methods);
    },
    ...(parts.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: parts.clientMetadataUrl }),
    ...clientPart(parts, server),
    ...grantPart(parts, server, () => discovery),
    ...tokensPart(parts, stepUps, server, account, () => discovery),
    saveDiscoveryState(found) {
      discovery = found;
    },
    redirectToAuthorization: () => stepUps.clear(server, account),
    saveCodeVerifier() {},
    codeVerifier() {
      throw new Error("A connection does not exchange codes.");
    },
  };
}
