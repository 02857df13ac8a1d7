import type { Turn, TurnPorts } from "../scope/turn.ts";
import { hasRights, needsPlatformRoles, type RightSubject, rightInWords, rightsOn } from "../skill/rights.ts";
import { isDirectMessage } from "../values/place.ts";

/** For whom rights are looked at, and what tells which they have. */
export interface RightsAsker {
  turn: Pick<Turn, "author" | "place" | "cause">;
  ports: Pick<TurnPorts, "rights" | "rolesOf">;
}

/**
 * Why the person a turn is for may not use something, for them and the model; undefined when they may. Who caused a trigger has to have the
 * right too.
 */
export async function rightRefusal(
  { turn, ports }: RightsAsker,
  subject: RightSubject,
): Promise<string | undefined> {
  const rights = rightsOn(ports.rights, subject);
  if (rights.length === 0) return undefined;
  const { author, place, cause } = turn;
  const causers = [cause?.caused_by ?? []].flat().map((id) => ({ id, trust: author.trust }));
  const people = [author, ...causers];
  for (const person of people) {
    const roles = () => ports.rolesOf(place, person.id);
    if (await hasRights(rights, person, roles)) continue;
    const who = rights.map(rightInWords).join("; and ");
    const name = person.id === author.id ? author.name || author.id : person.id;
    const refusal = `${name} may not use ${subject.skill_id || subject.name}: it is for ${who} (the operator's setting skills.rights).`;
    const isElsewhere = isDirectMessage(place.namespace) && needsPlatformRoles(rights);
    return isElsewhere
      ? `${refusal} Roles do not count in direct messages: who has one asks in a channel.`
      : refusal;
  }
  return undefined;
}
