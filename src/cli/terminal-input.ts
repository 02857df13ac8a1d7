import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { type CommandContext, CommandError, exitCode } from "./command-context.ts";

/** Whether an answer means yes. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer);
}

/**
 * Asks on stderr for one line; a secret is not shown. Undefined at the end of the input, or if nobody can be asked.
 * @throws CommandError at Ctrl-C
 */
export async function readAnswer(
  { stdin, stderr }: Pick<CommandContext, "stdin" | "stderr">,
  question: string,
  { secret = false } = {},
): Promise<string | undefined> {
  if (stdin.isTTY !== true) return undefined;
  if (secret) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: secret ? silent : stderr, terminal: true });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      lines.once("SIGINT", () => reject(new CommandError("Stopped. Nothing was changed.", exitCode.stopped)));
      lines.once("close", () => resolve(undefined));
      lines.question(question, (line) => resolve(line.trim()));
    });
  } finally {
    lines.close();
    if (secret) stderr.write("\n");
  }
}

/** The text of an argument; `-` reads the standard input. @throws CommandError for an empty text */
export async function readText({ stdin }: CommandContext, argument: string): Promise<string> {
  const given = argument === "-" ? await text(stdin) : argument;
  if (given.trim() === "") throw new CommandError('There is no text. Try: knack ask "hello"', exitCode.usage);
  return given;
}
