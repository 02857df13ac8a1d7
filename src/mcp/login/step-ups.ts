import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { LoginServer } from "../login-port.ts";
import type { AccountStore } from "./account-store.ts";

/** Accounts whose connection was just rejected for missing rights (403, insufficient_scope). */
export interface StepUps {
  has(server: LoginServer, account: string): boolean;
  clear(server: LoginServer, account: string): void;
  /** A fetch that notices such a rejection, and keeps the demanded scopes until the next login. */
  watch(send: FetchLike, server: LoginServer, account: string): FetchLike;
}

export function createStepUps(accounts: AccountStore): StepUps {
  const rejected = new Set<string>();
  const keyOf = ({ name, url }: LoginServer, account: string) => JSON.stringify([name, url, account]);
  return {
    has: (server, account) => rejected.has(keyOf(server, account)),
    clear: (server, account) => void rejected.delete(keyOf(server, account)),
    watch: (send, server, account) => async (url, init) => {
      const response = await send(url, init);
      if (response.status !== 403 || new URL(url).origin !== new URL(server.url).origin) return response;
      const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/sdk/client/auth.js");
      const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
      if (error !== "insufficient_scope") return response;
      rejected.add(keyOf(server, account));
      await accounts.saveWanted(server, account, { scope, resource_metadata_url: resourceMetadataUrl?.href });
      return response;
    },
  };
}
