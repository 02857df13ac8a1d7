import type {
  FetchLike,
  OAuthClientProvider,
  StreamableHTTPClientTransport,
  Transport,
} from "@modelcontextprotocol/client";
import { unlessLate, withTimeLimit } from "../base/time-limit.ts";
import type { Clock } from "../core/ports/storage.ts";
import type { JsonSchema } from "../core/values/json.ts";
import { createRedactor } from "../core/values/redact.ts";
import { callTool, type ToolCall, withoutLimit } from "./call-tool.ts";
import { cancelTask, tasksExtension } from "./follow-task.ts";
import { offeredSkills, skillsExtension } from "./offered-skills.ts";
import { askServer, type RemoteServer } from "./remote-tool.ts";
import { answerRequests, trackCalls } from "./requests/answer-requests.ts";
import type { ServerRequests } from "./requests/create-server-requests.ts";
import type { HttpTarget, ServerConfig, Target } from "./server-config.ts";
import { causeCode, httpFailure, refusalOf, ServerFailure, statusOf } from "./server-failure.ts";
import { createServerFetch, createSharedFetch, maxResumptions } from "./server-fetch.ts";
import { readLeniently, withExactNumbers } from "./server-message.ts";
import { createStdioTransport } from "./stdio-transport.ts";

/** Maximum time for a server to answer a ping, and to delete a session, ms. */
const pingMs = 5_000;
const farewellMs = 1_000;

/** One session with a server, under one account. */
export type Connection = Awaited<ReturnType<typeof connect>>;

export interface ConnectionOptions extends HttpAccess {
  server: ServerConfig;
  clock: Clock;
  /** Without it, requests of servers are refused. */
  requests?: ServerRequests | undefined;
  version: string;
  /** Whether it is known to speak only versions of the protocol before 2026-07-28. */
  legacy: boolean;
  /** Absolute path of the folder that a process of this server is started in if its entry names none. */
  home?: string | undefined;
  /** Maximum time for the server to introduce itself, ms. */
  connect_ms: number;
  /** Cancels the attempt. */
  signal: AbortSignal;
  /** Called once when the session ended without being closed here. */
  onLost(reason: string): void;
  onToolsChanged(): void;
  /** Receives a function that returns the latest text a server's process wrote to stderr; secrets are not masked in it. */
  onProcess?(tail: () => string): void;
}

/**
 * Asks a server for its version of the protocol, unless it is known to shake hands as before 2026-07-28. What the question breaks, and what
 * no longer is what it was, is tried the other way. @throws ServerFailure
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { target } = options.server;
  const open = (legacy: boolean) =>
    target.type === "stdio" ? openStdio(options, target, legacy) : openHttp(options, target, legacy);
  try {
    return await open(options.legacy);
  } catch (error) {
    if (options.signal.aborted || !isAboutEra(error, options.legacy)) throw error;
    return await open(!options.legacy).catch((other: unknown) => {
      throw options.legacy ? other : error;
    });
  }
}

/** Whether a server that failed may still work in the other era. */
function isAboutEra(error: unknown, legacy: boolean): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (causeCode(cause) !== undefined) return false;
  if (legacy) return cause instanceof Error && (cause.name === "ProtocolError" || statusOf(cause) === 400);
  return cause instanceof Error && "code" in cause && cause.code === "ERA_NEGOTIATION_FAILED";
}

async function openHttp(
  options: ConnectionOptions,
  target: HttpTarget,
  legacy: boolean,
): Promise<Connection> {
  const hasLogin = options.authProvider !== undefined;
  const open = async (kind: "http" | "sse") =>
    connect(options, await createHttpTransport(kind, target, options), kind, legacy || kind === "sse");
  try {
    return await open(target.type);
  } catch (error) {
    const failure = await httpFailure(error, target.url, hasLogin);
    if (target.type !== "http" || !target.fallback || !isOlderServer(error)) throw failure;
    return await open("sse").catch(() => {
      throw failure;
    });
  }
}

/**
 * Status codes of servers older than Streamable HTTP.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#backwards-compatibility
 */
function isOlderServer(error: unknown): boolean {
  return [400, 404, 405].includes(statusOf(error) ?? 0);
}

async function openStdio(
  options: ConnectionOptions,
  target: Extract<ServerConfig["target"], { type: "stdio" }>,
  legacy: boolean,
): Promise<Connection> {
  const transport = await createStdioTransport(target, options.clock, options.home);
  options.onProcess?.(transport.tail);
  const why = () => {
    const said = transport.tail();
    const ending = transport.ending() ?? "it does not answer as a server should";
    return `${ending}${said === "" ? "" : `. It wrote last: ${said.slice(-500)}`}`;
  };
  try {
    return await connect({ ...options, onLost: () => options.onLost(why()) }, transport, "stdio", legacy);
  } catch (error) {
    transport.kill();
    const isKnown = error instanceof ServerFailure;
    const refusal = refusalOf(error);
    const known = isKnown ? error.message : refusal;
    const message = known ? `${known} ${transport.tail().slice(-500)}`.trim() : sentence(why());
    throw new ServerFailure("unreachable", message, error);
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

async function connect(
  options: ConnectionOptions,
  transport: Transport,
  kind: Target["type"],
  legacy: boolean,
) {
  const { clock, connect_ms, onLost, requests, server, signal, version } = options;
  const { Client } = await import("@modelcontextprotocol/client");
  const client = new Client(
    { name: "knack", version },
    {
      capabilities: {
        ...requests?.capabilities,
        extensions: { [tasksExtension]: {}, [skillsExtension]: {} },
      },
      versionNegotiation: { mode: legacy ? "legacy" : "auto", probe: { timeoutMs: connect_ms / 2 } },
    },
  );
  await readLeniently(client);
  const active = trackCalls();
  const schemas = new Map<string, JsonSchema>();
  const redact = createRedactor(server.secrets);
  client.setNotificationHandler("notifications/tools/list_changed", options.onToolsChanged);
  const answer = await answerRequests(client, server.name, requests, active, redact);
  // While the server introduces itself, a failure goes to the caller that connects; after that, to the one that uses it.
  let isOpen = false;
  client.onclose = () => {
    if (isOpen) onLost("it ended the session");
    isOpen = false;
  };
  const within = (ms: number, late: string, ends?: AbortSignal) => ({
    ms,
    timer: clock,
    signal: ends,
    late: () => new ServerFailure("unreachable", late),
  });
  try {
    await withTimeLimit(within(connect_ms, "It did not introduce itself in time.", signal), () =>
      client.connect(transport, { timeout: withoutLimit }),
    );
    isOpen = true;
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
  const isModern = client.getProtocolEra() === "modern";
  if (isModern && client.getServerCapabilities()?.tools?.listChanged) {
    // Without it, a change is seen with the next connection.
    await client.listen({ toolsListChanged: true }, { signal }).catch(() => undefined);
  }
  return {
    transport: kind,
    /** What the server is and has. */
    describe: (): Promise<RemoteServer> =>
      withTimeLimit(within(connect_ms, "It did not list its tools in time.", signal), () =>
        askServer(client).then((remote) => {
          for (const tool of remote.tools) schemas.set(tool.name, tool.inputSchema);
          return redact(remote);
        }),
      ),
    /** @throws CallTimeout, or an error of the SDK */
    call: (call: ToolCall) =>
      callTool({ client, clock, redact, track: active.track, answer }, call, schemas.get(call.tool)),
    /** As `offeredSkills`. */
    skills: (maxBytes: number, ends: AbortSignal) => offeredSkills(client, maxBytes, ends),
    /** Has the server end a task, if it answers in time. @throws an error of the SDK */
    cancelTask: (id: string) =>
      withTimeLimit(within(pingMs, "It does not end a task."), (signal) =>
        cancelTask({ client, request: { signal, timeout: withoutLimit } }, id),
      ),
    /** Whether the server gave the session an id, which each request names. */
    hasSession: () => transport.sessionId !== undefined,
    /** Whether a call is running. */
    isBusy: active.isBusy,
    /** Whether it still answers within this time, at most 5 s; a server that hangs does not. */
    answers: (withinMs: number) =>
      withTimeLimit(within(Math.min(pingMs, withinMs), "It hangs."), () =>
        isModern ? client.discover({ timeout: withoutLimit }) : client.ping({ timeout: withoutLimit }),
      ).then(
        () => true,
        () => false,
      ),
    /** Ends the session. A process that does not exit is killed together with everything it started. */
    async close(): Promise<void> {
      isOpen = false;
      await deleteSession(transport, clock);
      await client.close();
    },
  };
}

/** Asks an HTTP server to delete the session; it may ignore that. */
async function deleteSession(transport: Transport, clock: Clock): Promise<void> {
  if (!("terminateSession" in transport)) return;
  const { terminateSession } = transport as StreamableHTTPClientTransport;
  await unlessLate(farewellMs, clock, terminateSession.call(transport)).catch(() => undefined);
}

/** How HTTP servers with a login are reached. */
interface HttpAccess {
  authProvider?: OAuthClientProvider | undefined;
  /** Adds the configured headers to requests to the server, and allows its login to be at another address. */
  fetch?: FetchLike | undefined;
}

/** How a broken stream is resumed; delays in ms. These are the SDK's own, repeated here because `createServerFetch` counts with them. */
const reconnectionOptions = {
  maxRetries: maxResumptions,
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
};

/**
 * The operator chose the address, so it may be private. Nothing else is reached: the SDK follows no redirect to another origin, and accepts
 * no other address from a server that has no login.
 */
async function createHttpTransport(
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
    const { SSEClientTransport } = await import("@modelcontextprotocol/client");
    return withExactNumbers(new SSEClientTransport(address, options));
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  return withExactNumbers(new StreamableHTTPClientTransport(address, { ...options, reconnectionOptions }));
}
