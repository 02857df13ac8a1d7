import { z } from "zod";
import { defineSkill, SkillFailure } from "../../src/core/define-skill.ts";
import type { ToolContext } from "../../src/core/tool.ts";
import { type Block, blocksOf, wordsIn } from "./blocks.ts";
import { type Picture, readPicture, type Writing } from "./document.ts";

/** Characters of a text, and pictures in it. */
const longest = 400_000;
const mostPictures = 40;

const formats = ["docx", "pdf", "md", "html", "eml"] as const;
type Format = (typeof formats)[number];

const types: Record<Format, string> = {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pdf: "application/pdf",
  md: "text/markdown",
  html: "text/html",
  eml: "message/rfc822",
};

export const skill = defineSkill({
  title: "Writing",
  effect: "idempotent",
  parameters: z.object({
    title: z.string().trim().min(1).max(200).describe("of a mail its subject"),
    markdown: z.string().max(longest).optional().describe("the whole text"),
    brief: z.string().max(4_000).optional().describe("or what it is to say"),
    formats: z.array(z.enum(formats)).min(1).max(5).default(["docx"]),
    to: z
      .array(z.string().regex(/^\S+@\S+$/))
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
    const blocks = await blocksOf(withTitle(text, title, wanted));
    if (wordsIn(blocks) === 0)
      throw new SkillFailure("no_text", "There is nothing to write.", "Give the text as markdown.");
    const { pictures, notes } = await picturesIn(blocks, context);
    const writing: Writing = { title, author: context.user.name || "Knack", language, blocks, pictures };
    const files: { name: string; pages?: number }[] = [];
    for (const format of new Set(wanted)) {
      context.progress(`Making the ${format} file`);
      const made = await make(format, writing, { text, to });
      const name = `${slug(title)}.${format}`;
      await context.file({ name, media_type: types[format], data: made.data });
      files.push({ name, ...(made.pages === undefined ? {} : { pages: made.pages }) });
      notes.push(...made.notes);
    }
    const own = markdown === undefined ? { text: text.slice(0, 8_000) } : {};
    return { files, words: wordsIn(blocks), notes, ...own };
  },
});

/** A text of the model, from a brief. */
async function written(
  title: string,
  brief: string | undefined,
  language: string | undefined,
  context: ToolContext,
): Promise<string> {
  if (brief === undefined)
    throw new SkillFailure("no_text", "Neither a text nor a brief was given.", "Give the text as markdown.");
  if (!context.generative)
    throw new SkillFailure(
      "no_model",
      "Texts are written by a language model, and none is set up.",
      "Give the whole text as markdown.",
    );
  context.progress("Writing the text");
  const instructions = `Write the text that the brief asks for, as Markdown: clear, concrete, no longer than it needs; headings where it is long, tables for figures. Make up no facts, names or numbers: where one is needed, put [in brackets] what has to be filled in.${language === undefined ? "" : ` Language: ${language}.`}`;
  return await context.step("write", () =>
    context.write({ instructions, input: `Title: ${title}\n\nBrief: ${brief}` }),
  );
}

/** A document says its title; a mail has it as its subject. */
function withTitle(text: string, title: string, wanted: readonly Format[]): string {
  const isMail = wanted.every((format) => format === "eml");
  return isMail || /^\s*# /.test(text) ? text : `# ${title}\n\n${text}`;
}

async function picturesIn(blocks: readonly Block[], { threadFiles }: ToolContext) {
  const pictures = new Map<string, Picture>();
  const notes: string[] = [];
  const paths = blocks.flatMap((block) => (block.kind === "image" ? block.path : []));
  for (const path of [...new Set(paths)].slice(0, mostPictures)) {
    try {
      if (/^[a-z]+:/i.test(path)) throw new SkillFailure("elsewhere", `${path} is not of this thread.`);
      const picture = readPicture((await threadFiles.bytes(decodeURI(path))).data);
      if (picture === undefined) notes.push(`${path} is no PNG or JPEG and was left out.`);
      else pictures.set(path, picture);
    } catch (error) {
      if (!(error instanceof SkillFailure || error instanceof URIError)) throw error;
      notes.push(`A picture was left out: ${error.message}`);
    }
  }
  return { pictures, notes };
}

async function make(format: Format, writing: Writing, { text, to }: { text: string; to: readonly string[] }) {
  const encoded = (content: string) => ({
    data: new TextEncoder().encode(content),
    pages: undefined,
    notes: [] as string[],
  });
  switch (format) {
    case "docx": {
      const { makeDocx } = await import("./make-docx.ts");
      return { data: await makeDocx(writing), pages: undefined, notes: [] };
    }
    case "pdf": {
      const { makePdf } = await import("./make-pdf.ts");
      const { data, pages, missing } = await makePdf(writing);
      const notes =
        missing.length === 0
          ? []
          : [`The PDF's font has no ${missing.join(" ")}; they stand there as boxes. A docx has them.`];
      return { data, pages, notes };
    }
    case "md":
      return encoded(withTitle(text, writing.title, ["md"]));
    case "html":
      return encoded(await htmlOf(withTitle(text, writing.title, ["html"]), writing));
    default:
      return encoded(await mailOf(text, writing, to));
  }
}

/** A page that stands alone. HTML in the text is shown, never run. */
async function htmlOf(
  text: string,
  { title, language = "en" }: Pick<Writing, "title" | "language">,
): Promise<string> {
  const { Marked } = await import("marked");
  const escaped = (part: string) =>
    part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const marked = new Marked({
    renderer: {
      html: ({ text: html }) => escaped(html),
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        return /^(https?:|mailto:|#)/i.test(href) ? `<a href="${escaped(href)}">${words}</a>` : words;
      },
      image: ({ text: alt }) => `<em>[${escaped(alt)}]</em>`,
    },
  });
  const style =
    "body{font:16px/1.55 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}pre{background:#f3f3f0;padding:.8rem;overflow:auto}blockquote{border-left:3px solid #bbb;margin-left:0;padding-left:1rem;color:#444}";
  return `<!doctype html>\n<html lang="${escaped(language)}">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${escaped(title)}</title>\n<style>${style}</style>\n${await marked.parse(text)}</html>\n`;
}

/** A draft that mail programs open to be sent by a person. `X-Unsent` is Outlook's and Thunderbird's word for it. */
async function mailOf(text: string, writing: Writing, to: readonly string[]): Promise<string> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer/index.js");
  const composer = new MailComposer({
    to: [...to],
    subject: writing.title,
    text,
    html: await htmlOf(text, writing),
    headers: { "X-Unsent": "1" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const message = await new Promise<Buffer>((resolve, reject) =>
    composer.compile().build((error, built) => (error === null ? resolve(built) : reject(error))),
  );
  return message.toString("utf8");
}

function slug(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "document";
}
