import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { OAuthSettings } from "./login/oauth-settings.ts";

/** A tool server that can be logged in to, as it is configured. Two that differ in name or address are two servers. */
export interface LoginServer {
  name: string;
  url: string;
  credentials: "shared" | "per_user";
  oauth: OAuthSettings;
}

/** The account of `shared` credentials. Every other account is the person (`personKey`) it belongs to. */
export const sharedAccount = "*";

/** Accounts of people and of the bot with tool servers. The one place that knows tokens. */
export interface McpLogin {
  /**
   * What a connection authenticates with. It refreshes tokens and never begins a login: where a person is needed,
   * `redirectToAuthorization` does nothing and the SDK's `UnauthorizedError` ends the connection. Asked for once per connection.
   */
  providerFor(server: LoginServer, account: string): OAuthClientProvider;
  /**
   * What a connection to a server with a login fetches with (the `fetch` option of its transport): the server itself as it is, and
   * whatever addresses it names for its login only as the guard of the network lets pass, without the headers of its configuration.
   * Sees when the server wants more than the account was granted.
   * @param headers those the configuration adds to requests to the server; not to be given to the transport as well
   */
  fetchFor(server: LoginServer, account: string, headers?: Readonly<Record<string, string>>): FetchLike;
  /** Whether tokens of this account are stored; they may have run out. */
  isConnected(server: LoginServer, account: string): Promise<boolean>;
  /**
   * The address at which the person connects this account; single use, to be given to them alone.
   * @param shown who asked for it, for the page on which whoever opened the link confirms it
   */
  begin(
    server: LoginServer,
    account: string,
    shown: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Forgets the tokens of this account, and takes them back at the server where it can. */
  forget(server: LoginServer, account: string): Promise<void>;
  /** Calls back whenever an account was connected, with the server's name; the answer ends that. */
  onConnected(listener: (server: string, account: string) => void): () => void;
}
