/** Code that runs in the sandbox: what a model may write, and how a run ends. */

import type { Redactor } from "../values/redact.ts";

/** Languages that a model's code may be written in. */
export const codeLanguages = ["python", "javascript", "bash"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** What code of a model finds here. */
export interface CodeMeans {
  /** Those whose programs are there. */
  languages: readonly CodeLanguage[];
  /** Prepared packages, by language: `numpy 2.3.1`. */
  packages: Readonly<Partial<Record<CodeLanguage, readonly string[]>>>;
  /** Packages for Python that the machine has anyway: those that models would not count on without being told. */
  of_machine?: readonly string[];
  /** Hosts that it may reach. */
  hosts: readonly string[];
  /** How long it may run, ms. */
  max_ms: number;
}

/** How a run of code ended. */
export type ScriptOutcome =
  | {
      status: "exited";
      exit_code: number;
      stdout: string;
      stderr: string;
      truncated: boolean;
    }
  | { status: "timed_out"; stdout: string; stderr: string }
  | { status: "refused"; reason: string };

/** The outcome without secrets, and without the beginning of one where what was printed is cut. */
export function redactOutcome(outcome: ScriptOutcome, redact: Redactor): ScriptOutcome {
  if (outcome.status === "refused") return redact(outcome);
  const isCut = outcome.status === "timed_out" || outcome.truncated;
  const clean = (text: string) => (isCut ? redact.stream().add(text) : redact(text));
  return { ...outcome, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) };
}
