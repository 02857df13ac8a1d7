import type {
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import type { LoginServer } from "../login-port.ts";
import { type AccountStore, keyOf, type StoredTokens } from "./account-store.ts";
import { needsPerson } from "./client-registration.ts";
import type { LoginParts } from "./login-parts.ts";

/** How a connection reads, renews and drops the tokens of its account. */
export function tokensPart(
  { accounts }: LoginParts,
  stepUps: StepUps,
  server: LoginServer,
  account: string,
  discovery: () => OAuthDiscoveryState | undefined,
): Pick<OAuthClientProvider, "tokens" | "saveTokens" | "invalidateCredentials"> {
  let lastSeen = "";
  return {
    async tokens() {
      const tokens = (await accounts.tokens(server, account))?.tokens;
      lastSeen = tokens?.access_token ?? "";
      if (tokens === undefined || !stepUps.has(server, account, lastSeen)) return tokens;
      // Renewed tokens would not allow more than these: without a refresh token, the SDK asks for a login.
      const { refresh_token: _, ...others } = tokens;
      return others;
    },
    async saveTokens(tokens) {
      // Those of a person were stored when they arrived, see `renewOnce`.
      if (!needsPerson(server)) await accounts.saveTokens(server, account, storedTokens(tokens, discovery()));
    },
    async invalidateCredentials(scope) {
      if (scope === "tokens" || scope === "all") await accounts.dropTokens(server, account, lastSeen);
      if ((scope === "client" || scope === "all") && server.oauth.client_id === undefined) {
        await accounts.removeClient(server);
      }
    },
  };
}

/**
 * A fetch that renews the tokens of an account once, however many requests of however many processes find them expired: a refresh token
 * often works once, and a second use would count as theft. The others get the tokens that were stored meanwhile.
 */
export function renewOnce(
  send: FetchLike,
  { accounts, mutex }: Pick<LoginParts, "accounts" | "mutex">,
  server: LoginServer,
  account: string,
): FetchLike {
  return async (url, init) => {
    const used = refreshTokenIn(init);
    if (used === undefined) return send(url, init);
    return await mutex.run(`mcp login ${keyOf(server)} ${account}`, async () => {
      const stored = await accounts.tokens(server, account);
      if (stored && stored.tokens.refresh_token !== used) return Response.json(stored.tokens);
      const response = await send(url, init);
      const renewed = await tokensIn(response);
      if (stored && renewed !== undefined) {
        const tokens = { ...stored.tokens, ...renewed };
        await accounts.renewTokens(server, account, { ...stored, tokens });
      }
      return response;
    });
  };
}

function refreshTokenIn(init: RequestInit | undefined): string | undefined {
  if (!(init?.body instanceof URLSearchParams)) return undefined;
  if (init.body.get("grant_type") !== "refresh_token") return undefined;
  return init.body.get("refresh_token") ?? undefined;
}

/** The tokens in an answer, as far as the SDK would accept them. The answer can still be read. */
async function tokensIn(response: Response): Promise<OAuthTokens | undefined> {
  if (!response.ok) return undefined;
  const { specTypeSchemas } = await import("@modelcontextprotocol/client");
  const said: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const read = specTypeSchemas.OAuthTokens["~standard"].validate(said);
  return read.issues === undefined ? read.value : undefined;
}

/** Tokens, and where they can be revoked if their login says so. */
export function storedTokens(tokens: OAuthTokens, discovery: OAuthDiscoveryState | undefined): StoredTokens {
  const metadata = discovery?.authorizationServerMetadata;
  return {
    tokens,
    revocation_endpoint: textOf(metadata, "revocation_endpoint"),
    revocation_methods: metadata?.token_endpoint_auth_methods_supported,
  };
}

function textOf(metadata: object | undefined, name: string): string | undefined {
  const value: unknown = metadata === undefined ? undefined : Reflect.get(metadata, name);
  return typeof value === "string" ? value : undefined;
}

export type StepUps = ReturnType<typeof createStepUps>;

/** Accounts whose connection was just rejected for missing rights (403, insufficient_scope). */
export function createStepUps(accounts: AccountStore) {
  /** The rejected authorization: tokens of a later login, which another process may have made, are others. */
  const rejected = new Map<string, string>();
  const keyOf = ({ name, url }: LoginServer, account: string) => JSON.stringify([name, url, account]);
  return {
    has: (server: LoginServer, account: string, accessToken: string) =>
      rejected.get(keyOf(server, account)) === `Bearer ${accessToken}`,
    clear: (server: LoginServer, account: string) => void rejected.delete(keyOf(server, account)),
    /** A fetch that notices such a rejection, and keeps the demanded scopes until the next login. */
    watch(send: FetchLike, server: LoginServer, account: string): FetchLike {
      return async (url, init) => {
        const response = await send(url, init);
        if (response.status !== 403 || new URL(url).origin !== new URL(server.url).origin) return response;
        const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
        const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
        if (error !== "insufficient_scope") return response;
        rejected.set(keyOf(server, account), new Headers(init?.headers).get("authorization") ?? "");
        const wanted = { scope, resource_metadata_url: resourceMetadataUrl?.href };
        await accounts.saveWanted(server, account, wanted);
        return response;
      };
    },
  };
}
