import { z } from "zod";

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
