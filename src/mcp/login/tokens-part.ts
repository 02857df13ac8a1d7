import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { LoginServer } from "../login-port.ts";
import type { StoredTokens } from "./account-store.ts";
import { needsPerson } from "./client-registration.ts";
import type { LoginParts } from "./login-parts.ts";
import type { StepUps } from "./step-ups.ts";

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
      if (tokens === undefined || !stepUps.has(server, account)) return tokens;
      // Renewed tokens would not allow more than these: without a refresh token, the SDK asks for a login.
      const { refresh_token: _, ...others } = tokens;
      return others;
    },
    async saveTokens(tokens) {
      const save = needsPerson(server) ? accounts.renewTokens : accounts.saveTokens;
      await save(server, account, storedTokens(tokens, discovery()));
    },
    async invalidateCredentials(scope) {
      if (scope === "tokens" || scope === "all") await accounts.dropTokens(server, account, lastSeen);
      if ((scope === "client" || scope === "all") && server.oauth.client_id === undefined) {
        await accounts.removeClient(server);
      }
    },
  };
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
