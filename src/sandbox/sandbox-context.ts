import type { NetworkAccess, Verdict } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Isolation, SandboxLimits } from "./isolation.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { Places } from "./places.ts";
import type { PreparedFolders } from "./prepare/prepared-folders.ts";

/** Opens a proxy on a unix socket that reaches what `access` permits. */
export type OpenProxy = (access: NetworkAccess) => Promise<{ socket: string; close(): Promise<void> }>;

/** Whether a skill is part of the bot, as far as isolation goes. */
export function isShipped(skill: Skill): boolean {
  return skill.origin.source === "bundled";
}

/** What scripts and programs share: found out once per process. */
export interface SandboxContext {
  isolation: Isolation;
  limits: SandboxLimits;
  /** Where each run has its folder. */
  runs: string;
  openProxy: OpenProxy | undefined;
  /** For installers of packages, whose downloads are large; `openProxy` unless given. */
  openPackageProxy?: OpenProxy | undefined;
  places: Places;
  memory: MemoryWatch;
  prepared: PreparedFolders;
  allows(skill: Skill): Verdict;
}
