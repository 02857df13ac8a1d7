import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { LoginServer } from "../login-port.ts";
import type { AccountStore } from "./account-store.ts";

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
        const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
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
