import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { createModernServer } from "./mcp-modern-server.ts";

/** The server of MCP 2026-07-28 on Streamable HTTP; while `down()` is true, it answers 503. */
export async function serveModern(
  create: () => McpServer = () => createModernServer(),
  down: () => boolean = () => false,
): Promise<AsyncDisposable & { url: string }> {
  const handler = createMcpHandler(create, { legacy: "reject" });
  const fetch = async (request: Request) =>
    down() ? new Response("down", { status: 503 }) : handler.fetch(request);
  const http = serve({ fetch, port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false });
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      http.close();
    },
  };
}
