import { z } from "zod";
import { pattern } from "../../base/pattern.ts";
import { mapTexts } from "../../base/record.ts";
import { parameterSchema, promptOf, type SkillExample } from "../../core/skill/skill.ts";
import { type Json, type JsonObject, objectOf, parseJson } from "../../core/values/json.ts";

/** A skill in a result of `list_skills`, with the examples that have their call. */
const listedSkillSchema = z.object({
  id: z.string(),
  name: z.string(),
  parameters: z.array(parameterSchema),
  examples: z.array(
    z.object({
      prompt: z.string(),
      call: z.string(),
      part: z.string().optional(),
      values: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
export type ListedSkill = z.infer<typeof listedSkillSchema>;

/** The skills in a result of `list_skills`; empty for any other value. */
export function readSkillList(value: Json): ListedSkill[] {
  return z.object({ skills: z.array(listedSkillSchema) }).safeParse(value).data?.skills ?? [];
}

/** The arguments of `invoke_skill`. */
export type ExactCall = { skill_id: string; params: JsonObject };

/**
 * The call that a message asks for in an exact form, whatever the case of its letters: an example of a skill with other words in its
 * slots; or the id or name of a skill, alone or as `name: text`, where the text is its first required parameter, as in `/skill run`.
 * Undefined for any other message.
 */
export function exactCall(message: string, skills: readonly ListedSkill[]): ExactCall | undefined {
  const text = message.trim();
  for (const skill of skills) {
    for (const example of skill.examples) {
      const words = wordsIn(text, example);
      if (words !== undefined) return callOf(skill, example, words);
    }
  }
  return namedSkill(text, skills);
}

function callOf({ id }: ListedSkill, { call, part }: SkillExample, words: Words): ExactCall {
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (slot, name) => words.get(name) ?? slot);
  const params = objectOf(mapTexts(objectOf(parseJson(call)), fill) as Json);
  return { skill_id: part === undefined ? id : `${id}#${part}`, params };
}

type Words = ReadonlyMap<string, string>;

/** The words in the slots of an example; undefined for a message that is not this example. */
function wordsIn(text: string, { prompt, values = {} }: SkillExample): Words | undefined {
  const words = new Map<string, string>();
  let slot: string | undefined;
  let rest = text;
  const fill = (end: number) => {
    if (slot === undefined) return end === 0;
    const filling = rest.slice(0, end).trim();
    words.set(slot, filling);
    slot = undefined;
    return filling !== "";
  };
  for (const piece of prompt.trim().split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (name !== undefined && Object.hasOwn(values, name)) slot = name;
    else if (piece !== "") {
      const found = literal(piece).exec(rest);
      if (found === null || !fill(found.index)) return undefined;
      rest = rest.slice(found.index + found[0].length);
    }
  }
  return fill(rest.length) ? words : undefined;
}

/** The fixed words between slots; any white space separates them. */
function literal(piece: string): RegExp {
  const words = piece.split(/\s+/).map((word) => pattern()`${word}`);
  const joined = words.reduce((before, word) => pattern()`${before}\s{1,9}${word}`);
  return pattern("iu")`${joined}`;
}

function namedSkill(text: string, skills: readonly ListedSkill[]): ExactCall | undefined {
  const [, named = "", words] = /^([^\n:]{1,200})(?::\s*([\s\S]*))?$/.exec(text) ?? [];
  const isNamed = (name: string) => name.toLowerCase() === named.trim().toLowerCase();
  const skill = skills.find(({ id, name }) => isNamed(id) || isNamed(name));
  if (skill === undefined) return undefined;
  const { id, parameters } = skill;
  const main = parameters.find(({ required }) => required) ?? parameters[0];
  return { skill_id: id, params: words && main ? { [main.name]: words } : {} };
}

/** Examples as people can write them: the first of each skill, then the others. */
export function examplesOf(skills: readonly ListedSkill[]): string[] {
  const most = Math.max(0, ...skills.map(({ examples }) => examples.length));
  return Array.from({ length: most }).flatMap((_, at) =>
    skills.flatMap(({ examples }) => examples.slice(at, at + 1).map(promptOf)),
  );
}
