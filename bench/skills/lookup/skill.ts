import { z } from "zod";
import { definePart, defineSkillParts } from "../../../src/core/skill/define-skill.ts";
import { collections, describeLookup, lookUp } from "../../workload.ts";

const parameters = z.object({
  query: z.string().min(1).describe("What to look for"),
  limit: z.number().int().min(1).max(20).default(5).describe("Most records to answer"),
});
const output = z.object({
  records: z.array(z.object({ title: z.string(), url: z.string(), score: z.number() })),
});

export const skill = defineSkillParts(
  Object.fromEntries(
    collections.map((collection) => [
      collection,
      definePart({
        title: `Looking up ${collection}`,
        description: describeLookup(collection),
        parameters,
        output,
        run: async ({ query, limit }) => lookUp(collection, query, limit),
      }),
    ]),
  ),
);
