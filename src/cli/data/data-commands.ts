import type { Command } from "commander";
import type { CommandContext, Run } from "../command-context.ts";
import { parseDatabase, parseNamespace, parseUser } from "../shared-options.ts";

/** Commands about stored data: export, forget, backup, restore and migrate. */
export function addDataCommands(program: Command, context: CommandContext, run: Run): void {
  program
    .command("export")
    .description("write everything stored about a channel, or about all, as JSON lines")
    .option("--namespace <namespace>", "only this channel, as platform:workspace:channel", parseNamespace)
    .option("--out <file>", "a new file to write to, instead of the standard output")
    .action((_options, command: Command) =>
      run(async () => (await import("./stored-data.ts")).exportData(context, command.optsWithGlobals())),
    );
  program
    .command("forget")
    .description("delete everything that is stored about a person")
    .requiredOption("--user <id>", "their user id on the platform, or platform:workspace:id", parseUser)
    .option("--dry-run", "only say what would be deleted")
    .option("--leave-posts", "answers that the bot posted may stay on the platform")
    .option("--json", "what was deleted, and what is left")
    .action((_options, command: Command) =>
      run(async () => (await import("./stored-data.ts")).forgetPerson(context, command.optsWithGlobals())),
    );
  program
    .command("backup")
    .description("write the data folder to a new file, with the key of stored tokens; the bot may run")
    .argument("<file>", "the file to make, e.g. knack.tar.gz")
    .action((file: string, _options, command: Command) =>
      run(async () => (await import("./backup.ts")).backup(context, file, command.optsWithGlobals())),
    );
  program
    .command("restore")
    .description("fill the data folder from a backup; the bot may not run")
    .argument("<file>", "the file that `knack backup` made")
    .option("--replace", "delete what the data folder has")
    .action((file: string, _options, command: Command) =>
      run(async () => (await import("./backup.ts")).restore(context, file, command.optsWithGlobals())),
    );
  program
    .command("migrate")
    .description("copy the SQLite data of the data folder to an empty PostgreSQL database")
    .option("--to <address>", "postgresql://user:password@host/name, instead of DATABASE_URL", parseDatabase)
    .action((_options, command: Command) =>
      run(async () => (await import("./migrate.ts")).migrate(context, command.optsWithGlobals())),
    );
}
