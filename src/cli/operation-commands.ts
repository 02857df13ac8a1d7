import { Argument, type Command } from "commander";
import type { Operation } from "../app/operations/operation.ts";
import type { CommandContext, Does, ResultOptions } from "./command-context.ts";
import { nameIn, namespaceOption, type OperationCommand } from "./shared-options.ts";

/** Adds the commands that are operations below the first words of the program that they have, and fills in those of one word. */
export function addOperationCommands(program: Command, does: Does, operations: readonly Operation[]): void {
  for (const operation of operations) {
    for (const form of [operation.commandLine ?? []].flat()) {
      const [family, name] = form.command.split(/ (?=[<[])/)[0]?.split(" ") ?? [];
      const parent = program.commands.find((each) => each.name() === family);
      if (parent === undefined) throw new Error(`The command line has no ${family}`);
      addCommand(name === undefined ? parent : parent.command(name), { operation, form }, does);
    }
  }
}

function addCommand(command: Command, called: OperationCommand, does: Does): void {
  const { operation, form } = called;
  const { summary = "", answers = "" } = operation.http ?? {};
  command.description(form.description ?? `${summary.charAt(0).toLowerCase()}${summary.slice(1)}`);
  for (const word of form.command.match(/[<[][^\s<[]+[>\]]/g) ?? []) {
    const { description, choices } = inputNamed(word, operation);
    const argument = new Argument(word, description);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const option of form.options ?? []) {
    const [flags, description] = typeof option === "string" ? [option] : option;
    command.option(flags, description ?? inputNamed(flags, operation).description);
  }
  const { namespace } = operation.input.shape;
  if (namespace !== undefined) command.addOption(namespaceOption(namespace));
  const keys = Object.keys("shape" in operation.output ? (operation.output.shape as object) : {});
  command.option("--json", keys.length > 0 && keys.length < 7 ? `{${keys.join(", ")}}` : answers);
  const names = command.registeredArguments.map((each) => each.name());
  const load = async () => {
    const { callOperation } = await import("./call-operation.ts");
    return (context: CommandContext, ...given: unknown[]) => {
      const values = Object.fromEntries(names.map((name, at) => [name, given[at]]));
      return callOperation(context, called, { ...(given.at(-1) as ResultOptions), ...values });
    };
  };
  command.action(does(load));
}

/** The input of an argument or option: `<host...>` gives one of `hosts`. */
function inputNamed(word: string, { input: { shape } }: Operation) {
  const name = nameIn(word);
  const found = shape[name] ?? shape[`${name}s`] ?? (name === "namespace" ? shape.ns : undefined);
  const { description, options } = (found ?? {}) as { description?: string; options?: readonly string[] };
  return { description, choices: options };
}
