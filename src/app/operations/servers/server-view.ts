/** Tool servers as people and programs see them. */
import { z } from "zod";
import { escapeMarkdown, few, oneLine } from "../../../base/markdown-text.ts";
import type { ServerState } from "../../../core/skill/packages.ts";
import type { Diagnostic } from "../../../core/skill/skill.ts";
import { approvers } from "../../../core/values/inbound.ts";
import type { Reading } from "../operation.ts";

const serverTool = z.object({
  name: z.string(),
  description: z.string(),
  suppressed: z.boolean(),
  read_only: z.boolean().optional().describe("according to the server"),
  destructive: z.boolean().optional().describe("according to the server"),
  definition: z.string().optional().describe("names the tool as it is now"),
  trusted: z.boolean().optional().describe("an operator lets it run unasked"),
  asks: z
    .enum(["nobody", ...approvers])
    .optional()
    .describe("who is asked when the model calls it for a member of a channel"),
});

export const serverView = z.object({
  name: z.string(),
  skill_id: z.string(),
  transport: z.enum(["stdio", "http", "sse"]),
  state: z.enum(["stopped", "starting", "running", "failed", "needs_login"]),
  problem: z.string().optional().describe("why it failed or is stopped"),
  auto_start: z.boolean(),
  credentials: z.enum(["none", "shared", "per_user"]),
  tools: z.array(serverTool),
  offers_skills: z.boolean().optional().describe("it offers skills that can be installed"),
  since: z.number().describe("since when it is in this state, milliseconds since the epoch"),
});

/** A server with its tools, and whether their calls ask. */
export type ServerView = z.output<typeof serverView>;

const states: Record<ServerState, readonly [sign: string, words: string]> = {
  stopped: ["○", "stopped"],
  starting: ["◌", "starting"],
  running: ["●", "running"],
  failed: ["✖", "failed"],
  needs_login: ["⚿", "needs a login"],
};

export function stateWords(state: ServerState): string {
  return states[state][1];
}

const noServers =
  "No tool server (MCP) is configured. An operator lists them in the bot's `mcp.json`, as for other programs that speak MCP.";

export type ServerAction = "start" | "stop" | "restart";

interface ServerList {
  servers: readonly ServerView[];
  diagnostics: readonly Pick<Diagnostic, "severity" | "path" | "message">[];
}

/** The servers, and problems in their file. */
export function serverListText(
  { servers, diagnostics }: ServerList,
  { whole }: Pick<Reading, "whole">,
): string {
  if (servers.length + diagnostics.length === 0) return noServers;
  const lines = servers.flatMap((server) => [serverLine(server, whole), ...(whole ? toolLines(server) : [])]);
  const left = diagnostics.map(({ severity, path, message }) => {
    const what = oneLine(whole ? `${path}: ${message}` : message, whole ? 1_000 : 300);
    return `- ${severity === "error" ? "✖" : "⚠"} ${escapeMarkdown(what)}`;
  });
  const none = servers.length === 0 ? ["No tool server can be used:"] : [];
  return [...none, ...lines, ...left].join("\n");
}

function serverLine(server: ServerView, whole: boolean): string {
  const { name, skill_id, state, problem, transport } = server;
  const offered = server.tools.filter(({ suppressed }) => !suppressed);
  const names = offered.map((tool) => `\`${oneLine(tool.name, 64).replaceAll("`", "")}\``);
  const asking = offered.filter(({ asks = "nobody" }) => asks !== "nobody").length;
  const ask = asking === 0 ? "" : ` (${asking} ask before they run)`;
  const tools = whole || offered.length === 0 ? "" : `. Tools: ${few(names, 8)}${ask}`;
  const as = skill_id === name ? "" : `, skill \`${skill_id}\``;
  const line = `- ${states[state][0]} **${escapeMarkdown(name)}** (${transport}${as}) ${stateWords(state)}${tools}`;
  const todo = advice(server);
  const why = problem === undefined ? "" : `: ${escapeMarkdown(oneLine(problem, 300))}`;
  return `${line}${why}${todo === "" ? "" : ` — ${todo}`}`;
}

function advice({ name, state, credentials, offers_skills }: ServerView): string {
  if (state === "running" && offers_skills) return `it offers skills: \`/skill install mcp:${name}\``;
  if (state === "failed") return `\`/mcp restart ${name}\` tries it again`;
  if (state === "needs_login") {
    return credentials === "shared"
      ? `an operator connects the account with \`/mcp login ${name}\``
      : `\`/mcp login ${name}\` connects your account`;
  }
  return "";
}

/** The state of a server after it was started, stopped or restarted. */
export function controlledText(
  status: ServerView,
  action: ServerAction,
  { whole }: Pick<Reading, "whole">,
): string {
  const { state, problem = "", tools } = status;
  const name = `**${escapeMarkdown(status.name)}**`;
  if (action === "stop") return `${name} is ${stateWords(state)}.`;
  if (state === "running")
    return [`${name} runs, with ${tools.length} tools.`, ...(whole ? toolLines(status) : [])].join("\n");
  if (state === "starting") return `${name} is starting.`;
  const why = problem === "" ? `: it ${stateWords(state)}.` : `. ${escapeMarkdown(oneLine(problem, 500))}`;
  const todo = advice(status);
  return `${name} does not run${why}${todo === "" ? "" : `\n\nNext: ${todo}.`}`;
}

/** Each tool of a server, and whether its calls ask. */
function toolLines({ tools }: ServerView): string[] {
  return tools.map((tool) => {
    const name = `\`${oneLine(tool.name, 64).replaceAll("`", "")}\``;
    return `  - ${name}${askNote(tool)} ${escapeMarkdown(oneLine(tool.description, 100))}`;
  });
}

/** Whether calls of a tool ask, if that is known. */
function askNote({ suppressed, asks, trusted }: ServerView["tools"][number]): string {
  if (suppressed) return " (not offered)";
  if (asks === "nobody") return trusted === true ? " (trusted)" : " (unasked)";
  return asks === undefined ? "" : asks === "asker" ? " (asks who asked)" : ` (asks ${asks}s)`;
}
