import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Clock } from "../../core/ports/storage.ts";
import type { LoginServer } from "../login-port.ts";
import type { AccountStore } from "./account-store.ts";

/** What the parts of the login work with. */
export interface LoginParts {
  accounts: AccountStore;
  clock: Pick<Clock, "now">;
  /** Where a login comes back to; it can change with the port the bot got. */
  redirectUrl(): string;
  /** Where a login can read who this client is, if it is public: an address that is the client's id (CIMD). */
  clientMetadataUrl?: string | undefined;
  /** A fetch for the login of a server. */
  fetchOf(server: LoginServer): FetchLike;
  /** An account has tokens. */
  connected(server: LoginServer, account: string): void;
  /** A failure that changes nothing for anybody. */
  report(error: unknown, server: LoginServer): void;
}
