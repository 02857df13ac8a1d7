import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolContext } from "../core/tool.ts";

/** A client that the operator registered with the server's login by hand, as far as it was. */
export interface OAuthSettings {
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** Separated by spaces; what the server asks for unless given. */
  scope?: string | undefined;
  /** `client_credentials` needs no person; `authorization_code` unless given. */
  grant?: "authorization_code" | "client_credentials" | undefined;
  /** A private key (PEM) for `client_credentials` with `private_key_jwt`, and its algorithm; ES256 unless given. */
  private_key?: string | undefined;
  private_key_algorithm?: string | undefined;
}

/** A tool server that can be logged in to, as it is configured. Two that differ in name or address are two servers. */
export interface LoginServer {
  name: string;
  url: string;
  credentials: "shared" | "per_user";
  oauth: OAuthSettings;
}

/** The account of `shared` credentials. Every other account is the platform's id of the person it belongs to. */
export const sharedAccount = "*";

/** Accounts of people and of the bot with tool servers. The one place that knows tokens. */
export interface McpLogin {
  /**
   * What a connection authenticates with. It refreshes tokens and never begins a login: where a person is needed,
   * `redirectToAuthorization` does nothing and the SDK's `UnauthorizedError` ends the connection. Asked for once per connection.
   */
  providerFor(server: LoginServer, account: string): OAuthClientProvider;
  /** Whether tokens of this account are stored; they may have run out. */
  isConnected(server: LoginServer, account: string): Promise<boolean>;
  /** The address at which the person connects this account; single use, to be given to them alone. */
  begin(
    server: LoginServer,
    account: string,
  ): Promise<{ ok: true; url: string } | { ok: false; reason: string }>;
  /** Forgets the tokens of this account, and takes them back at the server where it can. */
  forget(server: LoginServer, account: string): Promise<void>;
  /** Calls back whenever an account was connected, with the server's name; the answer ends that. */
  onConnected(listener: (server: string, account: string) => void): () => void;
}

/**
 * What servers ask in the middle of a call. Both may throw `WaitingForPerson`: then they are called again with the same parameters
 * and a later context when the person answered. Other errors are told to the server as a refusal, without their text.
 */
export interface ServerRequests {
  /** What the client says it can: `{elicitation: {form: {}, url: {}}, sampling: {}}`. */
  capabilities: ClientCapabilities;
  /** @param server its name, for the question */
  elicit(server: string, params: ElicitRequest["params"], context: ToolContext): Promise<ElicitResult>;
  sample(
    server: string,
    params: CreateMessageRequest["params"],
    context: ToolContext,
  ): Promise<CreateMessageResult>;
}
