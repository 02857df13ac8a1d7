import type { Slots } from "../base/slots.ts";
import type { Clock, KeyValue, Mutex } from "../core/ports/storage.ts";
import type { Skill } from "../core/skill/skill.ts";
import type { HeldFolders, PackageFolders } from "./change-journal.ts";
import type { FetchAccess } from "./fetch/fetch-package.ts";
import type { InspectFolder } from "./layout/found-skills.ts";
import type { PackageLimits } from "./package-limits.ts";

export interface PackagesOptions extends Omit<FetchAccess, "limits"> {
  /** Absolute; created if missing; `skills`, `flows` and `staging` on one file system, and used by nothing else. */
  folders: PackageFolders;
  /** The store of the register. */
  store: KeyValue;
  /** Of all processes that use these folders; without it, there is one. */
  mutex?: Mutex | undefined;
  clock: Pick<Clock, "now">;
  /**
   * Loads everything below a folder as skills of the source `managed`, with the loaders of the catalogue, without importing or running
   * anything: documents and imported skills down to the depth the catalogue searches, and flow files directly in it.
   */
  inspect: InspectFolder;
  /** The skills that ship with the bot. */
  shipped(): Promise<readonly Skill[]>;
  /** A skill of the catalogue. */
  find(skillId: string): Promise<Skill | undefined>;
  /** In words for a person: the isolation for code of an installed skill of this kind, or why it would not run. */
  isolation(skill: Skill): string | Promise<string>;
  limits?: Partial<PackageLimits>;
}

/** What changes of installed skills need. */
export interface PackagesContext extends Omit<PackagesOptions, "limits">, HeldFolders {
  limits: PackageLimits;
  /** For the reviews of all packages. */
  slots: Slots;
}
