import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { type CommandContext, CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

/**
 * Asks for a secret without showing what is typed. Undefined when nothing is typed, or where nobody can be asked.
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
