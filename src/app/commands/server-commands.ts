import type { ServerState, ServerStatus } from "../../core/servers.ts";
import type { Diagnostic } from "../../core/skill.ts";
import { escapeMarkdown, oneLine } from "../chat/present/escape-markdown.ts";
import type { ServerAction, ServerService, ServerView } from "../services/server-service.ts";
import { type Command, type CommandCall, type CommandResult, refused, said, shown } from "./command.ts";

/** `/mcp list|start|stop|restart|login|logout`. */
export function serverCommands(servers: ServerService): Command[] {
  const complete = async () =>
    (await servers.list()).map(({ name, state }) => ({ text: name, description: stateWords[state] }));
  const named = (run: (call: CommandCall) => Promise<CommandResult>) => async (call: CommandCall) =>
    call.rest === "" ? refused("Which server? `/mcp list` shows what there is.") : run(call);
  const control = (action: ServerAction, description: string): Command => ({
    name: `mcp ${action}`,
    usage: "<server>",
    description,
    complete,
    run: named(async ({ rest, author, place }) => {
      const outcome = await servers.control(rest, action, { by: author, namespace: place.namespace });
      return outcome.ok ? controlled(outcome.value, action) : refused(outcome.message);
    }),
  });
  return [
    {
      name: "mcp list",
      usage: "",
      description: "Shows the tool servers (MCP), how they do, and their tools",
      run: async () => shown(listText(await servers.list(), await servers.problems())),
    },
    control("start", "Starts a tool server"),
    control("stop", "Stops a tool server"),
    control("restart", "Stops a tool server and starts it again"),
    {
      name: "mcp login",
      usage: "<server>",
      description: "Connects your account with a tool server",
      complete,
      run: named((call) => login(servers, call)),
    },
    {
      name: "mcp logout",
      usage: "<server>",
      description: "Forgets your account with a tool server",
      complete,
      run: named(async ({ rest, author, place }) => {
        const outcome = await servers.logout(rest, { by: author, namespace: place.namespace });
        if (!outcome.ok) return refused(outcome.message);
        const { name, credentials } = outcome.value;
        const whose = credentials === "shared" ? "The account everybody used" : "Your account";
        return shown(`${whose} with **${name}** is forgotten. \`/mcp login ${name}\` connects one again.`);
      }),
    },
  ];
}

const stateWords: Record<ServerState, string> = {
  stopped: "stopped",
  starting: "starting",
  running: "running",
  failed: "failed",
  needs_login: "needs a login",
};

const signs: Record<ServerState, string> = {
  stopped: "○",
  starting: "◌",
  running: "●",
  failed: "✖",
  needs_login: "⚿",
};

const noServers =
  "No tool server (MCP) is configured. An operator lists them in the bot's `mcp.json`, as for other programs that speak MCP.";

/** The servers, and what of their file was left out. */
function listText(servers: readonly ServerView[], problems: readonly Diagnostic[]): string {
  if (servers.length + problems.length === 0) return noServers;
  const left = problems.map(({ severity, message }) => {
    return `- ${severity === "error" ? "✖" : "⚠"} ${escapeMarkdown(oneLine(message, 300))}`;
  });
  const none = servers.length === 0 ? ["No tool server can be used:"] : [];
  return [...none, ...servers.map(serverLine), ...left].join("\n");
}

function serverLine(server: ServerView): string {
  const { name, skill_id, state, problem, transport } = server;
  const offered = server.tools.filter(({ suppressed }) => !suppressed);
  const names = offered.slice(0, 8).map((tool) => `\`${oneLine(tool.name, 64).replaceAll("`", "")}\``);
  const more = offered.length > names.length ? ` and ${offered.length - names.length} more` : "";
  const asking = offered.filter(({ asks = "nobody" }) => asks !== "nobody").length;
  const ask = asking === 0 ? "" : ` (${asking} ask before they run)`;
  const tools = offered.length === 0 ? "" : `. Tools: ${names.join(", ")}${more}${ask}`;
  const as = skill_id === name ? "" : `, skill \`${skill_id}\``;
  const line = `- ${signs[state]} **${escapeMarkdown(name)}** (${transport}${as}) ${stateWords[state]}${tools}`;
  const todo = advice(server);
  const why = problem === undefined ? "" : `: ${escapeMarkdown(oneLine(problem, 300))}`;
  return `${line}${why}${todo === "" ? "" : ` — ${todo}`}`;
}

function advice({ name, state, credentials }: ServerStatus): string {
  if (state === "failed") return `\`/mcp restart ${name}\` tries it again`;
  if (state === "needs_login") {
    return credentials === "shared"
      ? `an operator connects the account with \`/mcp login ${name}\``
      : `\`/mcp login ${name}\` connects your account`;
  }
  return "";
}

function controlled(status: ServerStatus, action: ServerAction): CommandResult {
  const { name, state, problem = "", tools } = status;
  if (action === "stop") return said(`**${escapeMarkdown(name)}** is ${stateWords[state]}.`);
  if (state === "running") return said(`**${escapeMarkdown(name)}** runs, with ${tools.length} tools.`);
  if (state === "starting") return said(`**${escapeMarkdown(name)}** is starting.`);
  const why = problem === "" ? `: it ${stateWords[state]}.` : `. ${escapeMarkdown(oneLine(problem, 500))}`;
  const todo = advice(status);
  return refused(`**${escapeMarkdown(name)}** does not run${why}${todo === "" ? "" : `\n\nNext: ${todo}.`}`);
}

async function login(servers: ServerService, { rest, author, place }: CommandCall): Promise<CommandResult> {
  const outcome = await servers.login(rest, { by: author, namespace: place.namespace });
  if (!outcome.ok) return refused(outcome.message);
  return shown(
    `Open this to connect your account with **${escapeMarkdown(rest)}**. It is for you alone, and works once for a few minutes:\n\n${outcome.value.url}`,
  );
}
