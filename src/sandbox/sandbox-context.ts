import type { NetworkAccess, Verdict } from "../core/skill/programs.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { Isolation, SandboxLimits } from "./isolation.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import type { Places } from "./places.ts";
import type { PreparedFolders } from "./prepare/prepared-folders.ts";

/**
 * Opens a proxy that reaches what `access` permits, on a unix socket that it creates at this path. Programs have to trust `authority`, if
 * there is one.
 */
export type OpenProxy = (
  access: NetworkAccess,
  socket: string,
) => Promise<{ authority?: string | undefined; close(): Promise<void> }>;

/** Whether a skill counts as part of the bot for its isolation. */
export function isShipped(skill: Skill): boolean {
  return skill.origin.source === "bundled";
}

/** Shared by scripts and programs; determined once per process. */
export interface SandboxContext {
  isolation: Isolation;
  limits: SandboxLimits;
  /** Folder of the run folders. */
  runs: string;
  openProxy: OpenProxy | undefined;
  /** For installers of packages, whose downloads are large; default `openProxy`. */
  openPackageProxy?: OpenProxy | undefined;
  places: Places;
  memory: MemoryWatch;
  prepared: PreparedFolders;
  allows(skill: Skill): Verdict;
}
