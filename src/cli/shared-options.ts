import { InvalidArgumentError, Option } from "commander";
import type { z } from "zod";
import type { CommandLineForm, Operation } from "../app/operations/operation.ts";
import { parseExactly } from "../base/exact-number.ts";
import { misspelling, namespaceSpelling, type Spelling, threadSpelling } from "../base/place-names.ts";
import { isRecord } from "../base/record.ts";
import type { Json } from "../core/values/json.ts";
import { CommandError, exitCode } from "./command-context.ts";

/** An operation as a command of the command line. */
export interface OperationCommand {
  operation: Operation;
  form: CommandLineForm<unknown>;
}

/** The name in an argument or option: `host` of `[host...]`, `dry_run` of `--dry-run`. */
export function nameIn(word: string): string {
  return word.replace(/^[<[-]+|[^\w-].*$/g, "").replaceAll("-", "_");
}

const channelOption = (description = "channel, as platform:workspace:channel") =>
  new Option("--namespace <namespace>", description).argParser(parseNamespace);

/** `--namespace` of one channel, by default the operator's direct messages in the console. */
export const ownNamespaceOption = () => channelOption().default("console:local:dm");

/** `--namespace` of an operation: with the default of its input, a filter where the input may lack it, otherwise mandatory. */
export function namespaceOption(input: Pick<z.ZodType, "safeParse">): Option {
  const { success, data } = input.safeParse(undefined);
  if (!success) return channelOption().makeOptionMandatory();
  return data === undefined ? channelOption("only of this channel") : channelOption().default(data);
}

export function parseNamespace(text: string): string {
  return spelled(text, namespaceSpelling);
}

export function parseThread(text: string): string {
  return spelled(text, threadSpelling);
}

export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("expected a number from 0 to 65535");
}

export function parseCommand(text: string): string {
  if (/^[/／]/.test(text.trim())) return text.trim();
  throw new InvalidArgumentError('expected a command beginning with /, e.g. "/skill list"');
}

export function parseUser(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("expected a user id, e.g. U012AB3CD");
}

/** @throws CommandError without the address, which may contain a password */
export function parseDatabase(text: string): string {
  if (/^postgres(?:ql)?:\/\/./.test(text)) return text;
  throw new CommandError("--to: expected postgresql://USER:PASSWORD@HOST/DATABASE", exitCode.usage);
}

function spelled(text: string, spelling: Spelling): string {
  const problem = misspelling(text, spelling);
  if (problem === undefined) return text;
  throw new InvalidArgumentError(problem);
}

/**
 * Values given as `name=value`, in addition to those of a JSON object. They are strings; the skill converts them.
 * @throws CommandError for wrong usage
 */
export function parseValues(
  words: readonly string[],
  json: string | undefined,
  option: string,
  example: string,
): { [key: string]: Json } {
  const pairs = words.map((word): [string, string] => {
    const at = word.indexOf("=");
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
    const message = `${word} is not a value. Write name=value, e.g. text="hello world", or ${option} ${example}`;
    throw new CommandError(message, exitCode.usage);
  });
  const given = json === undefined ? undefined : parseObject(json, option, example);
  return { ...given, ...Object.fromEntries(pairs) };
}

/**
 * The JSON object of an option; `example` is a valid one, quoted for a shell.
 * @throws CommandError for wrong usage
 */
function parseObject(text: string, option: string, example: string): { [key: string]: Json } {
  const wrong = (reason: string) => {
    const message = `${option} is ${reason}. Write a JSON object, e.g. ${option} ${example}`;
    return new CommandError(message, exitCode.usage);
  };
  const value = parsed(text);
  if (value === undefined) throw wrong("not valid JSON");
  if (!isRecord(value)) throw wrong("not an object");
  return value;
}

function parsed(text: string): Json | undefined {
  try {
    return parseExactly(text) as Json;
  } catch {
    return undefined;
  }
}
