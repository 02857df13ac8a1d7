/** A server that speaks only MCP 2026-07-28: node mcp-modern-server.ts on stdio, `createModernServer` elsewhere. */
import { acceptedContent, inputRequired, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function createModernServer(): McpServer {
  const server = new McpServer(
    { name: "modern", version: "3.0.0" },
    { instructions: "Use greet.", capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool("greet", { inputSchema: z.object({ name: z.string() }) }, ({ name }) =>
    text(`Hello ${name}`),
  );
  server.registerTool("more", {}, () => {
    server.registerTool("added", {}, () => text("added"));
    return text("more");
  });
  server.registerTool("work", {}, async ({ mcpReq }: ServerContext) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    const params = { progressToken, progress: 1, total: 2, message: "half" };
    await mcpReq.notify({ method: "notifications/progress", params });
    return text("done");
  });
  server.registerTool("ask", {}, ({ mcpReq }: ServerContext) => {
    const said = acceptedContent<{ name: string }>(mcpReq.inputResponses, "who");
    if (said !== undefined) return text(`You are ${said.name}`);
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    const who = inputRequired.elicit({ message: "Your name?", requestedSchema });
    return inputRequired({ inputRequests: { who } });
  });
  server.registerTool("silent", {}, () => new Promise<never>(() => {}));
  return server;
}

if (process.argv[1] === import.meta.filename) {
  // Written once per process, so that a test can count them.
  process.stderr.write("started\n");
  serveStdio(createModernServer, { legacy: "reject" });
}
