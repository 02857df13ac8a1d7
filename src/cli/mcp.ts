import type { ServerStatus } from "../client/shapes.ts";
import { createPaint, type Paint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./answer-or-say.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface McpOptions extends GlobalOptions {
  json?: true;
}

/** `knack mcp list`: the tool servers, how they do, and their tools. */
export async function listServers(context: CommandContext, options: McpOptions): Promise<number> {
  return answerOrSay(context, { ...options, settled: true }, async ({ client }) => {
    const { servers, diagnostics } = await client.servers();
    if (options.json) {
      printJson(context, { servers, diagnostics });
      return exitCode.ok;
    }
    if (servers.length + diagnostics.length === 0) printLine(context, "No tool server (MCP) is configured.");
    const paint = createPaint(wantsColours(context));
    for (const server of servers) {
      for (const line of serverLines(server, paint)) printLine(context, line);
    }
    for (const { severity, path: file, message } of diagnostics) {
      context.stderr.write(`${severity}: ${plainLine(file)}: ${plainLine(message)}\n`);
    }
    return exitCode.ok;
  });
}

/** `knack mcp start|stop|restart`. A server that does not run afterwards, though it should, is a failure. */
export async function controlServer(
  context: CommandContext,
  name: string,
  action: "start" | "stop" | "restart",
  options: McpOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client, remote }) => {
    const server = await client.controlServer(name, action);
    if (options.json) printJson(context, server);
    else for (const line of serverLines(server, createPaint(wantsColours(context)))) printLine(context, line);
    if (remote === undefined) {
      context.stderr.write(
        "No bot runs on this data folder, so this was only a try: the server ends with this command.\n",
      );
    }
    const isWell = action === "stop" || server.state === "running" || server.state === "starting";
    return isWell ? exitCode.ok : exitCode.failed;
  });
}

/** `knack mcp login`: where the operator connects an account. */
export async function loginServer(
  context: CommandContext,
  name: string,
  options: McpOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client, remote }) => {
    if (remote === undefined) {
      const error =
        "The bot has to run for this, since the answer of the login comes to it. Start it with: knack start";
      context.stderr.write(`${error}\n`);
      if (options.json) printJson(context, { error });
      return exitCode.failed;
    }
    const url = await client.loginServer(name);
    if (options.json) printJson(context, { url });
    else printLine(context, `Open this to connect the account, within a few minutes:\n${plainLine(url)}`);
    return exitCode.ok;
  });
}

/** `knack mcp logout`: forgets the account. */
export async function logoutServer(
  context: CommandContext,
  name: string,
  options: McpOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const server = await client.logoutServer(name);
    if (options.json) printJson(context, server);
    else printLine(context, `The account with ${plainLine(server.name)} is forgotten.`);
    return exitCode.ok;
  });
}

/** Whether calls of a tool ask, where that is known. */
function noteOf({ suppressed, asks, trusted }: ServerStatus["tools"][number]): string {
  if (suppressed) return " (not offered)";
  if (asks === "nobody") return trusted === true ? " (trusted)" : " (unasked)";
  return asks === undefined ? "" : asks === "asker" ? " (asks who asked)" : ` (asks ${asks}s)`;
}

function serverLines(server: ServerStatus, paint: Paint): string[] {
  const { name, state, transport, problem, skill_id, tools } = server;
  const shown = state.replace("_", " ");
  const mark = state === "running" ? paint.good(shown) : state === "failed" ? paint.bad(shown) : shown;
  const why = problem === undefined ? "" : `: ${plainLine(problem)}`;
  return [
    `${paint.bold(plainLine(name))}  ${mark}${why}  ${paint.dim(`${transport}, skill ${plainLine(skill_id)}`)}`,
    ...tools.map(
      (tool) =>
        `  ${plainLine(tool.name)}${paint.dim(noteOf(tool))}  ${paint.dim(plainLine(tool.description).slice(0, 100))}`,
    ),
  ];
}
