import { randomBytes } from "node:crypto";
import type { FetchLike, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { LoginServer } from "../login-port.ts";
import { loginFailure } from "../said-text.ts";
import { keyOf, type PendingLogin } from "./account-store.ts";
import {
  clientMetadataOf,
  clientPart,
  needsPerson,
  registeredClient,
  registrationProblem,
} from "./client-registration.ts";
import type { LoginParts } from "./login-parts.ts";

/** Lifetime of a link, ms. */
const linkMs = 10 * 60_000;

export type BegunLogin = { ok: true; url: string } | { ok: false; reason: string };

/** The person a link is for. */
type LinkFor = Pick<PendingLogin, "account" | "shown">;

/** Creates the link at which a person connects an account. The previous one stops working. */
export async function beginLogin(
  parts: LoginParts,
  server: LoginServer,
  person: LinkFor,
): Promise<BegunLogin> {
  if (!needsPerson(server)) {
    const reason = `${server.name} uses the login of its configuration: nobody has to connect an account.`;
    return { ok: false, reason };
  }
  return await makeLink(parts, server, person).catch((error: unknown) => {
    return { ok: false, reason: loginFailure(server.name, error) };
  });
}

async function makeLink(
  parts: LoginParts,
  server: LoginServer,
  { account, shown }: LinkFor,
): Promise<BegunLogin> {
  const { auth, discoverOAuthServerInfo } = await import("@modelcontextprotocol/client");
  const send = parts.fetchOf(server);
  const asked = await askedFor(send, server.url);
  const wanted = await parts.accounts.wanted(server, account);
  const resourceMetadataUrl = asked.resourceMetadataUrl ?? urlOf(wanted.resource_metadata_url);
  const where = { fetchFn: send, ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }) };
  const found = await discoverOAuthServerInfo(server.url, where).catch(async (error: unknown) => {
    // Servers of before MCP 2025-06-18 describe their login themselves, some under another name. Nobody else could have named it.
    const own = await discoverOAuthServerInfo(server.url, { ...where, skipIssuerMetadataValidation: true });
    if (own.resourceMetadata !== undefined) throw error;
    return own;
  });
  const discovery: OAuthDiscoveryState = {
    ...found,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
  };
  const problem = registrationProblem(parts, server, await registeredClient(parts, server), discovery);
  if (problem !== undefined) return { ok: false, reason: problem };
  const granted = (await parts.accounts.tokens(server, account))?.tokens.scope;
  const rights = { granted, wanted: wanted.scope };
  const scope = wantedScope(server.oauth.scope ?? asked.scope, rights, discovery);
  const link = linkProvider(parts, server, discovery, scope);
  // The bot registers once, whoever asks for a link meanwhile: tokens belong to the client of their login.
  await parts.mutex.run(`mcp client ${keyOf(server)}`, () =>
    auth(link.provider, {
      serverUrl: server.url,
      fetchFn: send,
      ...(scope === undefined ? {} : { scope }),
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    }),
  );
  const { url, verifier, client } = link.made();
  if (!isOpenable(url, server.url))
    return { ok: false, reason: `The login of ${server.name} is at an address that is not safe to open.` };
  const now = parts.clock.now();
  const redirect_url = parts.redirectUrl();
  const expires_at = now + linkMs;
  const pending = { server, account, shown, verifier, client, discovery, redirect_url, expires_at };
  await parts.accounts.addPending(link.state, pending, now);
  return { ok: true, url: url.href };
}

interface Made extends Pick<PendingLogin, "verifier" | "client"> {
  url: URL;
}

/** Has no tokens, so the SDK creates a link; the link and its secrets stay here. */
function linkProvider(
  parts: LoginParts,
  server: LoginServer,
  discovery: OAuthDiscoveryState,
  scope: string | undefined,
): { provider: OAuthClientProvider; state: string; made(): Made } {
  const state = randomBytes(32).toString("base64url");
  const made: Partial<Made> = {};
  const methods = discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported;
  const metadata = clientMetadataOf(server, parts.redirectUrl(), methods);
  const client = clientPart(parts, server);
  const provider: OAuthClientProvider = {
    redirectUrl: parts.redirectUrl(),
    clientMetadata: { ...metadata, ...(scope === undefined ? {} : { scope }) },
    ...(parts.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: parts.clientMetadataUrl }),
    state: () => state,
    async clientInformation() {
      const known = await client.clientInformation();
      if (known !== undefined) made.client = known;
      return known;
    },
    async saveClientInformation(information) {
      made.client = information;
      await client.saveClientInformation?.(information);
    },
    tokens: () => undefined,
    saveTokens() {},
    discoveryState: () => discovery,
    saveCodeVerifier(verifier) {
      made.verifier = verifier;
    },
    codeVerifier: () => made.verifier ?? "",
    redirectToAuthorization(url) {
      made.url = url;
    },
  };
  return {
    provider,
    state,
    made() {
      const { url, verifier, client: used } = made;
      if (url === undefined || verifier === undefined || used === undefined) {
        throw new Error("The SDK made no link.");
      }
      return { url, verifier, client: used };
    },
  };
}

/** The server's answer to a client without an account: where its login is described, and the scopes to request. */
async function askedFor(
  send: FetchLike,
  url: string,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const response = await send(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" }),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

function urlOf(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

/** A person is sent only to a page that is encrypted, or as near as the server itself. */
export function isOpenable({ protocol }: URL, serverUrl: string): boolean {
  if (protocol === "https:") return true;
  return protocol === "http:" && new URL(serverUrl).protocol === "http:";
}

/**
 * The rights to request (MCP 2025-11-25, scope selection strategy): more than now if those were not enough; otherwise those of the
 * operator, those the server asked for, or all it knows. Includes the right to stay connected where the login offers it (SEP-2207).
 */
function wantedScope(
  /** By the operator, or else by the server, from a client without an account. */
  asked: string | undefined,
  /** The rights the account has now, and those that the server wanted because they are too few. */
  { granted, wanted }: { granted: string | undefined; wanted: string | undefined },
  discovery: OAuthDiscoveryState,
): string | undefined {
  const base =
    wanted === undefined
      ? (asked ?? discovery.resourceMetadata?.scopes_supported?.join(" "))
      : [asked, granted, wanted].filter((each) => each !== undefined).join(" ");
  const scopes = new Set((base ?? "").split(/\s+/).filter(Boolean));
  const offered = discovery.authorizationServerMetadata?.scopes_supported ?? [];
  if (offered.includes("offline_access")) scopes.add("offline_access");
  return scopes.size === 0 ? undefined : [...scopes].join(" ");
}
