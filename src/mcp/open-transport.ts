import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Target } from "./server-config.ts";

/** How HTTP servers are reached. */
export interface HttpAccess {
  authProvider: OAuthClientProvider | undefined;
  /** For addresses that a server names: those of its login. The operator's own address is trusted to be reached. */
  elsewhere: FetchLike;
  /** All of it, for servers with a login: it sees when an account may not do enough. */
  fetch?: FetchLike | undefined;
}

/** Redirects to other origins are not followed: that is the SDK's own rule. */
export async function createHttpTransport(
  kind: "http" | "sse",
  { url, headers }: Extract<Target, { url: string }>,
  { authProvider, elsewhere, fetch: whole }: HttpAccess,
): Promise<Transport> {
  const address = new URL(url);
  const options = {
    requestInit: { headers },
    fetch: whole ?? atHome(address, elsewhere),
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  if (kind === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    return new SSEClientTransport(address, options);
  }
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  // Its `sessionId` may be undefined, which the interface does not say.
  return new StreamableHTTPClientTransport(address, options) as Transport;
}

/** The headers of the configuration are for the server alone, so they do not go elsewhere either. */
function atHome(home: URL, elsewhere: FetchLike): FetchLike {
  return (address, init) => {
    const url = new URL(address);
    return url.origin === home.origin ? fetch(url, init) : elsewhere(url, init);
  };
}
