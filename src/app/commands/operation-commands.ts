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
  said,
  shown,
} from "../operations/operation.ts";
import type { Services } from "../operations/services.ts";

type Form = ChatForm<unknown, unknown>;

/** The slash commands of operations, in the order of the table. */
export function operationCommands(operations: readonly Operation[]): Command[] {
  return operations.flatMap((operation) =>
    [operation.chat ?? []].flat().flatMap((form) => {
      const command = commandOf(operation, form);
      if (form.alsoAlone === undefined) return [command];
      const alone = form.command.slice(0, form.command.lastIndexOf(" "));
      return [command, { ...command, name: alone, partOf: form.command }];
    }),
  );
}

function commandOf(operation: Operation, form: Form): Command {
  const { command, read, options = [], alsoAlone: _, ...shown } = form;
  return {
    ...shown,
    name: command,
    options,
    usage: usageOf(form),
    operation: operation.name,
    read(words, place) {
      const input = read(words, place);
      return input === undefined ? undefined : toJson(input);
    },
    run: (call, services) =>
      "answer" in form ? form.answer(call, services) : runCommand(operation, form, call, services),
  };
}

/** The options as help shows them: `<skill> [words]`. */
function usageOf({ options = [] }: Form): string {
  const words = options.map(({ name, usage, required, type, choices }) => {
    if (usage !== undefined) return usage;
    if (choices !== undefined && required) return choices.map(({ text }) => text).join("|");
    if (required) return `<${name}>`;
    return `[${choices?.map(({ text }) => text).join("|") ?? (type === "flag" ? `--${name}` : name)}]`;
  });
  return words.join(" ");
}

async function runCommand(
  operation: Operation,
  form: Exclude<Form, { answer: unknown }>,
  command: CommandCall,
  services: Services,
): Promise<CommandResult> {
  const { command: name, missing = "", say } = form;
  if (command.input === undefined)
    return refused(typeof missing === "string" ? missing : missing(command.words));
  const parsed = operation.input.safeParse(command.input);
  if (!parsed.success)
    return refused(`${problemIn(parsed.error)} Write \`${`/${name} ${usageOf(form)}`.trim()}\`.`);
  const { author, place, signal, files } = command;
  const asker = { by: author, namespace: place.namespace };
  const call = { input: parsed.data, asker, services, signal, files, command };
  const outcome = await runOperation(operation, call);
  if (!outcome.ok) return refused(outcome.message);
  if (say !== undefined) return say(outcome.value, call);
  const text = operation.text?.(outcome.value, call.input, { whole: false, now: services.clock.now() }) ?? "";
  if (operation.failed?.(outcome.value, call.input)) return refused(text);
  return form.public ? said(text) : shown(text);
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
