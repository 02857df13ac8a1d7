import type { Profile } from "./turn.ts";
import type { TurnScope } from "./turn-scope.ts";

/** The agent of this id; the one that begins where nobody chose another, when there is none. */
export function profileNamed(profiles: readonly [Profile, ...Profile[]], id: string | undefined): Profile {
  return profiles.find((profile) => profile.id === id) ?? profiles[0];
}

/** The agent that has the turn now. */
export function currentProfile({ turn, state }: TurnScope): Profile {
  return turn.profiles.find((profile) => profile.id === state.profile) ?? turn.profile;
}
