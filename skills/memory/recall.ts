import { z } from "zod";
import { definePart } from "../../src/core/define-skill.ts";
import { type Fact, readFacts, show, shownFactSchema } from "./fact.ts";
import { findFacts } from "./find-facts.ts";

/** Finds remembered facts, best match first; without a query the pinned and then the newest ones. */
export const recall = definePart({
  title: "Looking into memory",
  description:
    "Recalls what this channel knows: searches the facts it was told to remember, or lists the newest.",
  parameters: z.object({
    query: z
      .string()
      .trim()
      .max(500)
      .optional()
      .describe("the words that matter; left out: the newest facts"),
    limit: z.number().int().min(1).max(50).default(10).describe("at most this many facts"),
  }),
  output: z.object({
    summary: z.string(),
    facts: z.array(shownFactSchema),
    total: z.number().describe("facts this channel remembers"),
  }),
  async run({ query, limit }, context) {
    const { found, total, searched } = await context.step("search", async () => {
      const facts = await readFacts(context.store);
      const fitting = query === undefined ? undefined : await findFacts(facts, query, { every: false });
      const chosen = fitting ?? newestFirst(facts);
      return { found: chosen.slice(0, limit), total: facts.length, searched: fitting !== undefined };
    });
    return {
      summary: summarise(found.length, total, searched ? query : undefined),
      facts: found.map(show),
      total,
    };
  },
});

function newestFirst(facts: readonly Fact[]): Fact[] {
  return facts.toSorted((a, b) => Number(b.pinned) - Number(a.pinned) || b.at - a.at || b.id - a.id);
}

function summarise(found: number, total: number, query: string | undefined): string {
  if (total === 0) return "Nothing is remembered in this channel yet.";
  const known = total === 1 ? "1 fact is remembered here" : `${total} facts are remembered here`;
  if (query === undefined) return found < total ? `${known}; these are the first ${found}.` : `${known}.`;
  if (found === 0) return `${known}, but none fits “${query}”.`;
  return found === 1 ? "One fact fits." : `${found} facts fit, the best first.`;
}
