import { z } from "zod";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { objectOf } from "../../src/core/values/json.ts";
import {
  changeFacts,
  type Fact,
  findFacts,
  readFacts,
  sameness,
  setPinned,
  show,
  shownFactSchema,
} from "./fact.ts";
import { documentsNamed, showDocument, shownDocumentSchema } from "./known-document.ts";

/** Candidates shown when a query fits several facts. */
const maxCandidates = 10;

/** Removes one fact or one document. If a query matches several, removes none and returns the matches. */
export const forget = definePart({
  title: "Forgetting",
  description:
    "Forgets (deletes) a remembered fact of this channel, by its id or by words that fit only it, or a learned document.",
  parameters: z.object({
    id: z.number().int().positive().optional().describe("the number of the fact"),
    query: z.string().trim().min(1).max(2_000).optional().describe("words of the fact, or the whole fact"),
    document: z.string().trim().min(1).max(500).optional().describe("instead of a fact: its number or title"),
  }),
  output: z.object({
    summary: z.string(),
    forgotten: shownFactSchema.optional(),
    matches: z
      .array(shownFactSchema)
      .optional()
      .describe("facts that fit, when it is not clear which one is meant"),
    document: shownDocumentSchema.optional().describe("that was forgotten"),
    documents: z.array(shownDocumentSchema).optional().describe("that fit, as matches"),
  }),
  listed: true,
  readable: ({ summary, matches = [], documents = [] }) =>
    [summary, ...[...matches, ...documents].map((each) => JSON.stringify(each))].join("\n"),
  approval: (input) => (objectOf(input).document === undefined ? undefined : losing),
  says: (input) =>
    objectOf(input).document === undefined
      ? { deed: "forget a fact of this channel" }
      : { deed: "forget a document of this channel", quotes: "document" },
  effect: (input) => (typeof objectOf(input).id === "number" ? "idempotent" : "side_effect"),
  async run({ id, query, document }, context) {
    if (document !== undefined) return forgetDocument(document, context);
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
      const shown = matches.slice(0, maxCandidates).map((fact) => show(fact, context.time_zone));
      const summary = `${matches.length} facts fit “${query}”, so nothing was forgotten. Say which one by its id, e.g. “forget fact ${only.id}”.`;
      return { summary, matches: shown };
    }
    await context.step("forget", () => remove(context.store, only));
    return { summary: `Forgotten: ${only.text}`, forgotten: show(only, context.time_zone) };
  },
});

async function forgetDocument(name: string, context: ToolContext) {
  const matches = await context.step("search", async () =>
    (await documentsNamed(name, context)).map((each) => ({ ...each })),
  );
  const [only, ...others] = matches;
  if (only === undefined)
    throw new SkillFailure(
      "not_found",
      `This channel learned no document “${name}”; nothing was forgotten.`,
      "Recall without a query lists the documents.",
    );
  if (others.length > 0) {
    const summary = `${matches.length} documents fit “${name}”, so nothing was forgotten. Say which one by its number, e.g. “forget document ${only.id}”.`;
    return {
      summary,
      documents: matches.slice(0, maxCandidates).map((each) => showDocument(each, context.time_zone)),
    };
  }
  await context.step("forget", () => context.knowledge?.remove([only.id]).then(() => null) ?? null);
  return {
    summary: `Forgotten: ${only.title}, with all its passages. Quotes in earlier answers stay in their threads.`,
    document: showDocument(only, context.time_zone),
  };
}

/** A fact can be stated again, but the file of a document may no longer exist. */
const losing = {
  approver: "asker",
  reason: "The whole channel loses the document, and it can only be learned again if the file still exists.",
} as const;

/** The fact with exactly this text, or else the facts with every word. */
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
