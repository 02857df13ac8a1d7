import type { LoginServer } from "../login-port.ts";
import type { StoredTokens } from "./account-store.ts";
import { registeredClient } from "./client-registration.ts";
import type { LoginParts } from "./login-parts.ts";

/** Revokes tokens at the login, where it supports that (RFC 7009). Never fails: the bot has already deleted them. */
export async function revokeTokens(
  parts: LoginParts,
  server: LoginServer,
  stored: StoredTokens,
): Promise<void> {
  const { revocation_endpoint: endpoint, revocation_methods = [], tokens } = stored;
  const client = await registeredClient(parts, server);
  if (endpoint === undefined || client === undefined) return;
  const { selectClientAuthMethod } = await import("@modelcontextprotocol/client");
  const method = selectClientAuthMethod(client, revocation_methods);
  const { client_id, client_secret = "" } = client;
  const credentials = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`);
  const own = method === "client_secret_basic" ? {} : { client_id };
  const body = new URLSearchParams({
    token: tokens.refresh_token ?? tokens.access_token,
    token_type_hint: tokens.refresh_token === undefined ? "access_token" : "refresh_token",
    ...own,
    ...(method === "client_secret_post" ? { client_secret } : {}),
  });
  try {
    const response = await parts.fetchOf(server)(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(method === "client_secret_basic"
          ? { authorization: `Basic ${credentials.toString("base64")}` }
          : {}),
      },
      body,
    });
    await response.body?.cancel();
  } catch (error) {
    parts.report(error, server);
  }
}
