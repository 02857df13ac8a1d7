import type { CodeLanguage, ScriptOutcome } from "../../src/core/code.ts";
import { SkillFailure } from "../../src/core/define-skill.ts";
import type { Json } from "../../src/core/json.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import type { CodeWork } from "../../src/core/work-context.ts";

/** Characters of output that are kept. */
const mostOutput = 12_000;

/** What came of a run. */
export interface Ran {
  ok: boolean;
  /** What was printed; of a failure the error too. */
  output: string;
  notes: string[];
}

/** The sandbox, and a model that writes. @throws SkillFailure where one is missing */
export function requireCode({ code, generative }: ToolContext): CodeWork {
  if (!generative)
    throw new SkillFailure(
      "no_model",
      "Programs are written by a language model, and none is set up.",
      "Say so.",
    );
  if (code !== undefined && code.means.languages.length > 0) return code;
  throw new SkillFailure(
    "no_sandbox",
    "No code can be run here.",
    "Tell the person that whoever runs the bot sees why with knack doctor.",
  );
}

/** What programs find, for who writes them. */
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
  program: { language: CodeLanguage; code: string; about: string },
  { code, context }: { code: CodeWork; context: ToolContext },
): Promise<Ran> {
  const ran = await context.step(step, async (): Promise<Json> => {
    const { outcome, notes } = await code.run(program);
    return { ...outcomeOf(outcome), notes: [...notes] };
  });
  return ran as unknown as Ran;
}

function outcomeOf(outcome: ScriptOutcome): { ok: boolean; output: string } {
  if (outcome.status === "refused") throw new SkillFailure("refused", outcome.reason, "Tell the person.");
  const { stdout, stderr } = outcome;
  if (outcome.status === "timed_out")
    return { ok: false, output: cut(`It was stopped: it took too long.\n${stderr}\n${stdout}`) };
  const ok = outcome.exit_code === 0;
  return { ok, output: cut(ok ? stdout : `It ended with ${outcome.exit_code}.\n${stderr}\n${stdout}`) };
}

function cut(text: string): string {
  if (text.length <= mostOutput) return text.trim();
  return `${text.slice(0, mostOutput / 2)}\n[…]\n${text.slice(-mostOutput / 2)}`.trim();
}

export const endings: Readonly<Record<CodeLanguage, string>> = {
  python: "py",
  javascript: "mjs",
  bash: "sh",
};
