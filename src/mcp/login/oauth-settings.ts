import { z } from "zod";

const text = z.string().min(1);

/** How a server is logged in to, as far as the operator says (`knack.oauth` of its entry). */
export const oauthSettingsSchema = z.strictObject({
  /** A client that the operator registered with the login by hand; the bot registers itself unless given. */
  client_id: text.optional(),
  client_secret: text.optional(),
  /** Separated by spaces; what the server asks for unless given. */
  scope: text.optional(),
  /**
   * `client_credentials` and `cross_app_access` (a token of the company's identity provider stands for the account, SEP-990) need
   * no person at a link; `authorization_code` unless given.
   */
  grant: z.enum(["authorization_code", "client_credentials", "cross_app_access"]).optional(),
  /** Where the client was registered: its credentials go nowhere else. The first login that takes them, unless given. */
  issuer: text.optional(),
  /** A private key (PEM) for `client_credentials` with `private_key_jwt`, and its algorithm; ES256 unless given. */
  private_key: text.optional(),
  private_key_algorithm: text.optional(),
  /** For `cross_app_access`: who vouches for the account. `id_token` is the token it gave. */
  identity_provider: z
    .strictObject({ token_endpoint: z.url({ protocol: /^https?$/ }), client_id: text, id_token: text })
    .optional(),
});
export type OAuthSettings = z.infer<typeof oauthSettingsSchema>;

/** Values of the settings that must not be shown. */
export function secretsOfOAuth({ client_secret, private_key, identity_provider }: OAuthSettings): string[] {
  return [client_secret, private_key, identity_provider?.id_token].filter((each) => each !== undefined);
}
