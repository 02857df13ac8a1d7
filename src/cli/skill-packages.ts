import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./answer-or-say.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine, wantsColours } from "./print.ts";
import { reviewLines } from "./review-lines.ts";

export interface PackageOptions extends GlobalOptions {
  json?: true;
}

/** `knack skills remove`: an installed skill. */
export async function removeSkill(
  context: CommandContext,
  id: string,
  options: PackageOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const removed = await client.removePackage(id);
    if (options.json) printJson(context, { removed });
    else
      printLine(
        context,
        `${plainLine(removed.skill_id)} is removed. It came from ${plainLine(removed.from)}`,
      );
    return exitCode.ok;
  });
}

/** `knack skills update`: installs a skill again from where it came from. */
export async function updateSkill(
  context: CommandContext,
  id: string,
  options: PackageOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const installed = await client.updatePackage(id);
    if (options.json) printJson(context, { installed });
    const paint = createPaint(wantsColours(context));
    for (const { skill_id, review } of options.json ? [] : installed) {
      for (const line of reviewLines(review, paint)) printLine(context, line);
      const name = plainLine(skill_id);
      printLine(context, `${name} is updated. Where it was enabled, enable it again: /skill enable ${name}`);
    }
    return exitCode.ok;
  });
}

/** `knack skills review`: what a skill that is there is and can do. */
export async function reviewSkill(
  context: CommandContext,
  id: string,
  options: PackageOptions,
): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const review = await client.reviewSkill(id);
    if (options.json) printJson(context, review);
    else for (const line of reviewLines(review, createPaint(wantsColours(context)))) printLine(context, line);
    return exitCode.ok;
  });
}
