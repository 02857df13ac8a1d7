import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import { errorText } from "../../base/error-text.ts";
import { oneLine } from "../../base/markdown-text.ts";
import type { LoginServer, OAuthSettings } from "../login-port.ts";
import type { LoginParts } from "./login-parts.ts";

type Grant = Pick<OAuthClientProvider, "prepareTokenRequest" | "addClientAuthentication">;

/** A login is impossible as configured, or the identity provider refused it. The message says what to change. */
class GrantError extends Error {
  readonly code = "grant_failed";
}

/** How tokens are requested where nobody opens a link. */
export function grantPart(
  parts: LoginParts,
  server: LoginServer,
  discovery: () => OAuthDiscoveryState | undefined,
): Grant {
  switch (server.oauth.grant) {
    case "client_credentials":
      return {
        prepareTokenRequest: (scope) =>
          scoped({ grant_type: "client_credentials" }, scope ?? wantedScope(discovery())),
        ...keyPart(server.oauth),
      };
    case "cross_app_access":
      return {
        async prepareTokenRequest(scope) {
          const assertion = await vouchedFor(parts, server, discovery());
          return scoped({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }, scope);
        },
      };
    case "authorization_code":
    case undefined:
      return {};
    default:
      return server.oauth.grant satisfies never;
  }
}

function scoped(params: Record<string, string>, scope: string | undefined): URLSearchParams {
  return new URLSearchParams({ ...params, ...(scope === undefined ? {} : { scope }) });
}

function wantedScope(discovery: OAuthDiscoveryState | undefined): string | undefined {
  const scopes = discovery?.resourceMetadata?.scopes_supported;
  return scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" ");
}

/** The client authenticates with a signature (RFC 7523) instead of a secret. */
function keyPart({ client_id = "", private_key, private_key_algorithm = "ES256" }: OAuthSettings): Grant {
  if (private_key === undefined) return {};
  return {
    async addClientAuthentication(headers, params, url, metadata) {
      const { createPrivateKeyJwtAuth } = await import("@modelcontextprotocol/client");
      const sign = createPrivateKeyJwtAuth({
        issuer: client_id,
        subject: client_id,
        privateKey: private_key,
        alg: private_key_algorithm,
      });
      await sign(headers, params, url, metadata);
    },
  };
}

/** The identity provider's assertion for the account, issued for the login of this server (SEP-990, RFC 8693). */
async function vouchedFor(
  { fetchOf }: LoginParts,
  server: LoginServer,
  discovery: OAuthDiscoveryState | undefined,
): Promise<string> {
  const provider = server.oauth.identity_provider;
  if (provider === undefined) {
    throw new GrantError(`The login of ${server.name} needs oauth.identity_provider in the configuration.`);
  }
  const metadata = discovery?.authorizationServerMetadata;
  try {
    const { requestJwtAuthorizationGrant } = await import("@modelcontextprotocol/client");
    const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
      tokenEndpoint: provider.token_endpoint,
      audience: metadata?.issuer ?? String(discovery?.authorizationServerUrl ?? ""),
      resource: discovery?.resourceMetadata?.resource ?? server.url,
      idToken: provider.id_token,
      clientId: provider.client_id,
      fetchFn: fetchOf(server),
    });
    return jwtAuthGrant;
  } catch (cause) {
    throw new GrantError(
      `The identity provider does not vouch for this account with ${server.name} (${oneLine(errorText(cause), 200)}). ` +
        "Its token may have expired: renew oauth.identity_provider.id_token.",
      { cause },
    );
  }
}
