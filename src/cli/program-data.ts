import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import type { Run } from "./run.ts";

/** The commands about what the bot has stored. */
export function addDataCommands(program: Command, context: CommandContext, run: Run): void {
  program
    .command("retention")
    .description("delete what is older than the settings under retention keep")
    .option("--dry-run", "only count it")
    .option("--json", "{policy, from, ran, counts}")
    .action((_options, command: Command) =>
      run(async () => (await import("./retention.ts")).retention(context, command.optsWithGlobals())),
    );
}
