import { isRecord } from "./record.ts";

type Document = Readonly<Record<string, unknown>>;

/** Documents of other programs that people take for a skill or a flow: what they are, and the way that leads on. */
const documents: readonly {
  is(document: Document): boolean;
  says: string;
}[] = [
  {
    is: ({ openapi, swagger }) => openapi !== undefined || swagger !== undefined,
    says: "It is an OpenAPI document, which describes an API. A tool server such as @ivotoby/openapi-mcp-server makes tools of it: add that server to config/mcp.json.",
  },
  {
    is: ({ nodes, connections }) => Array.isArray(nodes) && isRecord(connections),
    says: "It is a workflow of n8n, whose nodes are programs of n8n. Let it run there, begin it with n8n's MCP Server Trigger, and add that address to config/mcp.json.",
  },
  {
    is: ({ kind, app, workflow }) => kind === "app" && (isRecord(app) || isRecord(workflow)),
    says: "It is an app of Dify, whose nodes are parts of Dify. Let it run there, publish it as an MCP server, and add that address to config/mcp.json.",
  },
  {
    is: ({ mcpServers }) => isRecord(mcpServers),
    says: "It holds entries of tool servers. They belong in config/mcp.json.",
  },
  {
    is: ({ hooks }) => isRecord(hooks),
    says: "It holds hooks: commands that another program runs when something happens there. They never run here.",
  },
];

/** What the content of a JSON or YAML file of another program is, and what to do with it, as sentences; undefined for all others. */
export function foreignDocument(content: unknown): string | undefined {
  return isRecord(content) ? documents.find(({ is }) => is(content))?.says : undefined;
}
