import { z } from "zod";
import { slugOf } from "../../src/base/file-kind.ts";
import { defineSkill, requireModel, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { type Format, formats, type MadeFiles, makeFiles, type ToThread } from "./make-files.ts";

/** Maximum characters of a text, and maximum pictures. */
const maxCharacters = 400_000;
const maxPictures = 40;
/** Time limit for all files of a call, ms. */
const timeoutMs = 60_000;

const types: Record<Format, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pdf: "application/pdf",
  md: "text/markdown",
  html: "text/html",
  eml: "message/rfc822",
};

export const skill = defineSkill({
  name: "document_write",
  title: "Writing",
  effect: "idempotent",
  parameters: z.object({
    title: z.string().trim().min(1).max(200).describe("set above the text; of a mail its subject"),
    markdown: z.string().max(maxCharacters).optional().describe("the whole text; pictures by path"),
    brief: z.string().max(4_000).optional().describe("instead, if nothing of this conversation matters"),
    formats: z.array(z.enum(formats)).min(1).max(5).default(["docx"]),
    to: z
      .array(z.string().regex(/^[^\s,<]+@[^\s,<]+$/))
      .max(20)
      .default([])
      .describe("of a mail"),
    language: z.string().max(20).optional().describe("e.g. de-DE"),
  }),
  output: z.object({
    files: z.array(z.object({ name: z.string(), pages: z.number().optional() })),
    words: z.number(),
    text: z.string().optional().describe("what was written from the brief"),
    notes: z.array(z.string()),
  }),
  async run({ title, markdown, brief, formats: wanted, to, language }, context) {
    const text = markdown ?? (await written(title, brief, language, context));
    const job = {
      title,
      markdown: text,
      formats: [...new Set(wanted)],
      to,
      author: context.user.name || "Knack",
      language: knownLanguage(language),
      now: context.now(),
    };
    const made = await context.step("make files", async () => {
      const notes: string[] = [];
      const found = await makeFiles(job, {
        signal: context.signal,
        timeoutMs,
        pictures: (paths) => picturesAt(paths, notes, context),
        making: (format) => context.progress(`Making the ${format} file`),
      });
      return await posted(found, notes, title, context);
    });
    return { ...made, text: markdown === undefined ? text.slice(0, 8_000) : undefined };
  },
});

/** Posts the files. */
async function posted(
  found: MadeFiles | undefined,
  notes: readonly string[],
  title: string,
  context: ToolContext,
) {
  if (found === undefined)
    throw new SkillFailure(
      "not_made",
      "No file was made: the text is too long or too deeply nested.",
      "Make it shorter or simpler, or make several files.",
    );
  if (found.files.length === 0)
    throw new SkillFailure("no_text", "There is nothing to write.", "Give the text as markdown.");
  const base = slugOf(title).slice(0, 60) || "document";
  const files = await Array.fromAsync(found.files, async ({ format, data, pages }) => {
    const name = await context.file({ name: `${base}.${format}`, media_type: types[format], data });
    return pages === undefined ? { name } : { name, pages };
  });
  return { files, words: found.words, notes: [...found.notes, ...notes] };
}

/** A text that the model writes from a brief. */
async function written(
  title: string,
  brief: string | undefined,
  language: string | undefined,
  context: ToolContext,
): Promise<string> {
  if (brief === undefined)
    throw new SkillFailure("no_text", "Neither a text nor a brief was given.", "Give the text as markdown.");
  requireModel(context, "Texts are written by", "Give the whole text as markdown.");
  context.progress("Writing the text");
  const instructions = `Write the text that the brief asks for, as Markdown: clear, concrete, no longer than it needs; headings where it is long, tables for figures. Make up no facts, names or numbers: where one is needed, put [in brackets] what has to be filled in.${language === undefined ? "" : ` Language: ${language}.`}`;
  return await context.step("write", () =>
    context.write({ instructions, input: `Title: ${title}\n\nBrief: ${brief}` }),
  );
}

/** The canonical language tag; undefined for an invalid one. */
function knownLanguage(language: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}

async function picturesAt(
  paths: readonly string[],
  notes: string[],
  { threadFiles }: ToolContext,
): Promise<ToThread> {
  const found = new Map<string, Uint8Array>();
  for (const path of paths.slice(0, maxPictures)) {
    try {
      found.set(path, (await threadFiles.bytes(path)).data);
    } catch (error) {
      if (!(error instanceof SkillFailure)) throw error;
      notes.push(`A picture was left out: ${error.message}`);
    }
  }
  if (paths.length > maxPictures) notes.push(`Pictures after the first ${maxPictures} were left out.`);
  return found;
}
