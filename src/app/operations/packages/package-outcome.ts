import { z } from "zod";
import { type LeftOut, leftOut, type PackageOutcome } from "../../../core/skill/packages.ts";
import type { Outcome } from "../../../core/values/failure.ts";
import { operators } from "../operation.ts";
import { whichSkill } from "../skills/find-skill.ts";

/** Who works with packages. */
export const who = operators("install, update or remove skills");

export const left_out = z.array(leftOut).optional().describe("what of the package is not in it, and why");

/** The argument of commands about one skill. */
export const named = {
  read: (words: string) => (words === "" ? undefined : { id: words }),
  missing: whichSkill,
};

/** An outcome with what of the package was left out. */
export function outcomeWith<T, U extends object>(
  done: PackageOutcome<T>,
  shape: (value: T) => U,
): Outcome<U & { left_out?: LeftOut[] | undefined }> {
  if (!done.ok) return outcomeOf(done);
  return { ok: true, value: { ...shape(done.value), left_out: done.left_out } };
}

/** Codes of `Packages` with a status other than 409. */
const statuses: Record<string, 404 | 413> = {
  not_installed: 404,
  skill_gone: 404,
  unknown_skill: 404,
  too_large: 413,
  archive_too_large: 413,
};

/** A result of `Packages` as an outcome. */
export function outcomeOf<T>(outcome: PackageOutcome<T>): Outcome<T> {
  if (outcome.ok) return outcome;
  const { code, reason } = outcome;
  return { ok: false, status: statuses[code] ?? 409, code, message: reason };
}
