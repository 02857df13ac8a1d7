import type { FetchLike, OAuthClientProvider } from "@modelcontextprotocol/client";
import { z } from "zod";

/** A tool server with a login, as it is configured. A different name or address makes it another server. */
export interface LoginServer {
  name: string;
  url: string;
  credentials: "shared" | "per_user";
  oauth: OAuthSettings;
}

/** The account of `shared` credentials. Every other account is the key (`personKey`) of the person it belongs to. */
export const sharedAccount = "*";

/** Accounts of people and of the bot with tool servers. The only part that knows tokens. */
export interface McpLogin {
  /**
   * Authenticates a connection. It refreshes tokens and never begins a login: where a person is needed, `redirectToAuthorization` does
   * nothing and the SDK's `UnauthorizedError` ends the connection. Requested once per connection.
   */
  providerFor(server: LoginServer, account: string): OAuthClientProvider;
  /**
   * The `fetch` option for the transport to a server with a login. It reaches the server itself directly, and the addresses that the server
   * names for its login only as the network guard allows, without the headers of the configuration. Notices when the server wants more
   * rights than the account has.
   * @param headers added by the configuration to requests to the server; not to be given to the transport as well
   */
  fetchFor(server: LoginServer, account: string, headers?: Readonly<Record<string, string>>): FetchLike;
  /** Identifies the login that the tokens of this account come from, which any process may have made; undefined without tokens. */
  loginOf(server: LoginServer, account: string): Promise<string | undefined>;
  /** Whether tokens of this account are stored; they may have expired. */
  isConnected(server: LoginServer, account: string): Promise<boolean>;
  /**
   * The address at which the person connects this account: single use, and for that person alone.
   * @param shown the person who asked, for the page on which whoever opened the link confirms it
   */
  begin(
    server: LoginServer,
    account: string,
    shown: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Deletes the tokens of this account, and revokes them at the server if it can. */
  forget(server: LoginServer, account: string): Promise<void>;
  /** Calls back whenever an account was connected by this process, with the server's name. The returned function unsubscribes. */
  onConnected(listener: (server: string, account: string) => void): () => void;
}

const text = z.string().min(1);

/** The login of a server, as far as the operator configured it (`knack.oauth` of its entry). */
export const oauthSettingsSchema = z.strictObject({
  /** A client that the operator registered by hand; by default the bot registers itself. */
  client_id: text.optional(),
  client_secret: text.optional(),
  /** Separated by spaces; by default, those the server asks for. */
  scope: text.optional(),
  /**
   * `client_credentials` and `cross_app_access` (a token of the company's identity provider replaces the login, SEP-990) need no person and
   * no link; default `authorization_code`.
   */
  grant: z.enum(["authorization_code", "client_credentials", "cross_app_access"]).optional(),
  /** The login at which the client was registered: its credentials are sent nowhere else. Default: the first login that accepts them. */
  issuer: text.optional(),
  /** A private key (PEM) for `client_credentials` with `private_key_jwt`, and its algorithm; default ES256. */
  private_key: text.optional(),
  private_key_algorithm: text.optional(),
  /** For `cross_app_access`: the identity provider that vouches for the account. `id_token` is the token it issued. */
  identity_provider: z
    .strictObject({ token_endpoint: z.url({ protocol: /^https?$/ }), client_id: text, id_token: text })
    .optional(),
});
export type OAuthSettings = z.infer<typeof oauthSettingsSchema>;

/** Values of the settings that must not be shown. */
export function secretsOfOAuth({ client_secret, private_key, identity_provider }: OAuthSettings): string[] {
  return [client_secret, private_key, identity_provider?.id_token].filter((each) => each !== undefined);
}
