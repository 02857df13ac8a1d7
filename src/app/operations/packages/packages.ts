import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import {
  type InstalledPackage,
  installedPackage,
  type PackageOutcome,
} from "../../../core/skill/packages.ts";
import { resolveSkillId } from "../../../core/skill/skill-identifier.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { skillId } from "../../services/shapes.ts";
import { auditNote, type OperationCall, operation, said } from "../operation.ts";
import type { CommandOption, Services } from "../services.ts";
import { findSkill, skillOption } from "../skills/find-skill.ts";
import { left_out, named, outcomeOf, outcomeWith, who } from "./package-outcome.ts";
import { choicesText, installedText } from "./package-review.ts";
import { nameOf, packageForm, packageInWords, packageLocation, sourceOf } from "./package-source.ts";
import { reviewing } from "./review-packages.ts";
import { guideReader } from "./second-opinion.ts";

const input = z.object({ id: skillId });
/** Installed skills, none of them active. */
const installed = z.object({ installed: z.array(installedPackage), left_out });

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
  about: "bot",
  http: {
    route: "GET /packages",
    summary: "What is installed",
    answers: "installed skills with their reviews",
  },
  run: async ({ services }) => ({ ok: true, value: { packages: await services.packages.list() } }),
});

type Installed = z.input<typeof installed>;

/** The reviews of installed skills, with what a model says of their guides. */
async function withOpinions(done: Installed, call: OperationCall<unknown>): Promise<Installed> {
  const read = guideReader(call);
  const { reviewing } = call.services;
  const wanted = read === undefined ? [] : reviewing.toRead(done.installed);
  const opinions = await Promise.all(
    wanted.map(async (hash) => {
      const guide = reviewing.guide(hash);
      return [hash, guide && (await read?.(guide, call.signal))] as const;
    }),
  );
  const found = new Map(opinions);
  return {
    ...done,
    installed: done.installed.map((each) => {
      const opinion = found.get(each.hash);
      return opinion === undefined
        ? each
        : { ...each, review: { ...each.review, findings: [...each.review.findings, opinion] } };
    }),
  };
}

/** The answer in a chat: the facts at once, and then with the opinions. */
function inChat(what: "installed" | "updated") {
  return async (done: Installed, call: OperationCall<unknown>) => {
    const reading = { whole: false, now: call.services.clock.now() };
    if (guideReader(call) !== undefined)
      call.command?.show(installedText(done, what, { ...reading, isRead: true }));
    return said(installedText(await withOpinions(done, call), what, reading));
  };
}

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
    say: inChat("installed"),
  },
  text: (done, _input, reading) => installedText(done, "installed", reading),
  async run(call) {
    const source = await sourceOf(call);
    if (!source.ok) return source;
    const { input, asker, services, signal } = call;
    const { expected, only, most } = input;
    const done = await reviewing(call, nameOf(source.value), (onReviewed) =>
      services.packages.install(source.value, { by: asker.by.id, signal, expected, only, most, onReviewed }),
    );
    if (call.command !== undefined && !done.ok && done.choices !== undefined) {
      return { ok: false, status: 409, code: done.code, message: choicesText(done.choices, input.url) };
    }
    // Who expects certain files has seen their review, with the opinion.
    return installedIn(done, input.expected === undefined ? call : undefined);
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
    say: inChat("updated"),
  },
  commandLine: { command: "skills update <id>" },
  text: (done, _input, reading) => installedText(done, "updated", reading),
  async run(call) {
    const { input, asker, services, signal } = call;
    const id = await installedId(input.id, services);
    if (!id.ok) return id;
    const done = await reviewing(call, id.value, (onReviewed) =>
      services.packages.update(id.value, { by: asker.by.id, signal, onReviewed }),
    );
    return installedIn(done, call);
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

function note(done: "installed" | "updated" | "removed", { skill_id, from }: InstalledPackage) {
  const detail = `${done} **${skill_id}** (from ${escapeMarkdown(oneLine(from, 300))})`;
  return auditNote(`package_${done}`, skill_id, detail);
}

/** The result of an installation. A program that has seen no review gets the opinions with it; a chat adds them itself. */
async function installedIn(
  done: PackageOutcome<InstalledPackage[]>,
  call: OperationCall<unknown> | undefined,
): Promise<Outcome<Installed>> {
  const outcome = outcomeWith(done, (installed) => ({ installed }));
  if (!outcome.ok || call === undefined || call.command !== undefined) return outcome;
  return { ok: true, value: await withOpinions(outcome.value, call) };
}

/** The id of an installed skill. A failure says why there is none with that name. */
async function installedId(text: string, services: Services): Promise<Outcome<string>> {
  const ids = (await services.packages.list()).map(({ skill_id }) => skill_id);
  const resolved = resolveSkillId(text, ids);
  if (resolved.status === "found") return { ok: true, value: resolved.id };
  const there = await findSkill(text, services);
  if (there.ok) {
    const message = `${there.value.id} was not installed, so there is nothing to remove or update: its files were copied in, or it ships with the bot.`;
    return failed(409, message);
  }
  const known = ids.length > 0 ? `There is: ${ids.slice(0, 20).join(", ")}.` : "Nothing is installed.";
  const hint = resolved.nearest.length > 0 ? `Did you mean ${resolved.nearest.join(" or ")}?` : known;
  return failed(404, `There is no installed skill called ${text || "that"}. ${hint}`);
}
