/** Reminders for somebody else: who is meant, and whether they agree. */

import { approveWithin } from "../decisions/approval.ts";
import { notApproved } from "../decisions/not-approved.ts";
import { personOnCard } from "../decisions/people-on-cards.ts";
import type { Proposal } from "../ports/schedules.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { named } from "../values/label.ts";
import type { ChatDesk } from "./chat-desk.ts";
import { isNamed } from "./mentioning.ts";
import { personNamed, tellThem } from "./named-target.ts";
import { targetFor } from "./sending.ts";

/**
 * The person, given by id or by a name that nobody else has, whom a reminder is for; undefined for the person of the turn. `isNamed`: their
 * message names them; `who`: they, on a card. @throws SkillFailure unless it is one person to whom the bot writes
 */
export async function receiverFor(desk: ChatDesk, whom: string) {
  const person = await personNamed(desk, whom);
  if ("callable" in person)
    throw new SkillFailure("not_allowed", "Only one person can be reminded, not a group.", tellThem);
  const { id, name } = person;
  if (id === desk.scope.turn.author.id) return undefined;
  const { place } = await targetFor(desk, person);
  const who = await personOnCard(desk.scope, person);
  return { id, name, namespace: place.namespace, who, isNamed: await isNamed(desk, person) };
}

/**
 * Asks the person whom a reminder is for, once for each call, in their direct messages. Returns the proposal with their consent; one for its
 * maker is unchanged.
 * @throws SkillFailure unless they agree
 * @throws WaitingForPerson while they have not decided
 */
export async function withConsent(
  { scope, callId, skillId }: ChatDesk,
  proposal: Proposal,
): Promise<Proposal> {
  if (proposal.value.for === undefined) return proposal;
  const { id, name } = proposal.value.for;
  const by = await personOnCard(scope, scope.turn.author);
  const who = await personOnCard(scope, { id, name });
  const asking = { callId, key: "receive", skillId };
  const decided = await approveWithin(scope, asking, {
    action: "receive_reminder",
    person: { id, name, deed: `remind you of this for ${by}` },
    says: {
      deed: `remind ${who} of this for ${by}`,
      quotes: "text",
      names: ["what", "for", "next", "tools"],
    },
    input: proposal.shown,
    reason: "I ask this once.",
  });
  if (decided.approved) return { ...proposal, value: { ...proposal.value, receivers: { [id]: true } } };
  throw notApproved(decided, { what: "the reminder", so: "nothing was planned", only: named(name, id) });
}
