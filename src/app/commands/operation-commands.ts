import type { ZodError } from "zod";
import { type Json, parseJson } from "../../core/values/json.ts";
import {
  type ChatForm,
  type Command,
  type CommandCall,
  type CommandResult,
  inputProblems,
  type Operation,
  refused,
  runOperation,
} from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";

type Form = ChatForm<unknown, unknown>;

/** The slash commands of operations, in the order of the table. */
export function operationCommands(operations: readonly Operation[]): Command[] {
  return operations.flatMap((operation) => (operation.chat ?? []).map((form) => commandOf(operation, form)));
}

function commandOf(operation: Operation, form: Form): Command {
  const { command, read, usage = "", description = "", ...shown } = form;
  return {
    ...shown,
    name: command,
    usage,
    description,
    operation: operation.name,
    read(words, place) {
      const input = read(words, place);
      return input === undefined ? undefined : toJson(input);
    },
    run: (call, services) =>
      "answer" in form ? form.answer(call, services) : runCommand(operation, form, call, services),
  };
}

async function runCommand(
  operation: Operation,
  { command: name, usage = "", missing = "", say }: Extract<Form, { say: unknown }>,
  command: CommandCall,
  services: Services,
): Promise<CommandResult> {
  if (command.input === undefined)
    return refused(typeof missing === "string" ? missing : missing(command.words));
  const parsed = operation.input.safeParse(command.input);
  if (!parsed.success) return refused(`${problemIn(parsed.error)} Write \`${`/${name} ${usage}`.trim()}\`.`);
  const { author, place, signal, files } = command;
  const asker = { by: author, namespace: place.namespace };
  const call = { input: parsed.data, asker, services, signal, files, command };
  const outcome = await runOperation(operation, call);
  return outcome.ok ? say(outcome.value, call) : refused(outcome.message);
}

/** Why the input of a command is invalid, for people. The input may be anything, of any length. */
function problemIn(error: ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === "too_big" && issue.origin === "string")
    return `That is too long: the maximum is ${issue.maximum} characters.`;
  return `That is not valid (${inputProblems(error)}).`;
}

/** As it is stored. */
function toJson(input: unknown): Json {
  return parseJson(JSON.stringify(input));
}
