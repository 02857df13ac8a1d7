import { openAsBlob } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { findingText, leftOutText, reviewsText } from "../app/operations/packages/package-review.ts";
import { maybeAddress, namesIn } from "../app/operations/packages/package-source.ts";
import { progressText } from "../app/operations/packages/reviewing.ts";
import type { OutputOf } from "../app/operations/table.ts";
import { skillDocument } from "../base/skill-places.ts";
import type { ApiClient } from "../client/api-client.ts";
import { ApiError } from "../client/api-error.ts";
import type { InstalledPackage, PackageContent, PackageLocation, PackageReview } from "../client/shapes.ts";
import { type Json, type JsonObject, objectOf, toJson } from "../core/values/json.ts";
import { exactJson, renderOutput } from "../core/values/shown.ts";
import { validatePlugin } from "../imported/plugin-file.ts";
import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import { validatePackage } from "../skills/document/validate-package.ts";
import { reportRefusals, withConnection } from "./bot-connection.ts";
import { type Call, followWork, markdownLines } from "./call-operation.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "./command-context.ts";
import { parseValues } from "./shared-options.ts";
import { isYes, readAnswer } from "./terminal-input.ts";

/** What is installed of a package, and how much of its review is shown. */
interface Installation extends ResultOptions {
  yes?: true;
  only?: string;
  details?: true;
}

/**
 * `knack skills install`: shows the review, asks, and installs exactly the reviewed files, of all skills or the chosen ones. Without a
 * person to ask it installs only with `--yes`.
 */
export async function installSkill(
  context: CommandContext,
  words: readonly string[],
  options: Installation,
): Promise<number> {
  const source = words.join(" ");
  const only = options.only === undefined ? undefined : namesIn(options.only);
  return reportRefusals(context, options, ({ client }) =>
    withPackage(source, context.cwd, async (place) => {
      const location = { ...place, only };
      const reviewed = await reviewOf(context, client, location, options);
      const { reviews } = reviewed;
      const chosen = options.yes === true ? reviews : await asked(context, reviews, options);
      if (chosen.length === 0) return notInstalled(context, source, reviewed, options);
      const ids = chosen.map(({ skill_id }) => skill_id);
      const some = chosen.length === reviews.length ? only : ids;
      const expected = chosen.map(({ hash }) => hash);
      const { installed } = await client.call("package.install", { ...location, only: some, expected });
      return context.out.result(options, { installed, ...reviewed }, () => [installedLine(installed)]);
    }),
  );
}

/** The review of a package. Shows its progress, the facts when they are there, and then what a model says of the guides. */
async function reviewOf(
  context: CommandContext,
  client: ApiClient,
  location: PackageLocation,
  options: Installation,
): Promise<PackageContent> {
  const print = (text: string) => {
    if (!options.json) for (const line of markdownLines(context, text)) context.out.line(line);
  };
  const onLine = options.json ? undefined : (line: string) => void context.out.note(plainLine(line));
  const begun = client.call("package.review", location);
  await followWork(progress, begun, client.call as unknown as Call, { clock: context.clock, onLine });
  const { opinions = [], ...content } = await begun;
  print(reviewsOf(content, options, opinions.length > 0));
  const reviews = await Promise.all(
    content.reviews.map(async (review) => {
      if (!opinions.includes(review.hash)) return review;
      const opinion = await client.call("package.opinion", { hash: review.hash }).catch(refusedOpinion);
      print(`**${plainLine(review.skill_id)}**\n${findingText(opinion)}`);
      return { ...review, findings: [...review.findings, opinion] };
    }),
  );
  return { ...content, reviews };
}

/** Why there is no opinion, as one. @throws all other errors */
function refusedOpinion(error: unknown): PackageReview["findings"][number] {
  if (!(error instanceof ApiError)) throw error;
  return { severity: "info", code: "opinion", message: error.detail };
}

const progress = {
  operation: "package.progress",
  look: (output: unknown) => {
    const { running } = output as OutputOf<"package.progress">;
    return { line: running.map((each) => `${each.from}: ${progressText(each)}`).join("; ") };
  },
  goesOn: () => false,
};

function reviewsOf(
  { reviews, left_out: leftOut = [] }: PackageContent,
  { details, only }: Installation,
  isRead: boolean,
): string {
  const max = details ? reviews.length : undefined;
  const shown = reviewsText(reviews, { whole: true, isRead }, max);
  if (shown.length < reviews.length) shown.push("Each in full: --details. Some of them: --only NAME,NAME");
  const left =
    only === undefined || details ? leftOut : leftOut.filter(({ code }) => code !== "unused_files");
  return [...shown, ...leftOutText(left, { whole: details === true })].join("\n\n");
}

function installedLine(installed: readonly InstalledPackage[]): string {
  const names = installed.map(({ skill_id }) => plainLine(skill_id));
  const [are, each] = names.length === 1 ? ["is", "it"] : ["are", "each of them"];
  const next = `Switch ${each} on in a channel with /skill enable ${names[0] ?? "ID"}`;
  return `${names.join(", ")} ${are} installed, and off in every channel. ${next}`;
}

/** Asks the person which to install; with `--json`, for programs, none. */
async function asked(
  context: CommandContext,
  reviews: readonly PackageReview[],
  { json }: Installation,
): Promise<readonly PackageReview[]> {
  if (json) return [];
  const [first, ...others] = reviews;
  const question =
    others.length === 0
      ? `Install ${plainLine(first?.skill_id ?? "")}? [y/N] `
      : `Install all ${reviews.length}? [y/N, or names with commas] `;
  const answer = (await readAnswer(context, question)) ?? "";
  if (isYes(answer) || answer.toLowerCase() === "all") return reviews;
  if (others.length === 0) return [];
  const names = namesIn(answer);
  const chosen = reviews.filter(({ skill_id }) => names.includes(skill_id));
  const unknown = names.filter((name) => !chosen.some(({ skill_id }) => skill_id === name));
  if (chosen.length === 0 || unknown.length === 0) return chosen;
  throw new CommandError(`There is no skill ${unknown.join(", ")} in it. Nothing was installed.`);
}

function notInstalled(
  context: CommandContext,
  source: string,
  reviewed: PackageContent,
  { json }: Installation,
): number {
  const place = /[\s#;&|'"$`]/.test(source) ? `'${source.replaceAll("'", "")}'` : source;
  const error = `Nothing was installed. When you agree with the review: knack skills install ${place} --yes`;
  if (json) context.out.json({ installed: [], ...reviewed, error });
  else context.out.note(error);
  return exitCode.failed;
}

/**
 * Runs `work` with the package a person named: an address, or a local folder or archive. A bot that refuses paths, or cannot
 * read this one because it runs in a container, gets the archive itself.
 * @throws CommandError if there is no such file, or if a folder would have to be sent
 */
export async function withPackage<T>(
  source: string,
  cwd: string,
  work: (location: PackageLocation) => Promise<T>,
): Promise<T> {
  const file = path.resolve(cwd, source);
  // Undefined if there is nothing.
  const isFolder = (await stat(file).catch(() => undefined))?.isDirectory();
  if (isFolder === undefined && maybeAddress(source)) return work({ url: source });
  if (isFolder === undefined)
    throw new CommandError(
      `${source} is not a folder, an archive or an address. Give a folder with a skill, a .zip, a .tar.gz, https://…, or OWNER/REPOSITORY`,
    );
  try {
    return await work({ path: file });
  } catch (error) {
    if (!(error instanceof ApiError) || !needsArchive.includes(error.code)) throw error;
    if (isFolder) {
      const advice = "Pack the folder (`tar -czf skill.tar.gz FOLDER`) and install the archive.";
      throw new CommandError(`${error.detail} ${advice}`, exitCode.failed, { cause: error });
    }
    return work({ file: new File([await openAsBlob(file)], path.basename(file)) });
  }
}

/** Error codes of a bot that refuses paths, or cannot read this one. */
const needsArchive = ["path_refused", "unreadable"];

/** `knack skills run`: the `invoke_skill` path without a model. */
export async function runSkill(
  context: CommandContext,
  id: string,
  values: readonly string[],
  options: ResultOptions & { namespace: string; params?: string },
): Promise<number> {
  if (values.length === 0 && options.params === undefined) {
    const message = `${id} was given no parameters. Write them as name=value, or --params '{}' if it takes none; \`knack skills run --help\` says more.`;
    throw new CommandError(message, exitCode.usage);
  }
  const params = parseValues(values, options.params, "--params", `'{"text": "hello"}'`);
  return withConnection(context, options, async ({ client }) => {
    const result = await client
      .call("skill.run", { id, params, namespace: options.namespace })
      .catch((error: unknown) => refusalOf(error));
    // Without a terminal the result is JSON, even without `--json`; a person at a terminal gets text.
    if (options.json) context.out.json(result);
    else if (context.stdout.isTTY !== true) context.out.line(exactJson(result));
    else printOutput(context, objectOf(result));
    return objectOf(result).success === true ? exitCode.ok : exitCode.failed;
  });
}

/** Prints the result as text, or the failure on stderr. */
function printOutput(context: CommandContext, result: JsonObject): void {
  if (result.success === true) context.out.line(plainText(renderOutput(result.output ?? null)));
  else {
    const { error = "It failed.", code, hint } = result;
    const next = hintsForPeople.includes(String(code)) && typeof hint === "string" ? ` ${hint}` : "";
    context.out.note(plainText(`${String(error).replace(/[^.?!…]$/, "$&.")}${next}`));
  }
}

/** Error codes whose hint is for people. The hint of a skill's own failure is for models. */
const hintsForPeople = ["skill_not_found", "waiting_for_person"];

/** A refusal in the form of a failed run. @throws all other errors */
function refusalOf(error: unknown): Json {
  if (!(error instanceof ApiError) || ![400, 404, 409].includes(error.status)) throw error;
  return toJson({ error: error.detail, code: error.code, ...error.more });
}

/**
 * `knack skills validate`: the strict Agent Skills check of a folder. A folder with only a plugin.json is checked as a plugin
 * of AnythingLLM.
 */
export async function validateSkill(
  context: CommandContext,
  folder: string,
  options: ResultOptions,
): Promise<number> {
  const verdict = await validate(path.resolve(context.cwd, folder));
  const { valid, errors } = verdict;
  const lines = () =>
    valid
      ? [`${folder} is a valid skill.`]
      : [`${folder} is not a valid skill:`, ...errors.map((error) => `  ${error}`)];
  const code = context.out.result(options, verdict, lines, valid);
  for (const warning of verdict.warnings ?? []) context.out.note(`warning: ${warning}`);
  return code;
}

async function validate(
  directory: string,
): Promise<{ valid: boolean; errors: string[]; warnings?: string[] }> {
  const names = await readdir(directory).catch((): string[] => []);
  const asPlugin = skillDocument(names) === undefined ? await validatePlugin(directory) : undefined;
  return asPlugin ?? (await validatePackage(directory));
}
