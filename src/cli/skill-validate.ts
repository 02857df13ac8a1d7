import path from "node:path";
import { validatePackage } from "../skills/validate-package.ts";
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine } from "./print.ts";

/** `knack skills validate`: the strict Agent Skills check of a folder. */
export async function validateSkill(
  context: CommandContext,
  folder: string,
  options: { json?: true },
): Promise<number> {
  const { valid, errors } = await validatePackage(path.resolve(context.cwd, folder));
  if (options.json) printJson(context, { valid, errors });
  else if (valid) printLine(context, `${folder} is a valid skill.`);
  else {
    printLine(context, `${folder} is not a valid skill:`);
    for (const error of errors) printLine(context, `  ${error}`);
  }
  return valid ? exitCode.ok : exitCode.failed;
}
