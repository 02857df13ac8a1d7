import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";
import { namespaceOption } from "./namespace-option.ts";
import { addOperationCommands } from "./operation-commands.ts";
import { addPackageCommands } from "./program-packages.ts";
import type { Run } from "./run.ts";

/** `knack skills …` */
export function addSkillCommands(program: Command, context: CommandContext, run: Run): void {
  const skills = program.command("skills").description("list, explain, check, install and run skills");
  skills
    .command("validate")
    .description("the strict Agent Skills check of a folder")
    .argument("<dir>", "folder with a SKILL.md")
    .option("--json", "{valid, errors}")
    .action((folder: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-validate.ts")).validateSkill(context, folder, command.optsWithGlobals()),
      ),
    );
  skills
    .command("run")
    .description("run a skill without a model")
    .argument("<id>", "id of the skill")
    .requiredOption("--params <json>", "its parameters, a JSON object")
    .addOption(namespaceOption())
    .option("--json", "{skill_id, output, success} or {error}")
    .action((id: string, _options, command: Command) =>
      run(async () => (await import("./skill-run.ts")).runSkill(context, id, command.optsWithGlobals())),
    );
  addPackageCommands(skills, context, run);
  addOperationCommands(skills, context, run);
}
