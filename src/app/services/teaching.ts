import type { Draft, DryRun, DryRunModel, Lesson, Teacher, Teaching } from "../../core/ports/teaching.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import { updateNamespace } from "../../core/skill/namespace-state.ts";
import { noPackages, type PackageReview, type Packages } from "../../core/skill/packages.ts";
import type { Skill } from "../../core/skill/skill.ts";
import {
  currentVersion,
  type TaughtSkill,
  type TaughtSkills,
  type TaughtVersion,
} from "../../core/skill/taught-skills.ts";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import { objectOf } from "../../core/values/json.ts";
import { mask } from "../../core/values/redact.ts";
import type { AppDeps } from "../app-deps.ts";
import { type DryRunMeans, dryRun, type Occasion } from "../turns/replay/dry-run.ts";
import type { Recordings } from "../turns/replay/recorded-turn.ts";
import { feedbackKey } from "./shapes.ts";

interface TeachingDeps extends DryRunMeans, Pick<AppDeps, "catalogue" | "store" | "redact"> {
  taught: TaughtSkills;
  packages: Pick<Packages, "reviewText">;
}

/** Skills made in the chat, for the agent that writes them and for the people who manage them. */
export type TeachingService = NonNullable<ReturnType<typeof openTeaching>>;

/** Opens it where skills can be made in the chat. */
export function openTeaching(
  given: Pick<AppDeps, "log" | "catalogue" | "store" | "redact" | "taught" | "packages">,
  { picture, clock, offers }: Pick<TurnPorts, "picture" | "clock" | "offers">,
  recordings: Recordings,
) {
  const { taught, packages = noPackages, catalogue, store } = given;
  if (taught === undefined) return undefined;
  const toolNames = async (namespace: string) => {
    const { offer } = await offers.read(namespace, await catalogue.current());
    return new Map([...offer.tools()].map(([name, { tool }]) => [tool.skill_id, name]));
  };
  const read = { picture, clock, recordings, toolNames };
  const deps: TeachingDeps = { ...given, ...read, taught, packages };
  const accept = async (namespace: string, skill: TaughtSkill, by: string) => {
    const { hash } = currentVersion(skill);
    await updateNamespace(store, namespace, (draft) => {
      draft.taught = { ...draft.taught, [skill.id]: { by, at: clock.now(), hash } };
    });
  };
  const forAgent: Teaching = {
    check: (teacher, lesson) => check(deps, teacher, lesson),
    dryRun: (teacher, draft, by) => dryRuns(deps, teacher, draft, by),
    async keep(teacher, draft, accepted) {
      const kept = await keep(deps, teacher, draft, accepted);
      if (!kept.ok) return kept;
      await accept(teacher.place.namespace, kept.value, accepted.by);
      return { ok: true, value: { id: kept.value.id, version: kept.value.current } };
    },
  };
  return {
    ...forAgent,
    get: (id: string) => taught.get(id),
    /** Uses an earlier version again. */
    async restore(id: string, number: number, by: Author): Promise<Outcome<TaughtSkill>> {
      const restored = await taught.restore(id, number);
      const message = `${id} has no version ${number}. \`/skill history ${id}\` shows them.`;
      if (restored === undefined) return { ok: false, status: 404, message };
      await accept(restored.home, restored, by.id);
      return { ok: true, value: restored };
    },
    share: (...asked: Parameters<TaughtSkills["share"]>) => taught.share(...asked),
    /** Gives a channel the text that is in use now. */
    take: (skill: TaughtSkill, namespace: string, by: Author) => accept(namespace, skill, by.id),
    remove: (id: string) => taught.remove(id),
  };
}

/** Maximum characters of a text. */
const maxText = 60_000;

/** Adds an accepted draft as a version of its skill. */
async function keep(
  deps: TeachingDeps,
  { author, place: { namespace } }: Teacher,
  { id, text, why, wider, base }: Draft,
  { by, name, key, checks }: Parameters<Teaching["keep"]>[2],
): Promise<Outcome<TaughtSkill>> {
  const read = deps.taught.read(id, text);
  if (!read.ok) return no(read.reason);
  if ((await isForAll(deps, id)) && !wider.includes(allHaveIt)) return changedMeanwhile(id);
  const version = {
    text,
    hash: read.skill.hash,
    why,
    at: deps.clock.now(),
    made_by: key,
    asked: { by: author.id, name: author.name },
    accepted: { by, name },
    checks: [...checks],
  };
  const kept = await deps.taught.add(id, namespace, base, version);
  return kept === undefined ? changedMeanwhile(id) : { ok: true, value: kept };
}

const allHaveIt = "all channels have it";

async function isForAll({ catalogue }: Pick<TeachingDeps, "catalogue">, id: string): Promise<boolean> {
  return (await catalogue.current()).skills.get(id)?.taught?.everyone === true;
}

function changedMeanwhile(id: string): Outcome<never> {
  const message = `The skill ${id} was changed meanwhile, or there are too many skills, so nothing was kept. Look at it again with /skill info ${id}.`;
  return { ok: false, status: 409, message };
}

async function check(
  deps: TeachingDeps,
  { place: { namespace } }: Teacher,
  lesson: Lesson,
): Promise<Outcome<Draft>> {
  const { taught, redact } = deps;
  const { text, changes } = lesson;
  if (text.length > maxText) return no(`The text has more than ${maxText} characters. Shorten it.`);
  if (text.includes(mask) || redact(text) !== text)
    return no("It contains a secret. Write what it stands for instead of its value.");
  const before = changes === undefined ? undefined : await taught.get(changes);
  if (changes !== undefined && before?.home !== namespace)
    return no(`No skill ${changes} was made in this channel, so it cannot be changed here.`);
  const named = await readNamed(deps, text, before);
  if (typeof named === "string") return no(named);
  const version = before && currentVersion(before);
  if (version?.hash === named.hash) return no("That is the text it has already.");
  return draftOf(deps, lesson, named, version);
}

/** The skill of a text under its id, or why it cannot be. */
async function readNamed(
  deps: TeachingDeps,
  text: string,
  before: TaughtSkill | undefined,
): Promise<Skill | string> {
  const own = deps.taught.read("skill", text);
  if (!own.ok) return `It cannot be read. ${own.reason}`;
  const id = before?.id ?? nameIn(text, own.skill);
  const refused = before === undefined ? await refusedName(deps, id) : undefined;
  if (refused !== undefined) return refused;
  const read = deps.taught.read(id, text);
  return read.ok ? read.skill : `It cannot be read. ${read.reason}`;
}

async function draftOf(
  { packages, catalogue }: TeachingDeps,
  lesson: Lesson,
  skill: Skill,
  before: TaughtVersion | undefined,
): Promise<Outcome<Draft>> {
  const { text } = lesson;
  const { id, kind } = skill;
  const review = await packages.reviewText(skill, text);
  if (!review.ok) return no(review.reason);
  const findings = review.value.findings.filter(({ severity }) => severity !== "info");
  const value: Draft = {
    ...lesson,
    id,
    kind: kind === "flow" ? "flow" : "document",
    base: before?.hash,
    shown: before === undefined ? text : await changedLines(before.text, text),
    findings: findings.map(({ message, excerpt = "" }) =>
      excerpt === "" ? message : `${message} (“${excerpt}”)`,
    ),
    wider: [
      ...widerThanManagers(skill, review.value),
      ...((await isForAll({ catalogue }, id)) ? [allHaveIt] : []),
    ],
  };
  return { ok: true, value };
}

function no(message: string): Outcome<never> {
  return { ok: false, status: 400, message };
}

/** The id that a text asks for: the name in its frontmatter, or the id that its flow's name makes. */
function nameIn(text: string, { name, kind }: Skill): string {
  const written = kind === "flow" ? name : (/^name:\s*["']?([^"'\n]+)/m.exec(text)?.[1] ?? name);
  return written
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|(?<!-)-+$/g, "")
    .slice(0, 60);
}

async function refusedName({ catalogue, taught }: TeachingDeps, id: string): Promise<string | undefined> {
  if (!/^[a-z][a-z0-9-]{1,59}$/.test(id))
    return "It needs a name of small letters, digits and hyphens that says what it does, such as weekly-report.";
  const { skills } = await catalogue.current();
  if (!skills.has(id) && (await taught.get(id)) === undefined) return undefined;
  return `The name ${id} is taken. Choose another; to change a skill of this channel, give its id as \`changes\`.`;
}

/** What makes a skill more than words and tools that each ask for themselves. */
function widerThanManagers(skill: Skill, { env, bins, hosts, findings }: PackageReview): string[] {
  const isDanger = findings.some(({ severity }) => severity === "danger");
  return [
    ...(skill.code === undefined ? [] : ["it runs code"]),
    ...(env.length === 0 ? [] : [`it wants the variables ${env.join(", ")}`]),
    ...(bins.length === 0 ? [] : [`it wants the programs ${bins.join(", ")}`]),
    // A guide names places to look at; a flow's steps send requests there.
    ...(skill.kind !== "flow" || hosts.length === 0 ? [] : [`its steps reach ${hosts.join(", ")}`]),
    ...(isDanger ? ["its review found something dangerous"] : []),
  ];
}

/** Maximum time to look for the changed lines, ms: it grows with the square of their number. */
const maxCompareMs = 300;

/** The changed lines, each with its sign, and three lines around them; the whole text if these cannot be found in time. */
async function changedLines(before: string, after: string): Promise<string> {
  const { formatPatch, structuredPatch } = await import("diff");
  const patch = structuredPatch("", "", before, after, "", "", { context: 3, timeout: maxCompareMs });
  if (patch === undefined) return after;
  return formatPatch(patch)
    .split("\n")
    .filter((line) => !/^(?:=+|---|\+\+\+|\\ )/.test(line))
    .join("\n")
    .trim();
}

/** Maximum turns besides the thread itself that a changed skill is run on. */
const maxOccasions = 3;

async function dryRuns(
  deps: TeachingDeps,
  teacher: Teacher,
  draft: Draft,
  by: DryRunModel,
): Promise<DryRun[]> {
  const read = deps.taught.read(draft.id, draft.text);
  if (!read.ok) return [];
  const here = { ...teacher.place, turn_id: teacher.turn_id, request: draft.request };
  const done: DryRun[] = [];
  for (const occasion of [here, ...(await earlierOccasions(deps, teacher, draft))]) {
    by.signal.throwIfAborted();
    done.push(await dryRun(deps, { skill: read.skill, occasion, by, teacher }));
  }
  return done;
}

/** The turns that showed the skill that is changed, and the latest ones with it that people marked as bad. */
async function earlierOccasions(
  { taught, log, store }: TeachingDeps,
  { place: { namespace }, turn_id: own }: Teacher,
  { id, base }: Draft,
): Promise<Occasion[]> {
  if (base === undefined) return [];
  const made = await taught.get(id);
  const checks = made === undefined ? [] : currentVersion(made).checks;
  const bad: { turn_id: string; request: string }[] = [];
  for (const { turn_id, text } of await log.list({ namespace, status: "finished", limit: 200 })) {
    if (bad.length >= maxOccasions) break;
    const verdicts = Object.values(objectOf(await store.get(feedbackKey(turn_id))));
    if (!verdicts.includes("bad")) continue;
    const uses = (await log.read(turn_id)).some(
      (event) => (event.type === "skill_activated" || event.type === "tool_started") && event.skill_id === id,
    );
    if (uses) bad.push({ turn_id, request: text });
  }
  const found = await Promise.all(
    [...checks.slice(-maxOccasions), ...bad].map(async ({ turn_id, request }) => {
      const turn = turn_id === own ? undefined : await log.get(turn_id);
      return turn?.namespace === namespace ? { namespace, thread: turn.thread, turn_id, request } : [];
    }),
  );
  return found.flat();
}
