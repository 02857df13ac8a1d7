import type { KeyValue } from "../ports/key-value.ts";
import { isInstalled, type Skill } from "./skill.ts";

/** Which installed skills a person enabled, in whatever channel. Before that no code of them runs, not even to see what tools it has. */
export interface EnabledPackages {
  /** A person enabled this version. */
  note(skill: Skill): Promise<void>;
  /** Whether somebody ever enabled this version. Skills of other sources need nobody. */
  allows(skill: Skill): Promise<boolean>;
}

export function createEnabledPackages(store: KeyValue): EnabledPackages {
  const keyOf = (skill: Skill) => `enabled:${skill.parent ?? skill.id}`;
  return {
    async note(skill) {
      if (isInstalled(skill)) await store.set(keyOf(skill), skill.hash);
    },
    allows: async (skill) => !isInstalled(skill) || (await store.get(keyOf(skill))) === skill.hash,
  };
}
