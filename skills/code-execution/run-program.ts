import type { CodeLanguage, ScriptOutcome } from "../../src/core/ports/work-means.ts";
import { requireModel, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import type { CodeWork } from "../../src/core/skill/work-context.ts";
import { cut } from "../../src/core/values/cut.ts";
import { ExpectedFailure } from "../../src/core/values/failure.ts";
import type { Json } from "../../src/core/values/json.ts";

/** Maximum characters kept of output and of errors. */
const maxOutput = 12_000;
const maxErrors = 4_000;

/** The result of a run. */
export interface Ran {
  ok: boolean;
  /** Whether the run timed out. */
  stopped: boolean;
  /** Output and errors, shortened to the limits. */
  output: string;
  notes: string[];
}

/** The sandbox; also requires a language model. @throws SkillFailure if either is missing */
export function requireCode(context: ToolContext): CodeWork {
  const { code } = context;
  requireModel(context, "Programs are written by");
  if (code !== undefined && code.means.languages.length > 0) return code;
  throw new SkillFailure(
    "no_sandbox",
    "No code can be run here.",
    "Tell the person that whoever runs the bot sees why with knack doctor.",
  );
}

/** The environment of programs, in words for the model that writes them. */
export function meansInWords({ means }: CodeWork): string {
  const packages = Object.entries(means.packages).map(
    ([language, names]) => `${language}: ${names.join(", ")}`,
  );
  const machine = means.of_machine ?? [];
  return [
    `Languages: ${means.languages.join(", ")}. Packages beside the standard library: ${[...packages, ...machine].join("; ") || "none"}; nothing can be installed.`,
    `Files of people are in /workspace/input (read only). What is written to the folder in the variable KNACK_OUTPUT_DIR the person gets. ${means.hosts.length === 0 ? "There is no network." : `Only ${means.hosts.join(", ")} can be reached.`} At most ${Math.round(means.max_ms / 1_000)} s.`,
  ].join("\n");
}

/** Runs a program as a step that is not repeated after a crash. */
export async function runProgram(
  step: string,
  program: Parameters<CodeWork["run"]>[0],
  { code, context }: { code: CodeWork; context: ToolContext },
): Promise<Ran> {
  const ran = await context.step(step, async (): Promise<Json> => {
    const { outcome, notes } = await code.run(program);
    const { ok, stopped, why, printed, errors } = endOf(outcome);
    const isCut = printed.length > maxOutput || (outcome.status === "exited" && outcome.truncated);
    return {
      ok,
      stopped,
      output: [why, cut(errors.trim(), -maxErrors), cut(printed.trim(), maxOutput)]
        .filter(Boolean)
        .join("\n"),
      notes: [...notes, ...(isCut ? ["The output is too long: a part of it is missing."] : [])],
    };
  });
  return ran as unknown as Ran;
}

/** Maximum runs for one task, repairs included. */
const maxRuns = 3;

/**
 * Runs what a model wrote, and has it repaired after each failure. If a repair fails, the last run counts, with a note.
 * @param run `failure`: what the repair has to know; undefined if nothing has to be repaired
 * @param repair `attempt`: the number of the next run, in words
 */
export async function runRepaired<Work, Made extends { notes: string[] }>(
  first: Work,
  run: (work: Work) => Promise<{ made: Made; failure?: string | undefined }>,
  repair: (work: Work, failure: string, attempt: string) => Promise<Work>,
): Promise<Made> {
  let work = first;
  for (let count = 1; ; count += 1) {
    const { made, failure } = await run(work);
    if (failure === undefined || count === maxRuns) return made;
    try {
      work = await repair(work, failure, `run ${count + 1} of ${maxRuns}`);
    } catch (error) {
      if (!(error instanceof ExpectedFailure)) throw error;
      made.notes.push(`The repair failed: ${error.message}`);
      return made;
    }
  }
}

function endOf(outcome: ScriptOutcome) {
  if (outcome.status === "refused") throw new SkillFailure("refused", outcome.reason, "Tell the person.");
  const { stdout: printed, stderr: errors } = outcome;
  const stopped = outcome.status === "timed_out";
  const ok = !stopped && outcome.exit_code === 0;
  const why = stopped
    ? "The program was stopped because it took too long."
    : `It ended with ${outcome.exit_code}.`;
  return { ok, stopped, why: ok ? "" : why, printed, errors };
}

export const endings: Readonly<Record<CodeLanguage, string>> = {
  python: "py",
  javascript: "mjs",
  bash: "sh",
};
