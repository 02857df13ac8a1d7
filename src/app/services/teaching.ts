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
import { failed, type Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import { objectOf } from "../../core/values/json.ts";
import { mask } from "../../core/values/redact.ts";
import type { AppDeps } from "../app-deps.ts";
import { type DryRunMeans, dryRun, type Occasion } from "../turns/replay/dry-run.ts";
import type { Recordings } from "../turns/replay/recorded-turn.ts";
import { feedbackKey } from "./shapes.ts";

/** Maximum characters of a text. */
const maxText = 60_000;

/** Maximum turns besides the thread itself that a changed skill is run on. */
const maxOccasions = 3;

const allHaveIt = "all channels have it";

/** Where skills that are made in the chat come from and go to. */
interface School extends DryRunMeans, Pick<AppDeps, "catalogue" | "store" | "redact"> {
  taught: TaughtSkills;
  packages: Pick<Packages, "reviewText">;
}

/** Opens the service where skills can be made in the chat. */
export function openTeaching(
  given: Pick<AppDeps, "log" | "catalogue" | "store" | "redact" | "taught" | "packages">,
  { picture, clock, offers }: Pick<TurnPorts, "picture" | "clock" | "offers">,
  recordings: Recordings,
): TeachingService | undefined {
  const { taught, packages = noPackages, catalogue } = given;
  if (taught === undefined) return undefined;
  const toolNames = async (namespace: string) => {
    const { offer } = await offers.read(namespace, await catalogue.current());
    return new Map([...offer.tools()].map(([name, { tool }]) => [tool.skill_id, name]));
  };
  const read = { picture, clock, recordings, toolNames };
  return new TeachingService({ ...given, ...read, taught, packages });
}

/** Skills made in the chat, for the agent that writes them and for the people who manage them. */
export class TeachingService implements Teaching {
  readonly #school: School;

  constructor(school: School) {
    this.#school = school;
  }

  get(id: string): Promise<TaughtSkill | undefined> {
    return this.#school.taught.get(id);
  }

  share(...asked: Parameters<TaughtSkills["share"]>): ReturnType<TaughtSkills["share"]> {
    return this.#school.taught.share(...asked);
  }

  remove(id: string): ReturnType<TaughtSkills["remove"]> {
    return this.#school.taught.remove(id);
  }

  /** Uses an earlier version again. */
  async restore(id: string, number: number, by: Author): Promise<Outcome<TaughtSkill>> {
    const restored = await this.#school.taught.restore(id, number);
    if (restored === undefined)
      return failed(404, `${id} has no version ${number}. \`/skill history ${id}\` shows them.`);
    await this.#accept(restored.home, restored, by.id);
    return { ok: true, value: restored };
  }

  /** Gives a channel the text that is in use now. */
  take(skill: TaughtSkill, namespace: string, by: Author): Promise<void> {
    return this.#accept(namespace, skill, by.id);
  }

  async #accept(namespace: string, skill: TaughtSkill, by: string): Promise<void> {
    const { store, clock } = this.#school;
    const { hash } = currentVersion(skill);
    await updateNamespace(store, namespace, (draft) => {
      draft.taught = { ...draft.taught, [skill.id]: { by, at: clock.now(), hash } };
    });
  }

  async keep(
    { author, place: { namespace } }: Teacher,
    { id, text, why, wider, base }: Draft,
    { by, name, key, checks }: Parameters<Teaching["keep"]>[2],
  ): ReturnType<Teaching["keep"]> {
    const { taught, clock } = this.#school;
    const read = taught.read(id, text);
    if (!read.ok) return failed(400, read.reason);
    if ((await this.#isForAll(id)) && !wider.includes(allHaveIt)) return changedMeanwhile(id);
    const version = {
      text,
      hash: read.skill.hash,
      why,
      at: clock.now(),
      made_by: key,
      asked: { by: author.id, name: author.name },
      accepted: { by, name },
      checks: [...checks],
    };
    const kept = await taught.add(id, namespace, base, version);
    if (kept === undefined) return changedMeanwhile(id);
    await this.#accept(namespace, kept, by);
    return { ok: true, value: { id: kept.id, version: kept.current } };
  }

  async #isForAll(id: string): Promise<boolean> {
    return (await this.#school.catalogue.current()).skills.get(id)?.taught?.everyone === true;
  }

  async check({ place: { namespace } }: Teacher, lesson: Lesson): Promise<Outcome<Draft>> {
    const { taught, redact } = this.#school;
    const { text, changes } = lesson;
    if (text.length > maxText)
      return failed(400, `The text has more than ${maxText} characters. Shorten it.`);
    if (text.includes(mask) || redact(text) !== text)
      return failed(400, "It contains a secret. Write what it stands for instead of its value.");
    const before = changes === undefined ? undefined : await taught.get(changes);
    if (changes !== undefined && before?.home !== namespace)
      return failed(400, `No skill ${changes} was made in this channel, so it cannot be changed here.`);
    const named = await this.#readNamed(text, before);
    if (typeof named === "string") return failed(400, named);
    const version = before && currentVersion(before);
    if (version?.hash === named.hash) return failed(400, "That is the text it has already.");
    return this.#draftOf(lesson, named, version);
  }

  /** The skill of a text under its id, or why it cannot be. */
  async #readNamed(text: string, before: TaughtSkill | undefined): Promise<Skill | string> {
    const { taught } = this.#school;
    const own = taught.read("skill", text);
    if (!own.ok) return `It cannot be read. ${own.reason}`;
    const id = before?.id ?? nameIn(text, own.skill);
    const refused = before === undefined ? await this.#refusedName(id) : undefined;
    if (refused !== undefined) return refused;
    const read = taught.read(id, text);
    return read.ok ? read.skill : `It cannot be read. ${read.reason}`;
  }

  async #refusedName(id: string): Promise<string | undefined> {
    const { catalogue, taught } = this.#school;
    if (!/^[a-z][a-z0-9-]{1,59}$/.test(id))
      return "It needs a name of small letters, digits and hyphens that says what it does, such as weekly-report.";
    const { skills } = await catalogue.current();
    if (!skills.has(id) && (await taught.get(id)) === undefined) return undefined;
    return `The name ${id} is taken. Choose another; to change a skill of this channel, give its id as \`changes\`.`;
  }

  async #draftOf(lesson: Lesson, skill: Skill, before: TaughtVersion | undefined): Promise<Outcome<Draft>> {
    const { text } = lesson;
    const { id, kind } = skill;
    const review = await this.#school.packages.reviewText(skill, text);
    if (!review.ok) return failed(400, review.reason);
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
      wider: [...widerThanManagers(skill, review.value), ...((await this.#isForAll(id)) ? [allHaveIt] : [])],
    };
    return { ok: true, value };
  }

  async dryRun(teacher: Teacher, draft: Draft, by: DryRunModel): Promise<DryRun[]> {
    const read = this.#school.taught.read(draft.id, draft.text);
    if (!read.ok) return [];
    const here = { ...teacher.place, turn_id: teacher.turn_id, request: draft.request };
    const done: DryRun[] = [];
    for (const occasion of [here, ...(await this.#earlierOccasions(teacher, draft))]) {
      by.signal.throwIfAborted();
      done.push(await dryRun(this.#school, { skill: read.skill, occasion, by, teacher }));
    }
    return done;
  }

  /** The turns that showed the skill that is changed, and the latest ones with it that people marked as bad. */
  async #earlierOccasions(
    { place: { namespace }, turn_id: own }: Teacher,
    { id, base }: Draft,
  ): Promise<Occasion[]> {
    const { taught, log, store } = this.#school;
    if (base === undefined) return [];
    const made = await taught.get(id);
    const checks = made === undefined ? [] : currentVersion(made).checks;
    const bad: { turn_id: string; request: string }[] = [];
    for (const { turn_id, text } of await log.list({ namespace, status: "finished", limit: 200 })) {
      if (bad.length >= maxOccasions) break;
      const verdicts = Object.values(objectOf(await store.get(feedbackKey(turn_id))));
      if (!verdicts.includes("bad")) continue;
      const uses = (await log.read(turn_id)).some(
        (event) =>
          (event.type === "skill_activated" || event.type === "tool_started") && event.skill_id === id,
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
}

function changedMeanwhile(id: string): Outcome<never> {
  const message = `The skill ${id} was changed meanwhile, or there are too many skills, so nothing was kept. Look at it again with /skill info ${id}.`;
  return failed(409, message);
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
