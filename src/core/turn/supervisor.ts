import type { TurnEnd } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { currentProfile } from "../values/profile.ts";

/** How often a turn comes back to its supervisor; after that, what an agent says is the answer. */
const mostReturns = 5;

/** The supervisor that had the turn last, by id. */
function leadOf({ turn, state }: TurnScope): string | undefined {
  const path = [turn.profile.id, ...state.handoffs.map(({ to }) => to)];
  const leads = turn.profiles.filter(({ supervisor }) => supervisor === true).map(({ id }) => id);
  return path.findLast((id) => leads.includes(id));
}

/**
 * The end of the turn, with what the agent that has it answered or a tool answered in its place. Undefined when that agent had the turn from
 * a supervisor, which has it again now.
 */
export async function answered(scope: TurnScope, text: string): Promise<TurnEnd | undefined> {
  const from = currentProfile(scope).id;
  const to = leadOf(scope);
  const returns = scope.state.handoffs.filter(({ returned }) => returned).length;
  if (to === undefined || from === to || returns >= mostReturns) return { outcome: "completed", text };
  // What was streamed is a report now.
  await scope.emit({ type: "text_reset" });
  await scope.emit({ type: "handoff", from, to, report: text });
  return undefined;
}
