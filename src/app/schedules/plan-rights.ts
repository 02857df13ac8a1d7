/** Who may plan, and who may change a plan. */
import type { Planner, ScheduleLimits } from "../../core/ports/schedules.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { mayApprove } from "../../core/values/inbound.ts";
import type { Planned } from "./plan-book.ts";
import { type Planning, refused } from "./planning.ts";

/** Why this person may plan nothing at all; undefined when they may. */
export function whyNoPlans({ author, cause }: Planner): Outcome<never> | undefined {
  if (author.trust === "guest") return refused("Guests cannot have schedules, triggers or goals.", 403);
  if (cause === undefined) return undefined;
  return refused(
    cause.kind === "handoff"
      ? "An agent in the background cannot plan anything. Say in your answer what is to be planned."
      : "A run of a schedule, trigger or goal cannot plan further ones. A person has to ask for it in a message.",
  );
}

/** Why no further plan fits; undefined when there is room. */
export function limitProblem(
  plans: readonly Planned[],
  makerId: string,
  { per_channel, per_person }: ScheduleLimits,
): Outcome<never> | undefined {
  const own = plans.filter(({ value }) => value.maker.id === makerId).length;
  const isFull = own < per_person && plans.length >= per_channel;
  if (own < per_person && !isFull) return undefined;
  const [have, most] = isFull ? [`There are ${plans.length}`, per_channel] : [`You have ${own}`, per_person];
  const message = `${have} schedules and triggers here; the maximum is ${most}. Remove one first: \`/agent schedule list\` shows them.`;
  return refused(message, 409);
}

/** Whether a plan of somebody else reminds the person of these direct messages, who agrees. */
export function reminds({ value }: Planned, namespace: string): boolean {
  return value.for?.namespace === namespace && value.receivers?.[value.for.id] === true;
}

/** The plan with this id, for its maker, a manager of its channel, or the person whom it reminds. A failure says who may change it. */
export async function mayChange(
  { book }: Planning,
  { author, place }: Planner,
  id: string,
): Promise<Outcome<Planned>> {
  const entry = await book.planned(id);
  const isReceiver = entry?.value.for?.id === author.id && reminds(entry, place.namespace);
  if (entry === undefined || (!isReceiver && entry.namespace !== place.namespace)) return unknownPlan(id);
  const { maker } = entry.value;
  if (isReceiver || mayApprove(author, "asker", { author: maker })) return { ok: true, value: entry };
  return refused(`Only ${maker.name}, who made it, or a manager of this channel may change it.`, 403);
}

export function unknownPlan(id: string): Outcome<never> {
  const message = `There is no schedule or trigger ${id.slice(0, 40)} here. \`/agent schedule list\` shows all.`;
  return refused(message, 404);
}
