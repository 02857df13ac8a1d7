import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import type { Run } from "./run.ts";

const controls = {
  start: "start a server",
  stop: "stop a server",
  restart: "stop a server and start it again",
} as const;

/** `knack mcp …` */
export function addServerCommands(program: Command, context: CommandContext, run: Run): void {
  const mcp = program.command("mcp").description("tool servers (MCP)");
  mcp
    .command("list")
    .description("the servers, how they do, and their tools")
    .option("--json", "{servers}")
    .action((_options, command: Command) =>
      run(async () => (await import("./mcp.ts")).listServers(context, command.optsWithGlobals())),
    );
  for (const action of ["start", "stop", "restart"] as const) {
    named(action, controls[action], "the server").action((name: string, _options, command: Command) =>
      run(async () =>
        (await import("./mcp.ts")).controlServer(context, name, action, command.optsWithGlobals()),
      ),
    );
  }
  named("trust", "choose which tools of a server may run unasked", "the server")
    .option("--tools <names>", "these run unasked, and no others; separated by commas")
    .option("--read-only", "those run unasked that the server says only read")
    .option("--none", "each of them asks")
    .action((name: string, _options, command: Command) =>
      run(async () => (await import("./mcp-trust.ts")).trustServer(context, name, command.optsWithGlobals())),
    );
  named("login", "connect an account with a server", "{url}").action(
    (name: string, _options, command: Command) =>
      run(async () => (await import("./mcp.ts")).loginServer(context, name, command.optsWithGlobals())),
  );
  named("logout", "forget the account with a server", "the server").action(
    (name: string, _options, command: Command) =>
      run(async () => (await import("./mcp.ts")).logoutServer(context, name, command.optsWithGlobals())),
  );

  function named(command: string, description: string, json: string): Command {
    return mcp
      .command(command)
      .description(description)
      .argument("<name>", "name of the server")
      .option("--json", json);
  }
}
