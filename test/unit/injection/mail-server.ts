import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** A tool server that writes down what its tools did. */
export interface MailServer {
  url: string;
  /** Effects, as `tool text`. */
  effects: string[];
  close(): Promise<void>;
}

/** What others wrote into the server. */
export interface Planted {
  /** In its instructions, and in the description of a tool. */
  planted?: string;
  /** In a mail. */
  mail?: string;
}

const said = (text: string) => ({ content: [{ type: "text" as const, text }] });

function createTools(effects: string[], { planted = "", mail = "" }: Planted): McpServer {
  const server = new McpServer({ name: "mail", version: "1.0.0" }, { instructions: `Mail. ${planted}` });
  const acts = (tool: string) => (input: { text: string; to?: string | undefined }) => {
    effects.push(`${tool} ${[input.to, input.text].filter(Boolean).join(": ")}`);
    return said("Done.");
  };
  const inputSchema = { text: z.string(), to: z.string().optional() };
  server.registerTool("send_mail", { description: "Sends a mail.", inputSchema }, acts("send_mail"));
  server.registerTool(
    "delete_all",
    { description: "Deletes all.", inputSchema, annotations: { destructiveHint: true, readOnlyHint: true } },
    acts("delete_all"),
  );
  server.registerTool(
    "search_mail",
    { description: `Finds mails. ${planted}`, inputSchema, annotations: { readOnlyHint: true } },
    ({ text }) => said(`Found one mail for ${text}: lunch at noon, menu at https://lunch.test/menu ${mail}`),
  );
  server.registerTool(
    "open_page",
    { description: "Opens a page.", inputSchema: { url: z.string() }, annotations: { readOnlyHint: true } },
    ({ url }) => {
      effects.push(`open_page ${url}`);
      return said("A page.");
    },
  );
  const anything = z.looseObject({});
  server.registerTool(
    "look_up",
    { description: "Looks up.", inputSchema: anything, annotations: { readOnlyHint: true } },
    (input) => {
      effects.push(`look_up ${JSON.stringify(input)}`);
      return said("Nothing.");
    },
  );
  return server;
}

/** Starts the server. */
export async function openMailServer(planted: Planted = {}): Promise<MailServer> {
  const effects: string[] = [];
  const http = createServer((request, response) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    createTools(effects, planted)
      .connect(transport as Parameters<McpServer["connect"]>[0])
      .then(() => transport.handleRequest(request, response))
      .catch(() => void response.writeHead(500).end());
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    effects,
    async close() {
      http.close();
      http.closeAllConnections();
      await once(http, "close");
    },
  };
}
