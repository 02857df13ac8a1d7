import type { CommandContext } from "./command-context.ts";

/** One JSON value as one line of the standard output. */
export function printJson({ stdout }: Pick<CommandContext, "stdout">, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine({ stdout }: Pick<CommandContext, "stdout">, line: string): void {
  stdout.write(`${line}\n`);
}

/** Whether colours are wanted: on a terminal, unless NO_COLOR is set (https://no-color.org). */
export function wantsColours({ stdout, env }: Pick<CommandContext, "stdout" | "env">): boolean {
  return stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
}
