import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/client";
import type { LoginServer } from "../login-port.ts";
import type { LoginParts } from "./login-parts.ts";

const clientName = "Knack";

/** Whether a person has to open a link to connect an account. */
export function needsPerson({ oauth }: LoginServer): boolean {
  return (oauth.grant ?? "authorization_code") === "authorization_code";
}

/** The metadata of this client for a server's login (RFC 7591). `methods` are the authentication methods the login accepts. */
export function clientMetadataOf(
  server: LoginServer,
  redirectUrl: string,
  methods: readonly string[] | undefined,
): OAuthClientMetadata {
  const { scope } = server.oauth;
  const scopes = scope === undefined ? {} : { scope };
  if (!needsPerson(server)) {
    return { client_name: clientName, redirect_uris: [], grant_types: ["client_credentials"], ...scopes };
  }
  const method = ["client_secret_basic", "client_secret_post", "none"].find((each) =>
    methods?.includes(each),
  );
  return {
    ...codeClient(redirectUrl),
    ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
    ...scopes,
  };
}

/** A client whose accounts people connect. */
function codeClient(redirectUrl: string) {
  return {
    client_name: clientName,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** The document at `clientMetadataUrl` (draft-ietf-oauth-client-id-metadata-document): a client without a secret. */
export function clientDocument(clientMetadataUrl: string, redirectUrl: string): Record<string, unknown> {
  return {
    client_id: clientMetadataUrl,
    ...codeClient(redirectUrl),
    token_endpoint_auth_method: "none",
  };
}

/** The client for this login: registered by the operator, or by the bot itself with the current redirect address. */
export async function registeredClient(
  { accounts, redirectUrl }: LoginParts,
  server: LoginServer,
): Promise<OAuthClientInformationMixed | undefined> {
  const stored = await accounts.client(server);
  const { client_id, client_secret, issuer } = server.oauth;
  if (client_id === undefined) return stored?.redirect_url === redirectUrl() ? stored.information : undefined;
  const known = stored?.information.client_id === client_id ? stored.information.issuer : undefined;
  const bound = issuer ?? known;
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(bound === undefined ? {} : { issuer: bound }),
  };
}

/**
 * How a provider reads and stores its client. A client of the operator is bound to the first login that uses it, and to no other: a server
 * that names another login gets an error instead of the secret.
 */
export function clientPart(
  parts: LoginParts,
  server: LoginServer,
): Pick<OAuthClientProvider, "clientInformation" | "saveClientInformation"> {
  return {
    clientInformation: () => registeredClient(parts, server),
    async saveClientInformation(information) {
      const { client_id } = server.oauth;
      if (client_id === undefined) {
        await parts.accounts.saveClient(server, { information, redirect_url: parts.redirectUrl() });
      } else if (information.client_id === client_id) {
        const { issuer } = information;
        const bound = issuer === undefined ? {} : { issuer };
        await parts.accounts.saveClient(server, { information: { client_id, ...bound } });
      }
    },
  };
}

/** The reason why this login accepts no client, if any. */
export function registrationProblem(
  { clientMetadataUrl }: LoginParts,
  server: LoginServer,
  client: OAuthClientInformationMixed | undefined,
  { authorizationServerMetadata: metadata }: OAuthDiscoveryState,
): string | undefined {
  if (client !== undefined || metadata === undefined || metadata.registration_endpoint !== undefined)
    return undefined;
  const takesAddress =
    "client_id_metadata_document_supported" in metadata && metadata.client_id_metadata_document_supported;
  if (takesAddress === true && clientMetadataUrl !== undefined) return undefined;
  return (
    `The login of ${server.name} accepts no clients that register themselves. An operator registers the bot there, with the ` +
    "redirect address of this bot, and sets oauth.client_id (and oauth.client_secret) of the server in the configuration."
  );
}
