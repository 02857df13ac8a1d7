/** The thread that makes the files: it asks for the pictures of the text, and posts what it made. */
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { type Picture, readPicture, type Writing } from "./document.ts";
import type { Format, FromThread, Job, MadeFiles, ToThread } from "./make-files.ts";
import { type Block, printable, readMarkdown, type Text, wordsOf } from "./markdown-blocks.ts";

/** Words and headings from which a text has a table of contents. */
const long = { words: 1_200, headings: 6, most: 300 };

if (parentPort !== null) {
  const port = parentPort;
  const post = (message: FromThread) => port.postMessage(message);
  const job = workerData as Job;
  const text = readMarkdown(job.markdown);
  post({ kind: "pictures", paths: text.pictures });
  const [found] = (await once(port, "message")) as [ToThread];
  const writing = writingOf(job, text, found);
  const made: MadeFiles = { files: [], words: text.words, notes: text.notes };
  const isEmpty = text.words === 0 && text.pictures.length === 0;
  for (const format of isEmpty ? [] : job.formats) {
    post({ kind: "making", format });
    const { notes = [], ...file } = await make(format, writing, job);
    made.files.push({ format, ...file });
    made.notes.push(...notes);
  }
  post({ kind: "made", made });
  port.close();
}

function writingOf(job: Job, text: Text, found: ToThread): Writing {
  const pictures = new Map<string, Picture>();
  for (const [path, data] of found) {
    const picture = readPicture(data);
    if (picture === undefined)
      text.notes.push(`${path} is no PNG or JPEG that can be shown and was left out.`);
    else pictures.set(path, picture);
  }
  const { title, blocks } = titleOf(job, text.blocks);
  const headings = blocks.filter((block) => block.kind === "heading" && block.level <= 3).length;
  return {
    title,
    author: printable(job.author),
    language: job.language,
    now: job.now,
    text: { ...text, blocks },
    pictures,
    hasContents: text.words > long.words && headings >= long.headings && headings <= long.most,
    isLetter: /-(US|CA|MX)\b/.test(job.language ?? ""),
  };
}

/** A text that begins with a heading of the first level, and has no other one, has its title there. */
function titleOf(job: Job, blocks: Block[]): { title: string; blocks: Block[] } {
  const [first, ...rest] = blocks;
  const isTitle = (block: Block) => block.kind === "heading" && block.level === 1;
  const own = first?.kind === "heading" && isTitle(first) ? wordsOf(first.inlines).trim() : "";
  const isSame = own.toLowerCase() === job.title.toLowerCase();
  const isOnly = own !== "" && !rest.some(isTitle);
  if (!isSame && !isOnly) return { title: printable(job.title), blocks };
  const isMail = job.formats.every((format) => format === "eml");
  return { title: isMail ? printable(job.title) : own, blocks: rest };
}

async function make(
  format: Format,
  writing: Writing,
  { markdown, to }: Job,
): Promise<{ data: Uint8Array; pages?: number; notes?: string[] }> {
  switch (format) {
    case "docx": {
      const { makeDocx } = await import("./make-docx.ts");
      return { data: await makeDocx(writing) };
    }
    case "pdf": {
      const { makePdf } = await import("./make-pdf.ts");
      return await makePdf(writing);
    }
    case "html": {
      const { makePage } = await import("./make-page.ts");
      return { data: new TextEncoder().encode(makePage(writing)) };
    }
    case "eml": {
      const { makeMail } = await import("./make-page.ts");
      return { data: await makeMail(writing, to, markdown) };
    }
    case "md": {
      const isTitled = /^\s*# /.test(markdown);
      const text = isTitled ? markdown : `# ${writing.title.replace(/\s+/g, " ")}\n\n${markdown}`;
      return { data: new TextEncoder().encode(text) };
    }
  }
}
