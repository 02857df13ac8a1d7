import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";

const most = 50;

/** Looks people and groups up. */
export const people = definePart({
  title: "Looking people up",
  description:
    "Finds people and groups: ids, names, title or roles, time zone, whether they are in this channel.",
  parameters: z.object({
    words: z.string().max(200).default("").describe("of a name, title or id; everybody unless given"),
    here: z.boolean().default(false).describe("only people of this channel"),
  }),
  output: z.object({
    people: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        full_name: z.string().optional(),
        title: z.string().optional(),
        time_zone: z.string().optional(),
        here: z.boolean(),
        standing: z.string().optional(),
      }),
    ),
    groups: z.array(z.object({ id: z.string(), name: z.string(), members: z.number().optional() })),
    more: z.boolean(),
  }),
  async run({ words, here }, { chat }) {
    const found = await chat.people(words, here ? most * 4 : most);
    const wanted = found.people.filter((person) => !here || person.here);
    return {
      people: wanted.slice(0, most).map((person) => ({ ...person })),
      groups: found.groups.map(({ id, name, members }) => ({
        id,
        name,
        ...(members === undefined ? {} : { members }),
      })),
      more: found.more || wanted.length > most,
    };
  },
});
