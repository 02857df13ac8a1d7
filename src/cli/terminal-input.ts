import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { type CommandContext, CommandError, exitCode } from "./command-context.ts";

/**
 * Asks for a secret without showing the input. Undefined if nothing is typed, or if nobody can be asked.
 * @throws CommandError at Ctrl-C
 */
export async function readSecret(
  { stdin, stderr }: Pick<CommandContext, "stdin" | "stderr">,
  prompt: string,
): Promise<string | undefined> {
  if (stdin.isTTY !== true) return undefined;
  stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      lines.once("line", (line) => resolve(line.trim() || undefined));
      lines.once("close", () => resolve(undefined));
      lines.once("SIGINT", () => reject(new CommandError("Stopped.", exitCode.stopped)));
    });
  } finally {
    lines.close();
    stderr.write("\n");
  }
}

/** Whether an answer means yes. */
export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer);
}

/**
 * Asks on stderr; anything other than y or yes means no. Undefined if nobody can be asked.
 * @throws CommandError at Ctrl-C
 */
export async function readYes(terminal: Asking, question: string): Promise<boolean | undefined> {
  const answer = await readAnswer(terminal, `${question} [y/N]`);
  return answer === undefined ? undefined : isYes(answer);
}

type Asking = Pick<CommandContext, "stdin" | "stderr">;

/** Asks on stderr for one line; empty at the end of the input. Undefined if nobody can be asked. @throws CommandError at Ctrl-C */
export async function readAnswer({ stdin, stderr }: Asking, question: string): Promise<string | undefined> {
  if (stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once("SIGINT", () =>
        reject(new CommandError("Stopped. Nothing was installed.", exitCode.stopped)),
      );
      lines.once("close", () => resolve(""));
      lines.question(`${question} `, (line) => resolve(line.trim()));
    });
  } finally {
    lines.close();
  }
}

/** The text of an argument; `-` reads the standard input. @throws CommandError for an empty text */
export async function readText({ stdin }: CommandContext, argument: string): Promise<string> {
  const given = argument === "-" ? await text(stdin) : argument;
  if (given.trim() === "") throw new CommandError('There is no text. Try: knack ask "hello"', exitCode.usage);
  return given;
}
