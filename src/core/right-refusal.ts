import { hasRights, type RightSubject, rightInWords, rightsOn } from "./rights.ts";
import type { TurnScope } from "./turn-scope.ts";

/**
 * Why the person a turn is for may not use something, for them and the model; undefined when they may. Who caused a trigger has to have the
 * right too.
 */
export async function rightRefusal(
  { turn, ports }: Pick<TurnScope, "turn" | "ports">,
  subject: RightSubject,
): Promise<string | undefined> {
  const rights = rightsOn(ports.rights, subject);
  if (rights.length === 0) return undefined;
  const { author, place, cause } = turn;
  const causer = cause?.caused_by;
  const people = [author, ...(causer === undefined ? [] : [{ id: causer, trust: author.trust }])];
  for (const person of people) {
    const roles = () => ports.rolesOf(place, person.id);
    if (await hasRights(rights, person, roles)) continue;
    const who = rights.map(rightInWords).join("; and ");
    return `${person.id === author.id ? author.name || author.id : person.id} may not use ${subject.skill_id || subject.name}: it is for ${who} (the operator's setting skills.rights).`;
  }
  return undefined;
}
