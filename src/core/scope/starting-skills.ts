/** Starting skills, whose tools are not known yet: a server that has not listed its tools, or a package of tools that is being read. */

import type { Clock } from "../ports/storage.ts";
import { serverSkillId, serverToolName } from "../skill/catalogue.ts";
import { isActive, type Offer, skillsIn } from "../skill/namespace-state.ts";
import type { Skill } from "../skill/skill.ts";
import { toToolName } from "../skill/skill-identifier.ts";
import type { Turn } from "./turn.ts";

/** Maximum wait of a turn or command for the skills it needs, ms. A server that is installed on its first start takes this long. */
const maxWait = 30_000;

/** The skills of a list that are starting. Parts are not included: they exist only once their skill has started. */
export function startingOf(skills: Iterable<Skill>): Skill[] {
  return [...skills].filter((skill) => skill.ready !== undefined);
}

/** Whether an unknown name may be a tool, or a part, of a skill that is starting. */
export function mayBeOf(name: string, { id, kind, name: title }: Skill): boolean {
  if (name === id || name.startsWith(`${id}#`)) return true;
  if (kind === "mcp") return name.startsWith(serverToolName(title, ""));
  const tool = toToolName(id);
  return name === tool || name.startsWith(`${tool}_`);
}

/**
 * The starting skills that a turn needs: skills that are active in its channel or thread or requested by name, skills whose tools it has
 * called before, and the servers whose tools these skills use.
 */
export function startingFor(turn: Turn, offer: Offer): Skill[] {
  const starting = startingOf(skillsIn(offer));
  if (starting.length === 0) return [];
  const active = [...offer.all.values()].filter(isActive).map(({ skill }) => skill.id);
  const ids = new Set([...active, ...(turn.asked ?? []), ...idsInThread(turn)]);
  const servers = [...ids].flatMap((id) => {
    const skill = offer.catalogue.skills.get(id);
    return Object.keys(skill?.tool_list ?? {}).map(serverSkillId);
  });
  const needed = [...ids, ...servers];
  return starting.filter((skill) => needed.some((id) => id === skill.id || id.startsWith(`${skill.id}#`)));
}

/** Skills that the agent activated in the thread, or that the turn has used. */
function idsInThread({ past, events }: Turn): string[] {
  const before = past.steps.flatMap((step) =>
    step.kind === "activate" ? step.skill_id : step.kind === "open" ? step.with.active : [],
  );
  const now = events.flatMap((event) =>
    event.type === "skill_activated" || event.type === "tool_started" ? event.skill_id : [],
  );
  return [...before, ...now];
}

/** Resolves when all skills have started or failed, when the signal aborts, or after `maxWait` at the latest. */
export async function whenReady(
  skills: readonly Skill[],
  clock: Pick<Clock, "sleep">,
  signal?: AbortSignal,
): Promise<void> {
  if (skills.length === 0) return;
  const enough = new AbortController();
  const ends = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  const ready = Promise.all(skills.map((skill) => skill.ready?.()));
  await Promise.race([ready, clock.sleep(maxWait, ends).catch(() => undefined)]);
  enough.abort();
}
