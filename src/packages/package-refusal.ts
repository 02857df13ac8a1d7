import { escapedInvisible } from "../base/text/invisible-text.ts";
import type { SkillChoice } from "../core/skill/packages.ts";

/** Why a package, or one skill of it, is refused. Thrown inside this folder only; `createPackages` turns it into an outcome. */
export class PackageRefusal extends Error {
  override readonly name = "PackageRefusal";
  /** Stable, e.g. `path_leaves_package`, `too_many_files`. */
  readonly code: string;
  /** What is wrong, as a sentence, without what follows for the package as a whole. */
  readonly fact: string;
  /** The skills to choose from, if somebody has to choose. */
  readonly choices?: readonly SkillChoice[];

  /** `message` is a sentence for a person that names the entry and says what to do. */
  constructor(code: string, message: string, cause?: unknown, fact = message) {
    super(message, { cause });
    this.code = code;
    this.fact = fact;
  }
}

/** A refusal of one skill that refuses the whole package if there is no other skill in it. `fact` and `advice` are sentences. */
export function refusedSkill(code: string, fact: string, advice = ""): PackageRefusal {
  const next = advice === "" ? "." : `; ${advice}`;
  return new PackageRefusal(code, `${fact} Nothing was installed${next}`, undefined, fact);
}

/** `why` completes the sentence that begins with the entry. */
export function refusedEntry(code: string, name: string, why: string): PackageRefusal {
  return refusedSkill(code, `The entry ${shownName(name)} ${why}.`);
}

/** The name of an entry as it may be shown: invisible and control characters escaped, cut at 120 characters. */
export function shownName(name: string): string {
  const visible = escapedInvisible(name, true);
  const cut = visible.length > 120 ? `${visible.slice(0, 117)}...` : visible;
  return `"${cut}"`;
}
