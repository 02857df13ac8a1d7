import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import type { Run } from "./run.ts";

/** `knack skills install|update|remove|review` */
export function addPackageCommands(skills: Command, context: CommandContext, run: Run): void {
  skills
    .command("install")
    .description("show the review of a package, and install it; nothing of it is active afterwards")
    .argument("<source>", "folder, .zip, .tar.gz, address of one, or of a git repository")
    .option("--yes", "install without asking")
    .option("--json", "{installed, reviews}")
    .action((source: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-install.ts")).installSkill(context, source, command.optsWithGlobals()),
      ),
    );
  onSkill("update", "install a skill again from where it came from", "{installed}").action(
    (id: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-packages.ts")).updateSkill(context, id, command.optsWithGlobals()),
      ),
  );
  onSkill("remove", "remove an installed skill", "{removed}").action(
    (id: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-packages.ts")).removeSkill(context, id, command.optsWithGlobals()),
      ),
  );
  onSkill("review", "what a skill's files do, and what looks dangerous in them", "the review").action(
    (id: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-packages.ts")).reviewSkill(context, id, command.optsWithGlobals()),
      ),
  );
  function onSkill(name: string, description: string, json: string): Command {
    return skills
      .command(name)
      .description(description)
      .argument("<id>", "id of the skill")
      .option("--json", json);
  }
}
