import { SkillFailure } from "../skill/define-skill.ts";
import type { Decided } from "../skill/tool.ts";
import { named } from "../values/label.ts";

/** What a model is told to do after a refusal by a person. */
export const doNotInsist = "Do not try it again unless the person asks for it. Say what was not done.";

/** What was not approved, in words. */
interface NotApproved {
  /** What people were asked about: `send`, `the use of their account`; by default `it`. */
  what?: string | undefined;
  /** What follows: `nothing was sent`. */
  so: string;
  /** The only person who may decide, as `named`. */
  only?: string | undefined;
}

/**
 * The failure of what was not approved. `refused`: a person said no, which settles it. `approval_expired`: nobody decided in time, so it
 * may be asked again.
 */
export function notApproved(
  { by, name = by }: Pick<Decided, "by" | "name">,
  { what = "it", so, only }: NotApproved,
): SkillFailure {
  if (by !== "")
    return new SkillFailure("refused", `${named(name, by)} refused ${what}, so ${so}.`, doNotInsist);
  const nobody = only === undefined ? "Nobody approved" : `${only} has not agreed to`;
  const hint =
    "Tell the person that nobody decided in time; if they still want it, they can ask for it again.";
  return new SkillFailure("approval_expired", `${nobody} ${what} in time, so ${so}.`, hint);
}
