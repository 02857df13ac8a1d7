import type { Command } from "commander";
import type { CommandLineForm, Operation, Terminal } from "../app/operations/operation.ts";
import { allOperations } from "../app/operations/table.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./bot-connection.ts";
import {
  type CommandContext,
  exitCode,
  type GlobalOptions,
  printJson,
  printLine,
  type Run,
  wantsColours,
} from "./command-context.ts";
import { namespaceOption, onlyNamespaceOption } from "./shared-options.ts";

type Form = CommandLineForm<unknown, unknown>;
type Options = GlobalOptions & { json?: true };

/** The commands that are operations: of a group, `skills` of `skills grant`, or those of one word, of the program itself. */
export function addOperationCommands(
  parent: Command,
  context: CommandContext,
  run: Run,
  operations: readonly Operation[] = allOperations,
): void {
  for (const operation of operations) {
    for (const form of operation.commandLine ?? []) {
      const words = form.command.split(" ");
      const [name = "", group = parent.parent === null ? parent.name() : ""] = words.reverse();
      if (group === parent.name()) addCommand(parent.command(name), operation, form, context, run);
    }
  }
}

function addCommand(
  command: Command,
  operation: Operation,
  form: Form,
  context: CommandContext,
  run: Run,
): void {
  command.description(form.description);
  for (const [name, description] of form.arguments ?? []) command.argument(name, description);
  for (const [flags, description] of form.options ?? []) command.option(flags, description);
  const { namespace } = operation.input.shape;
  if (namespace !== undefined) {
    const hasDefault = namespace.safeParse(undefined).data !== undefined;
    command.addOption(hasDefault ? namespaceOption() : onlyNamespaceOption());
  }
  command.option("--json", form.json);
  command.action(() => {
    const given = {
      ...command.optsWithGlobals(),
      ...Object.fromEntries(
        command.registeredArguments.map((each, at) => [each.name(), command.processedArgs[at]]),
      ),
    };
    return run(() => runCommand(operation, form, given, context));
  });
}

async function runCommand(
  operation: Operation,
  form: Form,
  given: Options & Record<string, unknown>,
  context: CommandContext,
): Promise<number> {
  const { read = (options) => options, settled, needsBot, failed } = form;
  const { config, json } = given;
  const shape = Object.keys(operation.input.shape);
  const asked = Object.entries(read(given as never) as object).filter(([key]) => shape.includes(key));
  const input = Object.fromEntries(asked);
  const options = {
    ...(config === undefined ? {} : { config }),
    ...(json ? { json } : {}),
    ...(settled ? { settled } : {}),
  };
  return answerOrSay(context, options, async ({ client, remote }) => {
    if (needsBot !== undefined && remote === undefined) {
      const error = `The bot has to run for this, ${needsBot}. Start it with: knack start`;
      context.stderr.write(`${error}\n`);
      if (json) printJson(context, { error });
      return exitCode.failed;
    }
    const output = await (client.call as unknown as (name: string, input: object) => Promise<unknown>)(
      operation.name,
      input,
    );
    say(context, form, { input, output, json: json === true, here: remote === undefined });
    return failed?.(output, input) ? exitCode.failed : exitCode.ok;
  });
}

interface Answered {
  input: object;
  output: unknown;
  json: boolean;
  /** No bot was running, so this one ends with the command. */
  here: boolean;
}

function say(
  context: CommandContext,
  { print, diagnose, warn }: Form,
  { input, output, json, here }: Answered,
): void {
  const terminal = terminalOf(context);
  if (json) printJson(context, output);
  else for (const line of print(output, terminal, input)) printLine(context, line);
  const diagnosed = json ? [] : (diagnose?.(output, terminal) ?? []);
  const warned = warn?.(output, terminal, here) ?? [];
  for (const line of [...diagnosed, ...warned]) context.stderr.write(`${line}\n`);
}

export function terminalOf(context: CommandContext): Terminal {
  const { bold, dim, good, code: warn, bad } = createPaint(wantsColours(context));
  return { plain: plainLine, bold, dim, good, warn, bad, now: context.clock.now() };
}
