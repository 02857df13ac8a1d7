import type { ScriptOutcome } from "../ports/code.ts";
import type { Skill } from "../skill/skill.ts";
import type { ToolContext, ToolResult } from "../skill/tool.ts";
import { failure, ok } from "./meta-tool.ts";
import { missingVariables } from "./script-environment.ts";

/** Characters of the error output of a script that ended well. */
const longestComplaint = 2_000;

/**
 * What a model reads of a script's end. `notes` tell of the files it left, `networkHint` what it could not reach.
 */
export function scriptResult(
  { skill, name }: { skill: Skill; name: string },
  outcome: ScriptOutcome,
  context: ToolContext,
  { notes, networkHint }: { notes: readonly string[]; networkHint: string | undefined },
): ToolResult {
  switch (outcome.status) {
    case "refused":
      return failure("refused", outcome.reason, scriptsOf(skill));
    case "timed_out": {
      const message = `${name} was stopped: it took longer than ${skill.max_execution_seconds} s.`;
      return failure("timed_out", [`${message} ${outcome.stderr}`.trim(), ...notes].join("\n"), networkHint);
    }
    case "exited": {
      const { exit_code, stdout, stderr } = outcome;
      if (exit_code !== 0) {
        const hints = [networkHint, missingVariables(skill, context.env)].filter(
          (hint) => hint !== undefined,
        );
        const message = [`${name} ended with ${exit_code}: ${stderr || stdout}`.trimEnd(), ...notes].join(
          "\n",
        );
        return failure("script_failed", message, hints.length === 0 ? undefined : hints.join(" "));
      }
      const cut = outcome.truncated ? ["[output cut]"] : [];
      return ok([stdout, ...complaintsOf(stderr), ...cut, ...notes].join("\n"));
    }
  }
}

/** What a script that ended well wrote to its error output, e.g. a failure within a pipe. The end says the most. */
function complaintsOf(stderr: string): string[] {
  const said = stderr.trim();
  if (said === "") return [];
  const shown = said.length > longestComplaint ? `…${said.slice(-longestComplaint)}` : said;
  return [`[error output: ${shown}]`];
}

function scriptsOf({ code }: Skill): string | undefined {
  const names = Object.keys(code?.entry_points ?? {});
  return names.length === 0 ? undefined : `Its entry points: ${names.join(", ")}.`;
}
