import { randomUUID } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { oneLine } from "../../base/markdown-text.ts";
import { sharedAccount } from "../login-port.ts";
import { loginFailure } from "../said-text.ts";
import type { PendingLogin } from "./account-store.ts";
import { clientMetadataOf } from "./client-registration.ts";
import type { LoginParts } from "./login-parts.ts";
import { storedTokens } from "./tokens-part.ts";

/** The parameters that the login adds to the redirect address. */
export interface LoginReturn {
  state?: string | undefined;
  code?: string | undefined;
  error?: string | undefined;
  error_description?: string | undefined;
  /** RFC 9207. */
  iss?: string | undefined;
}

interface RefusedLogin {
  ok: false;
  reason: string;
  server?: string;
}

/** What a login would do, for the page on which the person confirms it. `shown` is the person it is for. */
export type CheckedLogin = { ok: true; server: string; shown: string } | RefusedLogin;

/** The result of a login, for the page that the person sees. */
export type FinishedLogin = { ok: true; server: string; account: string; shown: string } | RefusedLogin;

/**
 * Whether the person who comes back can connect the account of the link. Nothing is used up: the link may have been opened by somebody
 * else, or by a program, so a confirmation follows.
 */
export async function checkLogin(parts: LoginParts, returned: LoginReturn): Promise<CheckedLogin> {
  const pending = await parts.accounts.readPending(returned.state ?? "", parts.clock.now());
  if (pending === undefined) return unknownLink;
  const server = pending.server.name;
  const reason = problemOf(pending, returned);
  return reason === undefined
    ? { ok: true, server, shown: shownFor(pending) }
    : { ok: false, reason, server };
}

/** Connects the account that the link was made for. A link works once, whatever the result. */
export async function finishLogin(parts: LoginParts, returned: LoginReturn): Promise<FinishedLogin> {
  const pending = await parts.accounts.takePending(returned.state ?? "", parts.clock.now());
  if (pending === undefined) return unknownLink;
  const server = pending.server.name;
  const problem = problemOf(pending, returned);
  if (problem !== undefined) return { ok: false, reason: problem, server };
  try {
    await exchange(parts, pending, returned);
  } catch (error) {
    return { ok: false, reason: loginFailure(server, error), server };
  }
  parts.connected(pending.server, pending.account);
  return { ok: true, server, account: pending.account, shown: shownFor(pending) };
}

const unknownLink: RefusedLogin = {
  ok: false,
  reason: "This link was already used, has expired (it works for ten minutes), or is not from this bot.",
};

/** People choose their own names, so a shown name is cut to one short line. */
function shownFor({ account, shown }: PendingLogin): string {
  const person = oneLine(shown, 100);
  return account === sharedAccount ? `everybody, as ${person} asked` : person;
}

function problemOf({ server, discovery }: PendingLogin, returned: LoginReturn): string | undefined {
  const { code, error, error_description = "", iss } = returned;
  const metadata = discovery.authorizationServerMetadata;
  const mustName =
    metadata !== undefined &&
    "authorization_response_iss_parameter_supported" in metadata &&
    metadata.authorization_response_iss_parameter_supported === true;
  if (metadata !== undefined && (iss ?? (mustName ? "" : metadata.issuer)) !== metadata.issuer) {
    return "The answer came from another login than the one you were sent to, so it was not used.";
  }
  if (error === "access_denied") return `You did not let the bot use your account at ${server.name}.`;
  if (error !== undefined) {
    const said = oneLine(error_description, 200);
    return `The login of ${server.name} refused: ${oneLine(error, 60)}${said === "" ? "" : ` (${said})`}.`;
  }
  return code === undefined || code === "" ? `The login of ${server.name} returned no code.` : undefined;
}

async function exchange(
  parts: LoginParts,
  pending: PendingLogin,
  { code = "", iss }: LoginReturn,
): Promise<void> {
  const { auth } = await import("@modelcontextprotocol/client");
  const { server, account, discovery, redirect_url, client, verifier } = pending;
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_url,
    clientMetadata: clientMetadataOf(server, redirect_url, undefined),
    clientInformation: () => client,
    async saveClientInformation(information) {
      await bindClient(parts, pending, information.issuer);
    },
    tokens: () => undefined,
    async saveTokens(tokens) {
      const stored = { ...storedTokens(tokens, discovery), login: randomUUID() };
      await parts.accounts.saveTokens(server, account, stored);
      await parts.accounts.saveWanted(server, account, {});
    },
    discoveryState: () => discovery,
    saveCodeVerifier() {},
    codeVerifier: () => verifier,
    redirectToAuthorization() {},
  };
  await auth(provider, {
    serverUrl: server.url,
    authorizationCode: code,
    ...(iss === undefined ? {} : { iss }),
    fetchFn: parts.fetchOf(server),
  });
}

/** A client that the operator registered is now bound to the login that accepted it. */
async function bindClient(
  parts: LoginParts,
  { server }: PendingLogin,
  issuer: string | undefined,
): Promise<void> {
  const { client_id } = server.oauth;
  if (client_id === undefined || issuer === undefined) return;
  await parts.accounts.saveClient(server, { information: { client_id, issuer } });
}
