import { z } from "zod";
import { definePart, SkillFailure } from "../../src/core/define-skill.ts";
import { changeFacts, type Fact, readFacts, sameness, setPinned, show, shownFactSchema } from "./fact.ts";
import { findFacts } from "./find-facts.ts";

/** Candidates shown when a query fits several facts. */
const mostCandidates = 10;

/** Removes one fact. A query that fits several removes none and answers them. */
export const forget = definePart({
  title: "Forgetting",
  description:
    "Forgets (deletes, removes) one remembered fact of this channel, by its id or by words that fit only it.",
  parameters: z.object({
    id: z.number().int().positive().optional().describe("the number of the fact"),
    query: z.string().trim().min(1).max(2_000).optional().describe("words of the fact, or the whole fact"),
  }),
  output: z.object({
    summary: z.string(),
    forgotten: shownFactSchema.optional(),
    matches: z
      .array(shownFactSchema)
      .optional()
      .describe("facts that fit, when it is not clear which one is meant"),
  }),
  effect: (input) => (hasId(input) ? "idempotent" : "side_effect"),
  async run({ id, query }, context) {
    if (id === undefined && query === undefined) {
      throw new SkillFailure(
        "nothing_named",
        "Neither an id nor words of the fact were given.",
        "Recall the facts first.",
      );
    }
    const matches = await context.step("search", async () => {
      const facts = await readFacts(context.store);
      return id === undefined ? candidates(facts, query ?? "") : facts.filter((fact) => fact.id === id);
    });
    const [only, ...others] = matches;
    if (only === undefined) {
      const wanted = id === undefined ? `fits “${query}”` : `has the id ${id}`;
      throw new SkillFailure(
        "not_found",
        `No remembered fact ${wanted}; nothing was forgotten.`,
        "Recall shows the facts and their ids.",
      );
    }
    if (others.length > 0) {
      const shown = matches.slice(0, mostCandidates).map(show);
      const summary = `${matches.length} facts fit “${query}”, so nothing was forgotten. Say which one by its id, e.g. “forget fact ${only.id}”.`;
      return { summary, matches: shown };
    }
    await context.step("forget", () => remove(context.store, only));
    return { summary: `Forgotten: ${only.text}`, forgotten: show(only) };
  },
});

function hasId(input: unknown): boolean {
  return typeof input === "object" && input !== null && "id" in input && typeof input.id === "number";
}

/** The fact that says exactly this, else those that have every word. */
async function candidates(facts: readonly Fact[], query: string): Promise<Fact[]> {
  const exact = facts.filter((fact) => sameness(fact.text) === sameness(query));
  return exact.length > 0 ? exact : ((await findFacts(facts, query, { every: true })) ?? []);
}

async function remove(store: Parameters<typeof readFacts>[0], fact: Fact): Promise<null> {
  await changeFacts(store, (draft) => {
    draft.facts = draft.facts.filter((other) => other.id !== fact.id);
  });
  await setPinned(store, fact, false);
  return null;
}
