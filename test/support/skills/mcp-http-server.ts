import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** A server on Streamable HTTP for tests, in this process. */
export interface McpHttpServer {
  url: string;
  /** Every request as `METHOD authorization`. */
  requests: string[];
  /** How many sessions were begun. */
  sessions(): number;
  /** Forgets all sessions, as a restart does. */
  forget(): void;
  /** The status that requests of an unknown session get. */
  unknownSession: number;
  /** Answers requests instead while it is set; true when it did. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

export async function openMcpHttpServer(): Promise<McpHttpServer> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  let begun = 0;

  const transportFor = async (id: string | undefined) => {
    if (id !== undefined) return transports.get(id);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => {
        begun += 1;
        transports.set(session, transport);
      },
    });
    await createTools().connect(transport as Parameters<McpServer["connect"]>[0]);
    return transport;
  };

  const http = createServer((request, response) => {
    server.requests.push(`${request.method} ${request.headers.authorization ?? "-"}`);
    if (server.instead?.(request, response)) return;
    const id = request.headers["mcp-session-id"];
    transportFor(Array.isArray(id) ? id[0] : id).then(
      async (transport) => {
        if (transport === undefined) response.writeHead(server.unknownSession).end();
        else await transport.handleRequest(request, response);
      },
      () => void response.writeHead(500).end(),
    );
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const server: McpHttpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    requests: [],
    sessions: () => begun,
    forget: () => transports.clear(),
    unknownSession: 404,
    instead: undefined,
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
  return server;
}

function createTools(): McpServer {
  const server = new McpServer({ name: "http-test", version: "1.0.0" });
  server.registerTool("whoami", {}, ({ requestInfo }) => ({
    content: [{ type: "text", text: String(requestInfo?.headers.authorization) }],
  }));
  server.registerTool("ask", {}, async (extra) => {
    const params = {
      message: "Your name?",
      requestedSchema: { type: "object" as const, properties: { name: { type: "string" as const } } },
    };
    const answer = await server.server.elicitInput(params, { relatedRequestId: extra.requestId });
    return { content: [{ type: "text", text: `${answer.action} ${JSON.stringify(answer.content)}` }] };
  });
  server.registerTool("tell", {}, async ({ requestId, requestInfo, sendNotification, _meta }) => {
    const message = `I hold ${requestInfo?.headers.authorization}`;
    const params = { progressToken: _meta?.progressToken ?? 0, progress: 1, message };
    await sendNotification({ method: "notifications/progress", params });
    const requestedSchema = { type: "object" as const, properties: {} };
    await server.server.elicitInput({ message, requestedSchema }, { relatedRequestId: requestId });
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: message } }];
    await server.server.createMessage({ messages, maxTokens: 10 }, { relatedRequestId: requestId });
    return { content: [{ type: "text", text: `${".".repeat(399_990)}${message}` }] };
  });
  server.registerTool("chatter", {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? 0;
    for (let progress = 1; progress <= 500; progress += 1) {
      const params = { progressToken, progress, message: "x".repeat(5_000) };
      await sendNotification({ method: "notifications/progress", params });
      await sendNotification({ method: "notifications/tools/list_changed" });
    }
    return { content: [{ type: "text", text: "done" }] };
  });
  return server;
}
