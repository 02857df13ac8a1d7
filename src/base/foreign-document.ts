import { oneLine } from "./markdown-text.ts";
import { isRecord } from "./record.ts";

type Document = Readonly<Record<string, unknown>>;

/** Documents of other programs that people take for a skill or a flow: what they are, and the way that leads on. */
const documents: readonly {
  is(document: Document): boolean;
  says: string | ((document: Document, place: string) => string);
}[] = [
  {
    is: ({ openapi, swagger }) => openapi !== undefined || swagger !== undefined,
    says: openApi,
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

/**
 * What the content of a JSON or YAML file of another program is, and what to do with it, as sentences; undefined for all others. `place`: the
 * file or its address.
 */
export function foreignDocument(content: unknown, place = "ITS FILE"): string | undefined {
  if (!isRecord(content)) return undefined;
  const says = documents.find(({ is }) => is(content))?.says;
  return typeof says === "function" ? says(content, place) : says;
}

/** Methods of operations; https://spec.openapis.org/oas/v3.1.1.html#path-item-object. */
const [reading, writing] = [
  ["get", "head", "options", "trace"],
  ["put", "post", "delete", "patch"],
];

function openApi({ info, paths, servers, host }: Document, place: string): string {
  const title = isRecord(info) && typeof info.title === "string" ? oneLine(info.title, 80) : "";
  const items = isRecord(paths) ? Object.values(paths).filter(isRecord) : undefined;
  const count = (methods: readonly string[]) =>
    (items ?? []).reduce((sum, item) => sum + methods.filter((method) => isRecord(item[method])).length, 0);
  const [first] = Array.isArray(servers) ? servers : [];
  const named = isRecord(first) ? first.url : host;
  const isWhole = typeof named === "string" && !/^\/|[{}]/.test(named);
  const entry = JSON.stringify({ openapi: place, ...(!isWhole && { url: "https://THE-API" }) });
  const [read, other] = [count(reading), count(writing)];
  const size =
    items === undefined
      ? ""
      : ` with ${read + other} operations: ${read} only read and run unasked, ${other} ask first`;
  const address = isWhole ? "" : ", with the address of the API, which the document does not name whole";
  return `It is an OpenAPI document${title === "" ? "" : ` (${title})`}, which describes an API${size}. Its operations become tools when an operator keeps it on the bot's machine and adds to config/mcp.json: "${nameOf(title)}": ${entry}${address}.`;
}

/** A name for the entry of a server. */
function nameOf(title: string): string {
  return (
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 30) || "api"
  );
}
