import type { Json } from "../../src/core/values/json.ts";

/** What the suite tells a client in MCP_CONFORMANCE_CONTEXT, as far as this one needs it. */
export interface ScenarioContext {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  idp_client_id?: string;
  idp_id_token?: string;
  idp_token_endpoint?: string;
  /** The calls to make; without them, one of each tool. */
  toolCalls?: { name: string; arguments: { [key: string]: Json } }[];
}

/** The entry of the suite's server in the configuration of the bot. */
export function scenarioEntry(
  url: string,
  scenario: string,
  given: ScenarioContext,
): Record<string, unknown> {
  if (!scenario.startsWith("auth/")) return { url };
  const { client_id, client_secret } = given;
  const oauth = { client_id, client_secret, ...grantOf(scenario, given) };
  return { url, knack: { credentials: "shared", oauth } };
}

function grantOf(scenario: string, given: ScenarioContext): Record<string, unknown> {
  if (scenario.startsWith("auth/client-credentials")) {
    const { private_key_pem: private_key, signing_algorithm: private_key_algorithm } = given;
    return { grant: "client_credentials", private_key, private_key_algorithm };
  }
  const isVouched = ["auth/cross-app-access", "auth/enterprise-managed-authorization"];
  if (!isVouched.some((each) => scenario.startsWith(each))) return {};
  const { idp_token_endpoint: token_endpoint, idp_client_id: client_id, idp_id_token: id_token } = given;
  return { grant: "cross_app_access", identity_provider: { token_endpoint, client_id, id_token } };
}
