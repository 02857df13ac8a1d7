import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { CatalogueLoader } from "../../core/catalogue.ts";
import type { Asker, Outcome } from "../../core/outcome.ts";
import type { InstalledPackage, PackageOutcome, Packages } from "../../core/packages.ts";
import { mayOperate } from "../../core/permissions.ts";
import { nearest, resolveSkill, resolveSkillId } from "../../core/skill-identifier.ts";
import type { Feed } from "../turns/feed.ts";
import type { Audit } from "./audit.ts";
import type { PackageService } from "./package-service.ts";

export interface PackageServiceDeps {
  packages: Packages | undefined;
  catalogue: CatalogueLoader;
  audit: Audit;
  feed: Feed;
}

export function createPackageService(deps: PackageServiceDeps): PackageService {
  const { packages, catalogue } = deps;
  if (packages === undefined) return withoutPackages;

  const noted = (action: string, words: string, asker: Asker, done: readonly InstalledPackage[]) => {
    for (const { skill_id, from } of done) {
      const detail = `${words} **${skill_id}** (from ${escapeMarkdown(oneLine(from, 300))})`;
      deps.audit.record({ action, ...asker, subject: skill_id, detail });
    }
    deps.feed.changed(asker.namespace);
  };

  /** The id of an installed skill, or why there is none of that name. */
  const installedId = async (text: string): Promise<Outcome<string>> => {
    const ids = (await packages.list()).map(({ skill_id }) => skill_id);
    const resolved = resolveSkillId(text, ids);
    if (resolved.status === "found") return { ok: true, value: resolved.id };
    const there = resolveSkill(text, (await catalogue.current()).skills.values());
    if (there.status === "found") {
      const message = `${there.id} was not installed, so there is nothing to remove or update: its files were copied in, or it ships with the bot.`;
      return { ok: false, status: 409, message };
    }
    return missing(text, "installed skill", resolved.nearest, ids);
  };

  return {
    list: () => packages.list(),

    async review(source, asker, signal) {
      if (!mayOperate(asker.by)) return onlyOperators;
      return outcomeOf(await packages.review(source, signal));
    },

    async install(source, asker, { signal, expected }) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const options = { by: asker.by.id, signal, ...(expected === undefined ? {} : { expected }) };
      const outcome = outcomeOf(await packages.install(source, options));
      if (outcome.ok) noted("package_installed", "installed", asker, outcome.value);
      return outcome;
    },

    async update(id, asker, signal) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await installedId(id);
      if (!found.ok) return found;
      const outcome = outcomeOf(await packages.update(found.value, { by: asker.by.id, signal }));
      if (outcome.ok) noted("package_updated", "updated", asker, outcome.value);
      return outcome;
    },

    async remove(id, asker) {
      if (!mayOperate(asker.by)) return onlyOperators;
      const found = await installedId(id);
      if (!found.ok) return found;
      const outcome = outcomeOf(await packages.remove(found.value));
      if (outcome.ok) noted("package_removed", "removed", asker, [outcome.value]);
      return outcome;
    },

    async reviewSkill(id) {
      const { skills } = await catalogue.current();
      const resolved = resolveSkill(id, skills.values());
      if (resolved.status === "unknown") return missing(id, "skill", resolved.nearest, []);
      const skill = skills.get(resolved.id);
      return outcomeOf(await packages.reviewSkill(skill?.parent ?? resolved.id));
    },
  };
}

const onlyOperators: Outcome<never> = {
  ok: false,
  status: 403,
  message: "Only operators of the bot may install, update or remove skills. Ask one of them.",
};

const notSetUp: Outcome<never> = {
  ok: false,
  status: 409,
  message:
    "This bot cannot install or review packages. Copy the skill's folder into the bot's folder for skills instead (`.knack-workspace/skills` unless set otherwise).",
};

const withoutPackages: PackageService = {
  list: async () => [],
  review: async () => notSetUp,
  install: async () => notSetUp,
  update: async () => notSetUp,
  remove: async () => notSetUp,
  reviewSkill: async () => notSetUp,
};

/** Codes of `Packages` that say more than that something does not fit. */
const statuses: Record<string, 404 | 413> = {
  not_installed: 404,
  skill_gone: 404,
  unknown_skill: 404,
  too_large: 413,
  archive_too_large: 413,
};

function outcomeOf<T>(outcome: PackageOutcome<T>): Outcome<T> {
  if (outcome.ok) return outcome;
  const { code, reason } = outcome;
  return { ok: false, status: statuses[code] ?? 409, code, message: reason };
}

function missing(
  text: string,
  what: string,
  near: readonly string[],
  known: readonly string[],
): Outcome<never> {
  const names = near.length > 0 ? near : nearest(text, known);
  const hint =
    names.length > 0
      ? `Did you mean ${names.join(" or ")}?`
      : known.length > 0
        ? `There is: ${known.slice(0, 20).join(", ")}.`
        : what === "skill"
          ? "`/skill list` shows what there is."
          : "Nothing is installed.";
  return { ok: false, status: 404, message: `There is no ${what} called ${text || "that"}. ${hint}` };
}
