import { reviewLines } from "../app/operations/package-review.ts";
import type { InstalledPackage, PackageReview } from "../client/shapes.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./answer-or-say.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { terminalOf } from "./operation-commands.ts";
import { withPackage } from "./package-location.ts";
import { printJson, printLine } from "./print.ts";
import { readYes } from "./read-yes.ts";

export interface InstallOptions extends GlobalOptions {
  yes?: true;
  json?: true;
}

/**
 * `knack skills install`: shows the review, asks, and installs exactly what was reviewed. Without a person to ask it installs
 * only with `--yes`.
 */
export async function installSkill(
  context: CommandContext,
  source: string,
  options: InstallOptions,
): Promise<number> {
  return answerOrSay(context, options, ({ client }) =>
    withPackage(source, context.cwd, async (location) => {
      const { reviews } = await client.call("package.review", location);
      if (!options.json) printReviews(context, reviews);
      const agreed = options.yes === true || (await asked(context, reviews, options));
      if (!agreed) return notInstalled(context, source, reviews, options);
      const expected = reviews.map(({ hash }) => hash);
      const { installed } = await client.call("package.install", { ...location, expected });
      if (options.json) printJson(context, { installed, reviews });
      else printInstalled(context, installed);
      return exitCode.ok;
    }),
  );
}

function printReviews(context: CommandContext, reviews: readonly PackageReview[]): void {
  const terminal = terminalOf(context);
  for (const review of reviews) for (const line of reviewLines(review, terminal)) printLine(context, line);
}

function printInstalled(context: CommandContext, installed: readonly InstalledPackage[]): void {
  for (const { skill_id } of installed) {
    const name = plainLine(skill_id);
    const next = `enable it in a channel with /skill enable ${name}`;
    printLine(context, `${name} is installed. Nothing of it is active: ${next}`);
  }
}

/** Programs are not asked. */
async function asked(
  context: CommandContext,
  reviews: readonly PackageReview[],
  { json }: InstallOptions,
): Promise<boolean> {
  if (json) return false;
  const names = reviews.map(({ skill_id }) => plainLine(skill_id)).join(", ");
  return (await readYes(context, `Install ${names}?`)) ?? false;
}

function notInstalled(
  context: CommandContext,
  source: string,
  reviews: readonly PackageReview[],
  { json }: InstallOptions,
): number {
  const error = `Nothing was installed. When you agree with the review: knack skills install ${source} --yes`;
  if (json) printJson(context, { installed: [], reviews, error });
  else context.stderr.write(`${error}\n`);
  return exitCode.failed;
}
