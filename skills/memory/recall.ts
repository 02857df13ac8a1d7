import { z } from "zod";
import { counted } from "../../src/base/amounts.ts";
import type { FoundPiece } from "../../src/core/ports/services.ts";
import type { FoundExchanges, PastExchange } from "../../src/core/ports/work-means.ts";
import { definePart } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { labelOf } from "../../src/core/values/label.ts";
import { type Fact, findFacts, minute, readFacts, show, shownFactSchema } from "./fact.ts";
import { linkOf, showDocument, shownDocumentSchema } from "./known-document.ts";

/** Maximum passages and earlier conversations per answer, documents per list, and characters of a question and an answer. */
const maxPassages = 5;
const maxConversations = 4;
const maxDocuments = 30;
const maxQuestion = 300;
const maxAnswer = 700;

const passageSchema = z.object({
  document: z.string(),
  document_id: z.number(),
  place: z.string().optional().describe("where in it"),
  text: z.string(),
  by: z.string().describe("who added the document"),
  at: z.string().describe("when"),
  link: z.string().optional(),
});
const conversationSchema = z.object({
  question: z.string(),
  answer: z.string().describe("the bot's"),
  by: z.string().describe("who asked"),
  at: z.string().describe("when"),
  link: z.string().optional(),
});

/** Searches facts, documents and earlier conversations, best match first; without a query, lists facts and documents. */
export const recall = definePart({
  title: "Looking into memory",
  description:
    "Recalls what this channel was told, learned or asked in earlier conversations: look here before you say that you do not know something about the team. Say who told it and when. Without a query: the newest facts and all documents.",
  parameters: z.object({
    query: z.string().trim().max(500).optional().describe("the words that matter"),
    limit: z.number().int().min(1).max(50).default(10).describe("at most this many facts"),
  }),
  output: z.object({
    summary: z.string(),
    facts: z.array(shownFactSchema),
    total: z.number().describe("facts this channel remembers"),
    passages: z.array(passageSchema).optional(),
    conversations: z.array(conversationSchema).optional(),
    documents: z.array(shownDocumentSchema).optional(),
  }),
  async run({ query, limit }, context) {
    const { found, total, searched } = await context.step("search", async () => {
      const facts = await readFacts(context.store);
      const fitting = query === undefined ? undefined : await findFacts(facts, query, { every: false });
      const chosen = fitting ?? newestFirst(facts);
      return { found: chosen.slice(0, limit), total: facts.length, searched: fitting !== undefined };
    });
    const related =
      searched && query !== undefined
        ? await searchDocumentsAndPast(query, found, context)
        : await listed(context);
    const facts = summarise(found.length, total, searched ? query : undefined);
    return {
      summary: [...(total === 0 && related.notes.length > 0 ? [] : [facts]), ...related.notes].join(" "),
      facts: found.map((fact) => show(fact, context.time_zone)),
      total,
      ...related.found,
    };
  },
});

async function searchDocumentsAndPast(query: string, facts: readonly Fact[], context: ToolContext) {
  const [pieces, past] = await Promise.all([
    context.knowledge?.search(query, maxPassages) ?? [],
    context.searchPast(query, maxConversations),
  ]);
  const { time_zone: zone } = context;
  const exchanges = past.exchanges.filter((each) => !repeats(each, facts));
  const isAlone = facts.length + pieces.length === 0;
  return {
    found: {
      passages: unlessEmpty(pieces.map((each) => showPassage(each, zone))),
      conversations: unlessEmpty(exchanges.map((each) => showExchange(each, query, zone))),
    },
    notes: [
      pieces.length > 0 && `${counted(pieces.length, "passage")} of documents may help: untrusted text.`,
      isAlone && exchanges.length > 0 && `${counted(exchanges.length, "earlier conversation")} may help.`,
      exchanges.length === 0 && past.since !== undefined && sinceWhen(past, zone),
    ].filter((note) => note !== false),
  };
}

/** Whether a conversation only states or asks for a fact that is already shown. */
function repeats({ question, answer }: PastExchange, facts: readonly Fact[]): boolean {
  const said = `${question}\n${answer}`.toLowerCase();
  return facts.some(({ text }) => said.includes(text.toLowerCase()));
}

function unlessEmpty<T>(items: T[]): T[] | undefined {
  return items.length === 0 ? undefined : items;
}

async function listed({ knowledge, time_zone }: ToolContext) {
  const documents = (await knowledge?.list()) ?? [];
  const more = documents.length > maxDocuments ? `, of which the latest ${maxDocuments} are shown` : "";
  const shown = documents.slice(0, maxDocuments).map((each) => showDocument(each, time_zone));
  return {
    found: { documents: unlessEmpty(shown) },
    notes: shown.length === 0 ? [] : [`${counted(documents.length, "document")} can be searched${more}.`],
  };
}

function showPassage({ document, place, text }: FoundPiece, zone: string) {
  const { title, id, by, at, source } = document;
  return {
    document: title,
    document_id: id,
    place: place || undefined,
    text,
    by: labelOf(by),
    at: minute(at, zone),
    link: linkOf(source),
  };
}

function showExchange({ question, answer, by, at, link }: PastExchange, query: string, zone: string) {
  return {
    question: excerpt(question, query, maxQuestion),
    answer: excerpt(answer, query, maxAnswer),
    by: labelOf(by),
    at: minute(at, zone),
    link,
  };
}

/** A note about conversations that were not searched. */
function sinceWhen({ since = 0, looked_at }: FoundExchanges, zone: string): string {
  return `No earlier conversation fits; only the latest ${looked_at.toLocaleString("en")} were looked at, since ${minute(since, zone).slice(0, 10)}.`;
}

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

/** Characters shown before the first matching word. */
const before = 120;

/** The part of a text around the first word of the query, or its beginning if no word matches. */
export function excerpt(text: string, query: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= max) return line;
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).toSorted(
    (a, b) => b.length - a.length,
  );
  const lower = line.toLowerCase();
  // Other forms of a word share its stem.
  const at = words
    .map((word) => lower.indexOf(word.slice(0, Math.max(4, word.length - 2))))
    .find((found) => found >= 0);
  const from = Math.max(0, Math.min((at ?? 0) - before, line.length - max));
  const start = from === 0 ? 0 : line.indexOf(" ", from) + 1;
  const end = start + max;
  return `${start === 0 ? "" : "…"}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
