import type { SkillListing } from "../client/shapes.ts";
import { createPaint, type Paint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface SkillsOptions extends GlobalOptions {
  namespace: string;
  json?: true;
}

/** `knack skills list`: the skills of a namespace, and what was wrong with the others. */
export async function listSkills(context: CommandContext, options: SkillsOptions): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const { skills, diagnostics } = await client.skills({ namespace: options.namespace });
    if (options.json) {
      printJson(context, { skills, diagnostics });
      return exitCode.ok;
    }
    const paint = createPaint(wantsColours(context));
    const width = Math.max(0, ...skills.map((skill) => skill.id.length));
    for (const skill of skills) printLine(context, describeListing(skill, width, paint));
    if (skills.length === 0) printLine(context, "There are no skills here.");
    for (const { severity, path, code, message } of diagnostics) {
      context.stderr.write(`${severity}: ${plainLine(path)}: ${plainLine(message)} (${code})\n`);
    }
    return exitCode.ok;
  });
}

function describeListing(skill: SkillListing, width: number, paint: Paint): string {
  const reasons = skill.eligible
    ? ""
    : `\n  ${paint.bad("cannot be used:")} ${skill.reasons.map(plainLine).join(" ")}`;
  const state = skill.state.padEnd(9);
  const kind = skill.kind.padEnd(8);
  return `${paint.bold(skill.id.padEnd(width))}  ${state}  ${paint.dim(kind)}  ${plainLine(skill.description)}${reasons}`;
}
