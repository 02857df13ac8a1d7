import { text } from "node:stream/consumers";
import { type CommandContext, CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

/** The text of an argument; `-` stands for the standard input. @throws CommandError when there is nothing in it */
export async function readText({ stdin }: CommandContext, argument: string): Promise<string> {
  const given = argument === "-" ? await text(stdin) : argument;
  if (given.trim() === "") throw new CommandError('There is no text. Try: knack ask "hello"', exitCode.usage);
  return given;
}
