/** Reminders for somebody else: who is meant, and whether they agree. */

import { approveWithin } from "../decisions/approval.ts";
import { notApproved } from "../decisions/not-approved.ts";
import type { ChatWork } from "../ports/chat-actions.ts";
import type { Plan } from "../ports/schedules.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import { objectOf } from "../values/json.ts";
import { type ChatDesk, isNamed } from "./mentioning.ts";
import { personNamed, tellThem } from "./named-target.ts";
import { targetFor } from "./sending.ts";

/** Finds the person whom something planned is for. */
export function createReceiving(desk: ChatDesk): ChatWork["receiver"] {
  return async (name) => {
    const person = await personNamed(desk, name);
    if ("callable" in person)
      throw new SkillFailure("not_allowed", "Only one person can be reminded, not a group.", tellThem);
    if (person.id === desk.scope.turn.author.id) return undefined;
    const { place, person: called = person.name } = await targetFor(desk, person);
    const receiver = { id: person.id, name: called, namespace: place.namespace };
    return { receiver, isNamed: await isNamed(desk, person) };
  };
}

/**
 * Asks the person whom a reminder is for, once for each call, in their direct messages. Returns the plan with their consent; a plan for its
 * maker is unchanged.
 * @throws SkillFailure unless they agree
 * @throws WaitingForPerson while they have not decided
 */
export async function withConsent(
  scope: TurnScope,
  { callId, skillId }: { callId: string; skillId: string },
  plan: Plan,
): Promise<Plan> {
  const { value } = plan;
  if (value.what === "trigger" || value.for === undefined) return plan;
  const { id, name } = value.for;
  const by = scope.turn.author.name;
  const { text = "", when = "" } = objectOf(plan.shown);
  const decided = await approveWithin(
    scope,
    { callId: `${callId}/approval:receive`, skillId },
    {
      action: "receive_reminder",
      person: { id, name, deed: `remind you of this for ${by}` },
      says: { deed: `remind ${name} of this for ${by}`, quotes: "text", names: [] },
      input: { text, when },
      reason: `I ask ${name} this once.`,
    },
  );
  if (decided.approved) return { ...plan, value: { ...value, receivers: { [id]: true } } };
  throw notApproved(decided, { what: "the reminder", so: "nothing was planned", only: name });
}
