import { lineForPeople } from "../../base/line-for-people.ts";
import { pick } from "../../base/record.ts";
import { mayBeOf, startingOf, whenReady } from "../../core/scope/starting-skills.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { NamespaceOffer } from "../../core/skill/make-offer.ts";
import {
  type Offer,
  type OfferedSkill,
  skillsIn,
  updateNamespace,
} from "../../core/skill/namespace-state.ts";
import {
  addCommand,
  type InstalledPackage,
  noteEnabled,
  type PackageFinding,
  type PreparedPackages,
} from "../../core/skill/packages.ts";
import {
  adHocSource,
  type Diagnostic,
  type ExampleNeed,
  isFollowed,
  isInstalled,
  promptOf,
  type Skill,
  taughtSource,
} from "../../core/skill/skill.ts";
import { onlyFor, type Rights, resolveSkill, rightsOn } from "../../core/skill/skill-identifier.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { AppDeps } from "../app-deps.ts";
import type { SkillDetail, SkillListing } from "./skill-listing.ts";

/** `pinned` enables a skill, `blocked` disables it, `available` resets it. */
type SettableState = "pinned" | "blocked" | "available";

type SkillServiceDeps = Pick<AppDeps, "catalogue" | "store" | "clock" | "packages"> &
  Pick<TurnPorts, "offers" | "grants" | "rights"> & { prepared: Pick<PreparedPackages, "missingImports"> };

/** Skills as people see and set them in a namespace. */
export class SkillService {
  readonly #deps: SkillServiceDeps;

  constructor(deps: SkillServiceDeps) {
    this.#deps = deps;
  }

  async list(
    namespace: string,
    { category, query }: { category?: string | undefined; query?: string | undefined } = {},
  ): Promise<{ skills: SkillListing[]; diagnostics: Diagnostic[] }> {
    const { state, offer } = await this.#read(namespace);
    const { all, catalogue } = offer;
    const ids = query === undefined ? [...all.keys()] : catalogue.search(query).map(({ id }) => id);
    const shown = ids
      .flatMap((id) => all.get(id) ?? [])
      .filter(({ skill }) => skill.parent === undefined && skill.origin.source !== adHocSource)
      .filter(({ skill }) => category === undefined || skill.category === category);
    const skills = shown.map((offered): SkillListing => {
      const only_for = onlyFor(this.#deps.rights, { skill_id: offered.skill.id });
      const notice = offered.notice ?? partsNotHere(offered, all);
      return { ...listing(offered), notice, only_for };
    });
    // What other channels made is not named here.
    const isHere = ({ path, skill_id = "" }: Diagnostic) =>
      !path.startsWith(`${taughtSource}:`) || state.taught?.[skill_id] !== undefined;
    return { skills, diagnostics: catalogue.diagnostics.filter(isHere) };
  }

  async detail(id: string, namespace: string): Promise<SkillDetail | undefined> {
    const { grants, packages, prepared, rights } = this.#deps;
    const { offer } = await this.#read(namespace);
    const offered = find(offer, id);
    if (offered === undefined) return undefined;
    const { skill } = offered;
    const owner = isInstalled(skill) ? await packages?.get(skill.parent ?? skill.id) : undefined;
    const detail = await detailOf(offer, offered);
    return {
      ...detail,
      problems: [...detail.problems, ...missingImports(skill, await prepared.missingImports(skill))],
      rights: rightsIn(rights, skill),
      network: { granted: [...(await grants.hostsOf(skill))] },
      package: owner && installedFrom(owner, skill),
    };
  }

  /**
   * Examples of usable skills that work with what a place has (`there`). Examples that fit `about` come first, then those with the most
   * needs, then those for newcomers.
   */
  async suggest(
    namespace: string,
    place: { there: readonly ExampleNeed[]; about?: string },
  ): Promise<string[]> {
    return suggested((await this.#read(namespace)).offer, place);
  }

  /** Waits up to half a minute until a skill that is about to run is ready; a flow waits for every skill that is starting. */
  async ready(id: string, namespace: string, signal: AbortSignal): Promise<void> {
    const { offer } = await this.#read(namespace);
    const isFlow = find(offer, id)?.skill.kind === "flow";
    const needed = startingOf(skillsIn(offer)).filter((skill) => isFlow || mayBeOf(id, skill));
    await whenReady(needed, this.#deps.clock, signal);
  }

  async set(namespace: string, id: string, state: SettableState, by: Author): Promise<Outcome<SkillListing>> {
    const { store, clock } = this.#deps;
    const { offer } = await this.#read(namespace);
    const offered = find(offer, id);
    if (offered === undefined) return unknownSkill(offer, id);
    const { skill } = offered;
    const reasons = offered.state === "blocked" ? [] : offered.reasons;
    if (state === "pinned" && reasons.length > 0) {
      return failed(409, `${skill.id} cannot be enabled here. ${reasons.join(" ")}`);
    }
    const mark = { by: by.id, at: clock.now() };
    await updateNamespace(store, namespace, (draft) => {
      delete draft.pinned[skill.id];
      delete draft.blocked[skill.id];
      if (state === "pinned")
        draft.pinned[skill.id] = { ...mark, source: skill.origin.source, hash: skill.hash };
      if (state === "blocked") draft.blocked[skill.id] = mark;
    });
    if (state === "pinned") await noteEnabled(store, skill);
    const changed = (await this.#read(namespace)).offer.all.get(skill.id);
    return { ok: true, value: listing(changed ?? offered) };
  }

  /** Ids of every skill, for completion. */
  async ids(namespace: string): Promise<string[]> {
    const { all } = (await this.#read(namespace)).offer;
    return [...all.values()].flatMap(({ skill }) => (skill.origin.source === adHocSource ? [] : skill.id));
  }

  async #read(namespace: string): Promise<NamespaceOffer> {
    return this.#deps.offers.read(namespace, await this.#deps.catalogue.current());
  }
}

function find(offer: Offer, text: string): OfferedSkill | undefined {
  const resolved = resolveSkill(text, skillsIn(offer));
  return resolved.status === "found" ? offer.all.get(resolved.id) : undefined;
}

/** The parts of a usable skill that cannot be used here, with the reasons. */
function partsNotHere({ skill, reasons }: OfferedSkill, all: Offer["all"]): string | undefined {
  if (reasons.length > 0) return undefined;
  const parts = [...all.values()].filter((part) => part.skill.parent === skill.id && part.reasons.length > 0);
  const byReason = Map.groupBy(parts, (part) => part.reasons[0]);
  const ids = (missing: readonly OfferedSkill[]) => missing.map((part) => part.skill.id).join(", ");
  const lines = [...byReason].map(([reason, missing]) => `Not here: ${ids(missing)}. ${reason}`);
  return lines.join(" ") || undefined;
}

/** Told before somebody meets it in the middle of a task. */
function missingImports({ origin }: Skill, names: readonly string[]): Diagnostic[] {
  if (names.length === 0) return [];
  const message = `Its code imports ${names.join(", ")}, which nothing here provides. An operator adds packages with: ${addCommand("python", names)}`;
  return [{ severity: "warning", path: origin.path, code: "imports_missing", message }];
}

function suggested(
  { usable, lacking, catalogue }: Offer,
  { there, about = "" }: Parameters<SkillService["suggest"]>[1],
): string[] {
  const isMet = (need: ExampleNeed) =>
    need === "file" || need === "history" ? there.includes(need) : !lacking.includes(need);
  const fitting = about === "" ? [] : catalogue.search(about).map(({ id }) => id);
  const found = usable.flatMap(({ skill }) => {
    if (skill.parent !== undefined || skill.risk !== "low") return [];
    const example = skill.examples.find(
      (each) => isFollowed(each, lacking) && (each.needs ?? []).every(isMet),
    );
    return example === undefined ? [] : [{ ...example, id: skill.id, fits: fitting.indexOf(skill.id) }];
  });
  const order = (fits: number) => (fits < 0 ? fitting.length : fits);
  const inOrder = found.toSorted(
    (a, b) =>
      order(a.fits) - order(b.fits) ||
      (b.needs?.length ?? 0) - (a.needs?.length ?? 0) ||
      Number(b.first ?? false) - Number(a.first ?? false) ||
      (a.id < b.id ? -1 : 1),
  );
  return [...new Set(inOrder.map(promptOf))];
}

/** The rights that name a skill, a part of it, or a tool it has. */
function rightsIn(rights: Rights, { id, tools }: Skill): SkillDetail["rights"] {
  const subjects = [{ skill_id: id }, ...tools];
  const found = Object.entries(rights).filter(([name, right]) =>
    subjects.some((subject) => rightsOn({ [name]: right }, subject).length > 0),
  );
  if (found.length === 0) return undefined;
  const copied = found.map(([name, { people, roles }]) => [name, { people: [...people], roles: [...roles] }]);
  return Object.fromEntries(copied);
}

function unknownSkill(offer: Offer, id: string): Outcome<never> {
  const resolved = resolveSkill(id, skillsIn(offer));
  return noSuchSkill(id, resolved.status === "unknown" ? resolved.nearest : []);
}

/** No skill has this id; `near` are similar ids, `lists` the commands that list all. */
export function noSuchSkill(
  id: string,
  near: readonly string[],
  lists = "`/skill list` shows",
): { ok: false; status: 404; message: string; hint: string } {
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `${lists} what there is.`;
  const problem = id === "" ? "Which skill?" : `There is no skill called ${id}.`;
  return { ok: false, status: 404, message: `${problem} ${hint}`, hint };
}

/** Maximum characters of the line about a skill. */
const maxSummary = 100;

function listing({ skill, state, reasons, switched_off, notice }: OfferedSkill): SkillListing {
  const { description, about, origin } = skill;
  return {
    ...pick(skill, "id", "name", "kind", "description"),
    summary: lineForPeople(about?.summary ?? description, maxSummary),
    ...pick(skill, "category", "version"),
    ...pick(origin, "source", "path"),
    hash: skill.hash,
    state,
    eligible: reasons.length === 0,
    reasons,
    switched_off: switched_off || undefined,
    notice,
    risk: skill.risk,
    emoji: about?.emoji,
    ...pick(skill, "parent", "taught"),
  };
}

function installedFrom({ from, by, installed_at, hash, review }: InstalledPackage, skill: Skill) {
  const count = (severity: PackageFinding["severity"]) =>
    review.findings.filter((finding) => finding.severity === severity).length;
  const changed = skill.parent === undefined && skill.hash !== hash;
  return { from, by, installed_at, hash, changed, danger: count("danger"), warnings: count("warning") };
}

/** Problems in the folder or file of a skill, without those of other skills in the same file. */
function problemsOf({ id, parent, origin }: Skill, diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const isInside = (path: string) => path === origin.path || path.startsWith(`${origin.path}/`);
  const isAbout = (skill = id) => skill === id || skill === parent;
  return diagnostics.filter(
    ({ path, severity, skill_id }) => severity !== "info" && isInside(path) && isAbout(skill_id),
  );
}

async function detailOf(
  { all, lacking, catalogue }: Offer,
  offered: OfferedSkill,
): Promise<Omit<SkillDetail, "network" | "package">> {
  const { skill } = offered;
  const parts = [...all.values()].filter((other) => other.skill.parent === skill.id);
  const examples = skill.examples.filter((example) => isFollowed(example, lacking));
  return {
    ...listing(offered),
    author: skill.author,
    tags: [...skill.tags],
    parameters: [...skill.parameters],
    output_schema: skill.output_schema,
    examples: examples.map((each) => ({ prompt: promptOf(each), ...pick(each, "call", "needs", "first") })),
    tools: skill.tools.map((tool) => pick(tool, "name", "description", "parameters")),
    files: (await skill.files?.list()) ?? [],
    parts: parts.map(listing),
    ...pick(skill, "instructions", "max_execution_seconds", "max_iterations"),
    license: skill.about?.license,
    homepage: skill.about?.homepage,
    ...pick(skill, "invocation", "tool_list"),
    problems: problemsOf(skill, catalogue.diagnostics),
    variables: variablesOf(skill),
  };
}

/** The variables that code of a skill gets. */
function variablesOf({ kind, requires, settings }: Skill): SkillDetail["variables"] {
  const names = [...new Set([...requires.env, settings?.api_key_variable ?? []].flat())];
  if (names.length === 0 || (kind !== "document" && kind !== "imported")) return undefined;
  return names.map((name) => ({ name, put_into: requires.keys?.[name] }));
}
