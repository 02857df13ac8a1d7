import type { FetchLike } from "@modelcontextprotocol/client";
import type { Clock, Mutex } from "../../core/ports/storage.ts";
import type { LoginServer } from "../login-port.ts";
import type { AccountStore } from "./account-store.ts";

/** What the parts of the login need. */
export interface LoginParts {
  accounts: AccountStore;
  /** Of all processes that share the accounts. */
  mutex: Mutex;
  clock: Pick<Clock, "now">;
  /** Redirect address of a login; it can change with the port of the bot. */
  redirectUrl(): string;
  /** Address at which a login can read this client's metadata, if it is public; it is the client's id (CIMD). */
  clientMetadataUrl?: string | undefined;
  /** A fetch for the login of a server. */
  fetchOf(server: LoginServer): FetchLike;
  /** An account has tokens. */
  connected(server: LoginServer, account: string): void;
  /** A failure without consequences for anybody. */
  report(error: unknown, server: LoginServer): void;
}
