import { type Command, type CommandCall, type CommandResult, refused } from "../operations/command.ts";
import { type ChatForm, type Operation, runOperation, whatDoesNotFit } from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";

/** The slash commands of operations, in the order of the table. */
export function operationCommands(operations: readonly Operation[], services: Services): Command[] {
  return operations.flatMap((operation) =>
    (operation.chat ?? []).map((form) => commandOf(operation, form, services)),
  );
}

function commandOf(operation: Operation, form: ChatForm<unknown, unknown>, services: Services): Command {
  const { command, usage, description, complete } = form;
  return {
    name: command,
    usage,
    description,
    ...(complete === undefined ? {} : { complete: (namespace) => complete(services, namespace) }),
    run: (call) =>
      "answer" in form ? form.answer(call, services) : runCommand(operation, form, call, services),
  };
}

async function runCommand(
  operation: Operation,
  { read, missing = "", say }: Extract<ChatForm<unknown, unknown>, { say: unknown }>,
  command: CommandCall,
  services: Services,
): Promise<CommandResult> {
  const given = read(command.rest, command.place);
  if (given === undefined) return refused(missing);
  const parsed = operation.input.safeParse(given);
  if (!parsed.success) return refused(whatDoesNotFit(parsed.error));
  const { author, place, signal } = command;
  const asker = { by: author, namespace: place.namespace };
  const call = { input: parsed.data, asker, services, signal, command };
  const outcome = await runOperation(operation, call);
  return outcome.ok ? say(outcome.value, call) : refused(outcome.message);
}
