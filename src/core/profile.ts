import type { Profile } from "./turn.ts";
import type { TurnScope } from "./turn-scope.ts";

/** The agent that has the turn now. */
export function currentProfile({ turn, state }: TurnScope): Profile {
  return turn.profiles.find((profile) => profile.id === state.profile) ?? turn.profile;
}
