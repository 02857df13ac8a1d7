import type { Clock, KeyValue } from "../core/ports/storage.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { PackageFolders } from "./change-journal.ts";
import type { FetchAccess } from "./fetch-package.ts";
import type { PackageLimits } from "./package-limits.ts";
import type { PackageRegister } from "./package-register.ts";
import type { InspectFolder } from "./package-skills.ts";

export interface PackagesOptions extends Omit<FetchAccess, "limits"> {
  /** Absolute; made when missing; `skills`, `flows` and `staging` on one file system, and nobody else's. */
  folders: PackageFolders;
  /** Where the register is kept. */
  store: KeyValue;
  clock: Pick<Clock, "now">;
  /**
   * Loads what is below a folder as skills of the source `managed`, with the same loaders as the catalogue, importing and running
   * nothing: documents and imported skills down to the depth the catalogue searches, and flow files directly in it.
   */
  inspect: InspectFolder;
  /** The skills that ship with the bot. */
  shipped(): Promise<readonly Skill[]>;
  /** A skill of the catalogue. */
  find(skillId: string): Promise<Skill | undefined>;
  /** In words for a person: what code of an installed skill of this kind runs in here, or why it would not run. */
  isolation(skill: Skill): string | Promise<string>;
  limits?: Partial<PackageLimits>;
}

/** What work on installed skills needs. */
export interface PackagesContext extends Omit<PackagesOptions, "limits"> {
  limits: PackageLimits;
  register: PackageRegister;
}
