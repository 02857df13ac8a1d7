import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import {
  type InstalledPackage,
  installedPackage,
  type LeftOut,
  leftOut,
  type PackageOutcome,
  type PackageReview,
  packageReview,
} from "../../../core/skill/packages.ts";
import type { Skill } from "../../../core/skill/skill.ts";
import { resolveSkillId } from "../../../core/skill/skill-identifier.ts";
import { currentVersion } from "../../../core/skill/taught-skills.ts";
import type { Outcome } from "../../../core/values/failure.ts";
import { skillId } from "../../services/shapes.ts";
import { noSuchSkill } from "../../services/skill-service.ts";
import { operation, operators } from "../operation.ts";
import type { CommandOption, Services } from "../services.ts";
import { findSkill, skillOption, whichSkill } from "../skills/find-skill.ts";
import { choicesText, installedText, reviewText } from "./package-review.ts";
import { packageForm, packageInWords, packageLocation, sourceOf } from "./package-source.ts";
import { guideReader } from "./second-opinion.ts";

const who = operators("install, update or remove skills");
const input = z.object({ id: skillId });
const left_out = z.array(leftOut).optional().describe("what of the package is not in it, and why");
/** Installed skills, none of them active. */
const installed = z.object({ installed: z.array(installedPackage), left_out });

/** The argument of commands about one skill. */
const named = {
  read: (words: string) => (words === "" ? undefined : { id: words }),
  missing: whichSkill,
};

const installedOption: CommandOption = {
  ...skillOption,
  complete: async ({ packages }) =>
    (await packages.list()).map(({ skill_id, from }) => ({ text: skill_id, description: `from ${from}` })),
};

export const listPackages = operation({
  name: "package.list",
  input: z.object({}),
  output: z.object({ packages: z.array(installedPackage) }),
  who: "anyone",
  http: {
    route: "GET /packages",
    summary: "What is installed",
    answers: "installed skills with their reviews",
  },
  run: async ({ services }) => ({ ok: true, value: { packages: await services.packages.list() } }),
});

export const reviewPackage = operation({
  name: "package.review",
  input: packageLocation,
  output: z.object({ reviews: z.array(packageReview), left_out }),
  who,
  http: {
    route: "POST /packages/review",
    form: packageForm,
    ownMachine: ["path"],
    summary: "What a package would bring; installs nothing",
    answers: "one review per skill in it",
  },
  async run(call) {
    const source = await sourceOf(call);
    if (!source.ok) return source;
    const { services, signal, input } = call;
    const reading = { signal, reader: guideReader(call), only: input.only, most: input.most };
    const done = await services.packages.review(source.value, reading);
    return outcomeWith(done, (reviews) => ({ reviews }));
  },
});

export const installPackage = operation({
  name: "package.install",
  input: packageLocation,
  output: installed,
  who,
  http: {
    route: "POST /packages",
    form: packageForm,
    ownMachine: ["path"],
    summary: "Install skills from an address or an archive; nothing of them is active",
    answers: "what was installed, with its review",
  },
  chat: {
    command: "skill install",
    public: true,
    description: "Installs a skill from a .zip, .tar.gz or git address, or the attached archive",
    options: [
      {
        name: "address",
        description: "Where the package is: https://…/skill.zip, .tar.gz, or a git address",
        required: true,
      },
      {
        name: "skills",
        description: "Of many skills: all, or the names of some with commas",
        usage: "[all | names]",
      },
    ],
    read: packageInWords,
  },
  text: (done, _input, reading) => installedText(done, "installed", reading),
  async run(call) {
    const source = await sourceOf(call);
    if (!source.ok) return source;
    const { input, asker, services, signal } = call;
    // Who expects certain files has seen their review, with the opinion.
    const reader = input.expected === undefined ? guideReader(call) : undefined;
    const { expected, only, most } = input;
    const options = { by: asker.by.id, signal, expected, only, most, reader };
    const done = await services.packages.install(source.value, options);
    if (call.command !== undefined && !done.ok && done.choices !== undefined) {
      return { ok: false, status: 409, code: done.code, message: choicesText(done.choices, input.url) };
    }
    return installedIn(done);
  },
  audit: ({ installed }) => installed.map((each) => note("installed", each)),
});

export const updatePackage = operation({
  name: "package.update",
  input,
  output: installed,
  who,
  http: {
    route: "POST /packages/{id}/update",
    summary: "Install a skill again from where it came from",
    answers: "what was installed, with its review",
  },
  chat: {
    ...named,
    command: "skill update",
    public: true,
    description: "Installs a skill again from where it came from",
    options: [installedOption],
  },
  commandLine: { command: "skills update <id>" },
  text: (done, _input, reading) => installedText(done, "updated", reading),
  async run(call) {
    const { input, asker, services, signal } = call;
    const id = await installedId(input.id, services);
    if (!id.ok) return id;
    const options = { by: asker.by.id, signal, reader: guideReader(call) };
    return installedIn(await services.packages.update(id.value, options));
  },
  audit: ({ installed }) => installed.map((each) => note("updated", each)),
});

export const removePackage = operation({
  name: "package.remove",
  input,
  output: z.object({ removed: installedPackage }),
  who,
  http: {
    route: "DELETE /packages/{id}",
    summary: "Remove an installed skill",
    answers: "what was removed",
  },
  chat: {
    ...named,
    command: "skill remove",
    public: true,
    description: "Removes an installed skill",
    options: [installedOption],
  },
  commandLine: { command: "skills remove <id>" },
  text: ({ removed: { skill_id, from } }) =>
    `**${skill_id}** is removed. It came from \`${from.replaceAll("`", "")}\` and can be installed again from there.`,
  async run({ input, services }) {
    const id = await installedId(input.id, services);
    if (!id.ok) return id;
    const removed = outcomeOf(await services.packages.remove(id.value));
    return removed.ok ? { ok: true, value: { removed: removed.value } } : removed;
  },
  audit: ({ removed }) => note("removed", removed),
});

export const reviewSkill = operation({
  name: "skill.review",
  input,
  output: packageReview,
  who: "anyone",
  http: {
    route: "GET /skills/{id}/review",
    summary: "What a skill's files do, and what looks dangerous in them",
    answers: "what it is and can do",
  },
  chat: {
    ...named,
    command: "skill review",
    description: "Shows what a skill's files do, and what looks dangerous in them",
    options: [skillOption],
  },
  commandLine: { command: "skills review <id>" },
  text: (review, _input, reading) => reviewText(review, reading),
  async run({ input, asker, services }) {
    const skill = await findSkill(input.id, services);
    if (!skill.ok) return skill;
    if (skill.value.taught !== undefined) return reviewTaught(skill.value, asker.namespace, services);
    return outcomeOf(await services.packages.reviewSkill(skill.value.parent ?? skill.value.id));
  },
});

/** A skill that was made in the chat is one text, which only channels that may have it read. */
async function reviewTaught(
  skill: Skill,
  namespace: string,
  { skills, teaching, packages }: Services,
): Promise<Outcome<PackageReview>> {
  const here = await skills.detail(skill.id, namespace);
  const made = here?.id === skill.id ? await teaching?.get(skill.id) : undefined;
  if (made === undefined) return noSuchSkill(skill.id, []);
  return outcomeOf(await packages.reviewText(skill, currentVersion(made).text));
}

function note(done: "installed" | "updated" | "removed", { skill_id, from }: InstalledPackage) {
  const detail = `${done} **${skill_id}** (from ${escapeMarkdown(oneLine(from, 300))})`;
  return { action: `package_${done}`, subject: skill_id, detail };
}

function installedIn(done: PackageOutcome<InstalledPackage[]>) {
  return outcomeWith(done, (installed) => ({ installed }));
}

/** An outcome with what of the package was left out. */
function outcomeWith<T, U extends object>(
  done: PackageOutcome<T>,
  shape: (value: T) => U,
): Outcome<U & { left_out?: LeftOut[] | undefined }> {
  if (!done.ok) return outcomeOf(done);
  return { ok: true, value: { ...shape(done.value), left_out: done.left_out } };
}

/** Codes of `Packages` with a status other than 409. */
const statuses: Record<string, 404 | 413> = {
  not_installed: 404,
  skill_gone: 404,
  unknown_skill: 404,
  too_large: 413,
  archive_too_large: 413,
};

/** A result of `Packages` as an outcome. */
function outcomeOf<T>(outcome: PackageOutcome<T>): Outcome<T> {
  if (outcome.ok) return outcome;
  const { code, reason } = outcome;
  return { ok: false, status: statuses[code] ?? 409, code, message: reason };
}

/** The id of an installed skill. A failure says why there is none with that name. */
async function installedId(text: string, services: Services): Promise<Outcome<string>> {
  const ids = (await services.packages.list()).map(({ skill_id }) => skill_id);
  const resolved = resolveSkillId(text, ids);
  if (resolved.status === "found") return { ok: true, value: resolved.id };
  const there = await findSkill(text, services);
  if (there.ok) {
    const message = `${there.value.id} was not installed, so there is nothing to remove or update: its files were copied in, or it ships with the bot.`;
    return { ok: false, status: 409, message };
  }
  const known = ids.length > 0 ? `There is: ${ids.slice(0, 20).join(", ")}.` : "Nothing is installed.";
  const hint = resolved.nearest.length > 0 ? `Did you mean ${resolved.nearest.join(" or ")}?` : known;
  return { ok: false, status: 404, message: `There is no installed skill called ${text || "that"}. ${hint}` };
}
