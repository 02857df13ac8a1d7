import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { withExactNumbers } from "./exact-messages.ts";
import type { Target } from "./server-config.ts";
import { createServerFetch, createSharedFetch, mostResumptions } from "./server-fetch.ts";

/** How HTTP servers with a login are reached. */
export interface HttpAccess {
  authProvider?: OAuthClientProvider | undefined;
  /** Adds the configured headers to what goes to the server, and lets its login be at another address. */
  fetch?: FetchLike | undefined;
}

/** How a stream that broke off is taken up again; pauses in ms. The SDK's own, said here since `createServerFetch` counts along. */
const reconnectionOptions = {
  maxRetries: mostResumptions,
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
};

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
    fetch: (kind === "sse" ? createSharedFetch : createServerFetch)(send ?? fetch),
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
  return withExactNumbers(
    new StreamableHTTPClientTransport(address, { ...options, reconnectionOptions }) as Transport,
  );
}
