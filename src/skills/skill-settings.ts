import type { SettingsOwner } from "../core/skill/eligibility.ts";
import type { Skill } from "../core/skill/skill.ts";

/** `skills.env` of the configuration: variables by skill. `apiKey` sets the skill's `primaryEnv`. */
export type SkillEnv = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The variables the operator gives a skill. Those under its id override its parent's, and those override the ones under its `skillKey`. */
export function givenVariables(settings: SkillEnv, skill: SettingsOwner): Record<string, string> {
  const [parent = skill.id] = skill.id.split("#");
  const keys = [skill.settings?.key, skill.parent ?? parent, skill.id];
  const entries = keys.map((key) => (key !== undefined && Object.hasOwn(settings, key) ? settings[key] : {}));
  const { apiKey, ...given } = Object.assign({}, ...entries) as Record<string, string>;
  const variable = skill.settings?.api_key_variable;
  if (apiKey === undefined) return given;
  return variable === undefined ? { ...given, apiKey } : { [variable]: apiKey, ...given };
}

/** The variables of these that a skill gets: those it declares. */
export function skillEnvironment(settings: SkillEnv, skill: Skill): Record<string, string> {
  const declared = [...skill.requires.env, skill.settings?.api_key_variable];
  const given = Object.entries(givenVariables(settings, skill));
  return Object.fromEntries(given.filter(([name]) => declared.includes(name)));
}
