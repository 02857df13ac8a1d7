import { readdir } from "node:fs/promises";
import path from "node:path";
import { validatePlugin } from "../imported/validate-plugin.ts";
import { validatePackage } from "../skills/validate-package.ts";
import type { CommandContext } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine } from "./print.ts";

/** `knack skills validate`: the strict Agent Skills check of a folder; one with a plugin.json alone is checked as AnythingLLM's. */
export async function validateSkill(
  context: CommandContext,
  folder: string,
  options: { json?: true },
): Promise<number> {
  const verdict = await validate(path.resolve(context.cwd, folder));
  const { valid, errors } = verdict;
  if (options.json) printJson(context, verdict);
  else if (valid) printLine(context, `${folder} is a valid skill.`);
  else {
    printLine(context, `${folder} is not a valid skill:`);
    for (const error of errors) printLine(context, `  ${error}`);
  }
  for (const warning of verdict.warnings ?? []) context.stderr.write(`warning: ${warning}\n`);
  return valid ? exitCode.ok : exitCode.failed;
}

async function validate(
  directory: string,
): Promise<{ valid: boolean; errors: string[]; warnings?: string[] }> {
  const asPackage = await validatePackage(directory);
  const hasDocument = await hasSkillDocument(directory);
  return hasDocument ? asPackage : ((await validatePlugin(directory)) ?? asPackage);
}

async function hasSkillDocument(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch((): string[] => []);
  return names.some((name) => /^skill\.md$/i.test(name));
}
