import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";

/** Who asks for which rights; separated by spaces. */
interface Wishes {
  /** By the operator. */
  configured?: string | undefined;
  /** By the server, of who comes without an account. */
  asked?: string | undefined;
  /** By the server, of an account that could not do enough. */
  wanted?: string | undefined;
  /** What the account has now. */
  granted?: string | undefined;
}

/**
 * The rights to ask for (MCP 2025-11-25, scope selection strategy): more than now when those were not enough; else what the operator
 * says, what the server asked for, or all it knows. With the right to stay connected where the login offers it (SEP-2207).
 */
export function wantedScope(wishes: Wishes, discovery: OAuthDiscoveryState): string | undefined {
  const { configured, asked, wanted, granted } = wishes;
  const base =
    wanted === undefined
      ? (configured ?? asked ?? discovery.resourceMetadata?.scopes_supported?.join(" "))
      : [configured ?? asked, granted, wanted].filter((each) => each !== undefined).join(" ");
  const scopes = new Set((base ?? "").split(/\s+/).filter(Boolean));
  const offered = discovery.authorizationServerMetadata?.scopes_supported ?? [];
  if (offered.includes("offline_access")) scopes.add("offline_access");
  return scopes.size === 0 ? undefined : [...scopes].join(" ");
}
