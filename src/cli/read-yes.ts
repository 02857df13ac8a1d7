import { createInterface } from "node:readline";
import { type CommandContext, CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

/**
 * Asks on stderr; anything but y or yes is a no. Undefined where nobody can be asked.
 * @throws CommandError at Ctrl-C
 */
export async function readYes(
  { stdin, stderr }: Pick<CommandContext, "stdin" | "stderr">,
  question: string,
): Promise<boolean | undefined> {
  if (stdin.isTTY !== true) return undefined;
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    return await new Promise<boolean>((resolve, reject) => {
      lines.once("SIGINT", () =>
        reject(new CommandError("Stopped. Nothing was installed.", exitCode.stopped)),
      );
      lines.once("close", () => resolve(false));
      lines.question(`${question} [y/N] `, (line) => resolve(/^y(es)?$/i.test(line.trim())));
    });
  } finally {
    lines.close();
  }
}
