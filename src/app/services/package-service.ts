import type { Asker, Outcome } from "../../core/outcome.ts";
import type { InstalledPackage, PackageReview, PackageSource } from "../../core/packages.ts";

/** Installing skills, for operators. Nothing that is installed is active by that. */
export interface PackageService {
  /** Empty where packages are not set up. */
  list(): Promise<InstalledPackage[]>;
  /** What a package would bring; installs nothing. */
  review(source: PackageSource, asker: Asker, signal: AbortSignal): Promise<Outcome<PackageReview[]>>;
  /** `expected` are hashes of reviews that were seen: anything else is refused. */
  install(
    source: PackageSource,
    asker: Asker,
    options: { signal: AbortSignal; expected?: readonly string[] | undefined },
  ): Promise<Outcome<InstalledPackage[]>>;
  /** Installs again from where it came from. */
  update(id: string, asker: Asker, signal: AbortSignal): Promise<Outcome<InstalledPackage[]>>;
  remove(id: string, asker: Asker): Promise<Outcome<InstalledPackage>>;
  /** Reviews a skill that is there, installed or copied in. For everybody. */
  reviewSkill(id: string): Promise<Outcome<PackageReview>>;
}
