import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { parseNamespace } from "./namespace-option.ts";
import { addOperationCommands } from "./operation-commands.ts";
import type { Run } from "./run.ts";

/** The commands about what the bot has stored. */
export function addDataCommands(program: Command, context: CommandContext, run: Run): void {
  addOperationCommands(program, context, run);
  program
    .command("export")
    .description("write everything stored of a channel, or of all, as JSON lines")
    .option("--namespace <namespace>", "only this channel, as platform:workspace:channel", parseNamespace)
    .option("--out <file>", "a new file to write to, instead of the standard output")
    .action((_options, command: Command) =>
      run(async () => (await import("./stored-data.ts")).exportData(context, command.optsWithGlobals())),
    );
  program
    .command("forget")
    .description("delete everything that is stored of a person")
    .requiredOption("--user <id>", "their user id on the platform, or platform:workspace:id")
    .option("--dry-run", "only say what would be deleted")
    .option("--leave-posts", "answers that the bot posted may stay on the platform")
    .option("--json", "what was deleted, and what is left")
    .action((_options, command: Command) =>
      run(async () => (await import("./stored-data.ts")).forgetPerson(context, command.optsWithGlobals())),
    );
}
