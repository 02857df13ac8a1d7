import type { ScriptOutcome } from "../ports/work-means.ts";
import { addCommand, type PackageLanguage } from "../skill/packages.ts";
import { cut, cutNote } from "../values/cut.ts";

/** How Python and Node say that a module is missing. */
const modules: readonly { language: PackageLanguage; pattern: RegExp }[] = [
  { language: "python", pattern: /^ModuleNotFoundError: No module named '([A-Za-z_]\w*)/gm },
  { language: "node", pattern: /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)/g },
];

/** How bash, dash, coreutils and Node say that a program is missing. */
const programs: readonly RegExp[] = [
  /: ([A-Za-z][\w.+-]*): command not found$/gm,
  /: \d+: ([A-Za-z][\w.+-]*): not found$/gm,
  /(?:^(?:\/usr\/bin\/)?env:|: failed to run command) ['‘]([A-Za-z][\w.+-]*)['’]: No such file or directory$/gm,
  /\bspawn(?:Sync)? ([A-Za-z][\w.+-]*) ENOENT\b/g,
];

/** How Python says it, after a traceback that shows that it started a program. */
const started = "in _execute_child\n";
const pythonProgram = /^FileNotFoundError: .*: '([A-Za-z][\w.+-]*)'$/gm;

/** Maximum characters shown of the error output of a program that succeeded. */
const maxComplaint = 2_000;

/**
 * What a program that succeeded printed, for a model, and what it said it lacks. Of a long error output, e.g. about a failure within a
 * pipe, the end is the most informative part.
 */
export function printedParts({
  stdout,
  stderr,
  truncated,
}: Pick<Extract<ScriptOutcome, { status: "exited" }>, "stdout" | "stderr" | "truncated">): string[] {
  const complaint = stderr.trim();
  return [
    ...lostOutput(truncated),
    stdout.trimEnd(),
    ...(complaint === "" ? [] : [`[error output: ${cut(complaint, -maxComplaint)}]`]),
    missingMeansHint(complaint) ?? "",
  ].filter((part) => part !== "");
}

/** The note that precedes output of which the rest was not kept. */
export function lostOutput(truncated: boolean): string[] {
  if (!truncated) return [];
  return [cutNote("the program printed more than is kept", "let it print less, or write to a file")];
}

/** What an operator can do about modules and programs that code said it lacks, for the person; undefined if it said nothing of the kind. */
export function missingMeansHint(printed: string): string | undefined {
  const missing = (pattern: RegExp) => [...printed.matchAll(pattern)].map(([, name = ""]) => name);
  const commands = modules.flatMap(({ language, pattern }) => {
    const names = new Set(missing(pattern));
    return names.size === 0 ? [] : [addCommand(language, [...names])];
  });
  const patterns = printed.includes(started) ? [...programs, pythonProgram] : programs;
  const names = [...new Set(patterns.flatMap(missing))].join(", ");
  const install =
    names === "" ? [] : [`install the program ${names} on the bot's machine, in /usr or /usr/local`];
  const cures = [...commands.map((command) => `run \`${command}\``), ...install].join(" and ");
  if (cures === "") return undefined;
  return `The sandbox has no network to install it: go on without it, or tell the person that an operator can ${cures}.`;
}
