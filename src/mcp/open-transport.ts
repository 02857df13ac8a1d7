import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { withExactNumbers } from "./exact-messages.ts";
import { limitMessages } from "./limited-fetch.ts";
import type { Target } from "./server-config.ts";

/** How HTTP servers with a login are reached. */
export interface HttpAccess {
  authProvider?: OAuthClientProvider | undefined;
  /** Adds the configured headers to what goes to the server, and lets its login be at another address. */
  fetch?: FetchLike | undefined;
}

/**
 * The address is the operator's, so it may be private. Nothing but it is reached: the SDK follows no redirect to another origin, and
 * takes no other address from a server that has no login.
 */
export async function createHttpTransport(
  kind: "http" | "sse",
  { url, headers }: Extract<Target, { url: string }>,
  { authProvider, fetch: send }: HttpAccess,
): Promise<Transport> {
  const address = new URL(url);
  const options = {
    ...(send === undefined ? { requestInit: { headers } } : {}),
    fetch: limitMessages(send ?? fetch, address.href),
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  if (kind === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    return withExactNumbers(new SSEClientTransport(address, options));
  }
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  // Its `sessionId` may be undefined, which the interface does not say.
  return withExactNumbers(new StreamableHTTPClientTransport(address, options) as Transport);
}
