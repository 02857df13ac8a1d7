import { Argument, type Command, type Option } from "commander";
import { type CommandHelp, commandHelp, type NamespaceOption } from "../app/operations/command-help.ts";
import type { CommandContext, Run } from "./command-context.ts";
import { namespaceOption, neededNamespaceOption, onlyNamespaceOption } from "./shared-options.ts";

/** Adds the commands that are operations: to a group such as `skills`, or commands of one word to the program itself. */
export function addOperationCommands(
  parent: Command,
  context: CommandContext,
  run: Run,
  all: { readonly [command: string]: CommandHelp } = commandHelp,
): void {
  for (const [words, help] of Object.entries(all)) {
    const [name = "", group = parent.parent === null ? parent.name() : ""] = words.split(" ").reverse();
    if (group === parent.name()) addCommand(parent.command(name), help, context, run);
  }
}

function addCommand(command: Command, help: CommandHelp, context: CommandContext, run: Run): void {
  command.description(help.description);
  for (const [name, description, choices] of help.arguments ?? []) {
    const argument = new Argument(name, description);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const [flags, description] of help.options ?? []) command.option(flags, description);
  if (help.namespace !== undefined) command.addOption(namespaceOptions[help.namespace]());
  command.option("--json", help.json);
  command.action(() => {
    const given = {
      ...command.optsWithGlobals(),
      ...Object.fromEntries(
        command.registeredArguments.map((each, at) => [each.name(), command.processedArgs[at]]),
      ),
    };
    return run(async () => (await import("./call-operation.ts")).callOperation(context, help, given));
  });
}

const namespaceOptions: { readonly [kind in NamespaceOption]: () => Option } = {
  own: namespaceOption,
  filter: onlyNamespaceOption,
  mandatory: neededNamespaceOption,
};
