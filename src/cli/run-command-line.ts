import { CommanderError } from "commander";
import { CommandError, type CommandProcess, exitCode, Output } from "./command-context.ts";
import { createProgram, operationFamilies } from "./program.ts";

/** Runs one command line (without the program's name) and returns its exit code. Errors go to stderr. */
export async function runCommandLine(
  argv: readonly string[],
  process: CommandProcess,
  version: string,
): Promise<number> {
  const context = { ...process, out: new Output(process) };
  let code: number = exitCode.ok;
  const { allOperations } = argv.some((word) => operationFamilies.includes(word))
    ? await import("../app/operations/table.ts")
    : { allOperations: [] };
  const done = (exit: number) => {
    code = exit;
  };
  const program = createProgram(context, version, done, allOperations);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
    context.out.note(describeError(error));
    return error instanceof CommandError ? error.exitCode : exitCode.failed;
  }
}

/** Errors with a `code` have a message for people. Others are bugs, whose report needs the stack. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `knack: ${String(error)}`;
  return "code" in error
    ? `knack: ${error.message}`
    : `knack: an unexpected error. ${error.stack ?? error.message}`;
}
