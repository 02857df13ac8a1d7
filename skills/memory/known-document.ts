import { z } from "zod";
import type { KnownDocument } from "../../src/core/ports/services.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { labelOf } from "../../src/core/values/label.ts";
import { minute, sameness } from "./fact.ts";

export const shownDocumentSchema = z.object({
  id: z.number(),
  title: z.string(),
  by: z.string().describe("who added it"),
  at: z.string().describe("when"),
  link: z.string().optional(),
  passages: z.number(),
});

/** A document as shown to people and models. */
export function showDocument({ id, title, by, at, source, pieces }: KnownDocument, zone: string) {
  return { id, title, by: labelOf(by), at: minute(at, zone), link: linkOf(source), passages: pieces };
}

/** The address of a document; undefined for a file of a thread. */
export function linkOf(source: string): string | undefined {
  return /^https?:\/\//.test(source) ? source : undefined;
}

/** The document with this number or title, or else all documents whose title or address contains the words. */
export async function documentsNamed(name: string, { knowledge }: ToolContext): Promise<KnownDocument[]> {
  const all = (await knowledge?.list()) ?? [];
  const number = Number(name.replace(/^#/, ""));
  const numbered = all.filter(({ id }) => id === number);
  if (numbered.length > 0) return numbered;
  const wanted = sameness(name);
  const exact = all.filter(({ title, source }) => [title, source].some((each) => sameness(each) === wanted));
  if (exact.length > 0) return exact;
  return all.filter(({ title, source }) => [title, source].some((each) => sameness(each).includes(wanted)));
}
