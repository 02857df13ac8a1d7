import { chosenModel } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { guide } from "../skill/offered-tools.ts";
import type { Skill } from "../skill/skill.ts";
import { endWithin, fits } from "../values/cut.ts";
import type { Profile } from "../values/profile.ts";
import { fingerprint } from "../values/told.ts";

type Guided = Pick<Skill, "id" | "instructions" | "guide_note">;

/** Maximum tokens of a transcript: the configured limit, but at most 70 % of the model's window. */
export function transcriptBudget(scope: TurnScope): number {
  const { transcript_tokens } = scope.turn.limits;
  const { window } = chosenModel(scope);
  return window === undefined ? transcript_tokens : Math.min(transcript_tokens, Math.floor(0.7 * window));
}

/** Maximum tokens of one guide in a transcript: half of all, so that a conversation has room beside it. */
export function guideTokens(scope: TurnScope): number {
  return transcriptBudget(scope) / 2;
}

/** A guide as the model of this turn gets it. Secrets are removed before it is cut, as `read_skill_file` does, which reads on. */
export function guideFor(scope: TurnScope, skill: Guided): string {
  const instructions = scope.ports.redact(skill.instructions);
  const { countTokens } = scope.ports;
  return guide({ ...skill, instructions }, (text) => endWithin(text, guideTokens(scope), countTokens));
}

/** Whether the model of this turn gets only the beginning of a guide. */
export function isGuideCut(scope: TurnScope, { instructions }: Guided): boolean {
  return !fits(instructions.trim(), guideTokens(scope), scope.ports.countTokens);
}

/** What an agent is told about itself. For one that is a skill this is the guide. */
export function promptFor(scope: TurnScope, profile: Profile): string {
  const skill = scope.turn.catalogue.skills.get(profile.skill ?? "");
  return skill === undefined ? profile.prompt : guideFor(scope, skill);
}

/** Fingerprint that identifies a guide the model was given, whatever part of it. */
export function guidePrint(skill: Guided): string {
  return fingerprint(guide(skill));
}
