import type { SettingsOwner } from "../core/skill/eligibility.ts";
import type { Skill } from "../core/skill/skill.ts";

/** `skills.env` of the configuration: variables by skill. `apiKey` stands for the skill's `primaryEnv`. */
export type SkillEnv = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The variables the operator gives a skill. What stands under its id wins over its parent's, and that over its `skillKey`. */
export function givenVariables(settings: SkillEnv, skill: SettingsOwner): Record<string, string> {
  const [parent = skill.id] = skill.id.split("#");
  const keys = [skill.settings?.key, skill.parent ?? parent, skill.id];
  const entries = keys.map((key) => (key !== undefined && Object.hasOwn(settings, key) ? settings[key] : {}));
  const { apiKey, ...given } = Object.assign({}, ...entries) as Record<string, string>;
  const variable = skill.settings?.api_key_variable;
  if (apiKey === undefined) return given;
  return variable === undefined ? { ...given, apiKey } : { [variable]: apiKey, ...given };
}

/** What a skill gets of them: the variables it declares. */
export function skillEnvironment(settings: SkillEnv, skill: Skill): Record<string, string> {
  const declared = [...skill.requires.env, skill.settings?.api_key_variable];
  const given = Object.entries(givenVariables(settings, skill));
  return Object.fromEntries(given.filter(([name]) => declared.includes(name)));
}
