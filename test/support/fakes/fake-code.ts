import type { CodeMeans, ScriptOutcome } from "../../../src/core/ports/work-means.ts";
import type { CodeRequest, CodeRunner } from "../../../src/core/skill/programs.ts";
import { writes } from "./folder-code.ts";

export const means: CodeMeans = {
  languages: ["python", "javascript", "bash"],
  packages: {},
  hosts: [],
  max_ms: 120_000,
};

/** Code that ran to its end. */
export function exited(stdout: string, more: Partial<Extract<ScriptOutcome, { status: "exited" }>> = {}) {
  return { status: "exited" as const, exit_code: 0, stdout, stderr: "", truncated: false, ...more };
}

/** "Runs" code: the test defines the effect of each program. */
export interface FakeCode extends CodeRunner {
  readonly ran: CodeRequest[];
}

export function fakeCode(
  work: (request: CodeRequest) => Promise<ScriptOutcome>,
  found: Awaited<ReturnType<CodeRunner["means"]>> = { ok: true, ...means },
): FakeCode {
  const ran: CodeRequest[] = [];
  return {
    ran,
    means: async () => found,
    async run(request) {
      ran.push(request);
      return await work(request);
    },
  };
}

/** Writes files into the folder and prints "done". */
export function codeThatWrites(files: Record<string, string>): FakeCode {
  return fakeCode(async ({ working }) => {
    if (working === undefined) throw new Error("no folder");
    await writes(files)(working);
    return exited("done\n");
  });
}
