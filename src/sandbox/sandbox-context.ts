import type { Verdict } from "../core/programs.ts";
import type { Skill } from "../core/skill.ts";
import type { Isolation, SandboxLimits } from "./isolation.ts";

/** What scripts and programs share: found out once per process. */
export interface SandboxContext {
  isolation: Isolation;
  limits: SandboxLimits;
  /** Where each run has its folder. */
  runs: string;
  allows(skill: Skill): Verdict;
}
