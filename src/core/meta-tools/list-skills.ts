import { z } from "zod";
import type { OfferedSkill } from "../skill/offer.ts";
import { onlyFor } from "../skill/rights.ts";
import { toJson } from "../values/json.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

/** The longest list in one answer; a query narrows it. */
const longestList = 20;

/** Characters of a description in a list. */
const longestDescription = 400;

/** Only the best matches are described with their parameters; `activate_skill` shows those of the others. */
const fullyDescribed = 8;

export const createListSkills = () =>
  defineMetaTool({
    name: "list_skills",
    category: "skill",
    shown: "whole",
    title: ({ query }) => (query ? "Looking for a fitting skill" : "Looking at the skills"),
    description: "Lists the skills of this channel, best match first when a query is given.",
    parameters: z.object({
      category: z
        .string()
        .optional()
        .describe("only this category, e.g. research, data, creative, automation, code"),
      query: z.string().optional().describe("words that say what is needed"),
    }),
    effect: "read_only",
    offered: () => true,
    run: async ({ category, query }, _context, { offer, ports }) => {
      const usable = new Map(offer.usable.map((offered) => [offered.skill.id, offered]));
      const order =
        query === undefined ? [...usable.keys()] : offer.catalogue.search(query).map((skill) => skill.id);
      const found = order
        .flatMap((id) => usable.get(id) ?? [])
        .filter(
          ({ skill }) =>
            skill.parent === undefined && (category === undefined || skill.category === category),
        );
      const skills = found.slice(0, longestList).map((offered, index) => {
        const only_for = onlyFor(ports.rights, { skill_id: offered.skill.id });
        return {
          ...describe(offered, index < fullyDescribed),
          ...(only_for === undefined ? {} : { only_for }),
        };
      });
      const more = found.length - skills.length;
      return ok({
        skills,
        count: skills.length,
        category: category ?? null,
        ...(more > 0 ? { more: `${more} more; narrow the query` } : {}),
      });
    },
  });

function describe({ skill, state }: OfferedSkill, fully: boolean) {
  const parts = skill.tools.length > 1 ? { parts: skill.tools.map((tool) => tool.skill_id) } : {};
  return {
    id: skill.id,
    name: skill.name,
    description: skill.description.slice(0, longestDescription),
    category: skill.category,
    ...(fully ? { parameters: toJson(skill.parameters) } : {}),
    tags: [...skill.tags],
    state,
    ...parts,
  };
}
