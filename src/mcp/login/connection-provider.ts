import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { LoginServer } from "../login-port.ts";
import { clientMetadataOf, clientPart, needsPerson } from "./client-registration.ts";
import { grantPart } from "./grants.ts";
import type { LoginParts } from "./login-parts.ts";
import type { StepUps } from "./step-ups.ts";
import { tokensPart } from "./tokens-part.ts";

/** What a connection authenticates with. It refreshes tokens, and never begins a login: a person has to ask for a link. */
export function createConnectionProvider(
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
