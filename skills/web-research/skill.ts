import { z } from "zod";
import { defineSkill, requireModel, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { toJson } from "../../src/core/values/json.ts";
import { asked, compared, type Judged, judge, maxSearches, unjudged } from "./judge-sources.ts";
import {
  askModel,
  copyOf,
  type Hit,
  pageKey,
  type ReadPage,
  readPage,
  readSchema,
  search,
  unread,
} from "./sources.ts";
import { writeAnswer } from "./write-answer.ts";

/** Maximum pages per round and in total, and maximum further searches. */
const depths = {
  quick: { round: 4, pages: 4, refinements: 0 },
  normal: { round: 6, pages: 14, refinements: 2 },
  deep: { round: 8, pages: 26, refinements: 3 },
};
/** Maximum pages of one site per round, and pages read concurrently. */
const maxHitsOfSite = 3;
const atOnce = 3;

/** Time after which nothing more is searched and read, ms: the rest of the skill's limit is for the answer. */
const maxReading = 480_000;

/** Maximum characters of a search. */
const maxSearch = 200;

const planSchema = z.object({
  parts: z.array(z.string()).max(6).describe("what has to be found out"),
  searches: z
    .array(z.string().min(2).max(maxSearch))
    .min(1)
    .max(maxSearches)
    .describe("words that stand on the pages"),
});
export const skill = defineSkill({
  name: "web_research",
  title: "Researching",
  effect: "read_only",
  // Every address comes from a search, and is checked when it is read.
  addresses: () => [],
  finds: "links",
  parameters: z.object({
    question: z.string().trim().min(2).max(2_000).describe("a whole sentence; nothing private"),
    depth: z.enum(["quick", "normal", "deep"]).default("normal"),
    within: z.enum(["day", "week", "month", "year"]).optional().describe("pages not older than that"),
    site: z.string().max(200).optional(),
    topic: z.string().optional().meta({ deprecated: true, stands_for: "question" }),
    max_sources: z.number().int().min(1).optional().meta({ deprecated: true }),
  }),
  output: z.object({
    answer: z.string().describe("Markdown with [numbers] of sources"),
    sources: z.array(
      z.object({ n: z.number(), title: z.string(), url: z.string(), date: z.string().optional() }),
    ),
    contradictions: z.array(z.string()),
    outdated: z.array(z.string()),
    not_verified: z.array(z.string()),
    searched: z.array(z.string()),
    left_out: z.array(z.object({ url: z.string(), why: z.string() })),
    note: z.string().optional(),
  }),
  async run({ question, depth, within, site, max_sources = Number.POSITIVE_INFINITY }, context) {
    requireModel(context, "Research needs", "Search with web_search and quote what it finds.");
    const pages = Math.min(depths[depth].pages, max_sources);
    const limits = { ...depths[depth], pages };
    const state: State = {
      sources: [],
      left_out: [],
      searched: [],
      seen: new Set(),
      notes: new Set(),
      pages: 0,
    };
    context.progress("Planning");
    const input = asked(question, context);
    const unplanned = { parts: [], searches: [question.slice(0, maxSearch)] };
    const planned = await askModel(
      "plan",
      { instructions: planning, input, schema: planSchema, brief: true },
      context,
    );
    const plan = planned ?? unplanned;
    let searches = plan.searches;
    let judged = unjudged;
    const end = context.now() + maxReading;
    for (let round = 0; round <= limits.refinements && searches.length > 0; round += 1) {
      const hits = await find(searches, { within, site }, state, context);
      const chosen = choose(hits, Math.min(limits.round, limits.pages - state.pages), state);
      if (chosen.length === 0) break;
      await readAll(chosen, { question, total: limits.pages, end }, state, context);
      const isLast = round === limits.refinements;
      if (isLast && state.sources.length === 0) break;
      const found =
        context.now() > end ? undefined : await judge({ question, parts: plan.parts }, state, context);
      judged = found ?? unjudged;
      if (found === undefined) state.notes.add("What the sources say was not compared.");
      if (judged.enough) break;
      searches = judged.searches.filter((words) => !state.searched.includes(words));
    }
    return await outputOf(question, judged, state, context);
  },
});

interface State {
  sources: ReadPage[];
  left_out: { url: string; why: string }[];
  searched: string[];
  /** Keys of pages found before. */
  seen: Set<string>;
  notes: Set<string>;
  /** Number of pages read, useful or not. */
  pages: number;
}

const planning =
  "Plan a research in the web: what has to be found out to answer the question, and words to search for, in the language in which the best pages are written; different angles, also one that could prove the expected answer wrong. Put no names of private people and nothing secret into them.";

/** Searches one after the other, so that the results keep their order after a crash. */
async function find(
  searches: readonly string[],
  more: { within?: string | undefined; site?: string | undefined },
  state: State,
  context: ToolContext,
): Promise<Hit[][]> {
  const found: Hit[][] = [];
  for (const words of searches.slice(0, maxSearches)) {
    context.progress(`Searching for ${words}`);
    const { results, note } = await searchOrSay(words, more, state, context);
    state.searched.push(words);
    if (note !== undefined) state.notes.add(note);
    found.push(results);
  }
  return found;
}

/** A failed first search ends the research; after a later failure it continues with the known results. */
async function searchOrSay(
  words: string,
  more: Parameters<typeof search>[1],
  state: State,
  context: ToolContext,
): ReturnType<typeof search> {
  try {
    return await search(words, more, context);
  } catch (error) {
    if (!(error instanceof SkillFailure) || state.searched.length === 0) throw error;
    return { results: [], note: `The search for “${words}” failed: ${error.message}` };
  }
}

/** The best results of each search in turn, without duplicates; more than a few of one site only if there are no others. */
function choose(found: readonly (readonly Hit[])[], max: number, { seen }: State): Hit[] {
  const ranks = Math.max(0, ...found.map((hits) => hits.length));
  const inTurn = Array.from({ length: ranks }, (_, rank) => found.flatMap((hits) => hits[rank] ?? [])).flat();
  const fresh = new Map<string, Hit>();
  for (const hit of inTurn)
    if (!seen.has(pageKey(hit.url)) && !fresh.has(pageKey(hit.url))) fresh.set(pageKey(hit.url), hit);
  const sites = Map.groupBy(fresh.values(), ({ url }) => URL.parse(url)?.host ?? "");
  const few = new Set([...sites.values()].flatMap((hits) => hits.slice(0, maxHitsOfSite)));
  const rest = [...fresh.values()].filter((hit) => !few.has(hit));
  const chosen = [...[...fresh.values()].filter((hit) => few.has(hit)), ...rest].slice(0, Math.max(0, max));
  for (const { url } of chosen) seen.add(pageKey(url));
  return chosen;
}

/** Reads pages, a few at a time, and collects their claims. */
async function readAll(
  hits: readonly Hit[],
  { question, total, end }: { question: string; total: number; end: number },
  state: State,
  context: ToolContext,
): Promise<void> {
  for (let from = 0; from < hits.length; from += atOnce) {
    if (context.now() > end) {
      for (const { url } of hits.slice(from))
        state.left_out.push({ url, why: "there was no time to read it" });
      break;
    }
    const group = hits.slice(from, from + atOnce);
    const names = group.map(({ url }) => URL.parse(url)?.host ?? url).join(", ");
    context.progress(`Reading ${names}`, state.pages, total);
    const read = await Promise.all(
      group.map((hit) =>
        context.step("read page", async () => toJson(await readPage(hit, question, context))),
      ),
    );
    for (const each of read) take(readSchema.parse(each), state);
  }
}

function take(page: ReadPage, state: State): void {
  state.pages += 1;
  const copied = copyOf(page, state.sources);
  const why = page.problem ?? (copied === undefined ? undefined : `it repeats [${copied}] in the same words`);
  if (why === undefined) state.sources.push(page);
  else state.left_out.push({ url: page.url, why });
}

/** The research found pages, but the model could read none of them. */
function notRead(pages: readonly { url: string }[]): SkillFailure {
  const urls = pages.map(({ url }) => url).join(", ");
  const message = `The model that reads the pages does not answer; these were found: ${urls}.`;
  return new SkillFailure("not_read", message, "Read the best of them yourself.");
}

async function outputOf(question: string, judged: Judged, state: State, context: ToolContext) {
  const { sources, left_out, searched, notes } = state;
  const { contradictions, outdated } = compared(judged, sources);
  const common = { contradictions, outdated, searched, left_out };
  const lost = left_out.filter(({ why }) => why === unread);
  if (sources.length === 0 && lost.length > 0) throw notRead(lost);
  if (sources.length === 0)
    return {
      answer: "",
      sources: [],
      not_verified: [question],
      ...common,
      note: ["No page says anything about the question.", ...notes].join(" "),
    };
  context.progress("Writing the answer");
  const hints = [
    ...contradictions.map((each) => `Contradiction: ${each}`),
    ...outdated.map((each) => `Outdated: ${each}`),
  ];
  const { note, ...written } = await writeAnswer(question, sources, hints.join("\n"), context);
  return {
    ...written,
    note: [note, ...notes].filter((each) => each !== undefined).join(" ") || undefined,
    sources: sources.map(({ title, url, date }, at) => ({ n: at + 1, title, url, date })),
    ...common,
  };
}
