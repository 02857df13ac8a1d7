import { fileNameOf } from "../../src/base/file-kind.ts";
import { remarksOf } from "../../src/core/ports/documents.ts";
import { WebError } from "../../src/core/ports/web.ts";
import { SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import { pageAddress } from "../web-scraping/page-address.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { isWall } from "./wall.ts";

/** A file or page to summarise. */
export interface Source {
  name: string;
  /** The file's path, or the page's address. */
  origin: string;
  format: string;
  sections: Section[];
  /** A sentence about parts that are missing. */
  note?: string | undefined;
}

/** Whether a name is the address of a page. */
export function isAddress(name: string): boolean {
  return /^(https?:\/\/|www\.)/i.test(name.trim());
}

/** All sources to summarise, and problems with those that cannot be read. @throws SkillFailure if none can be read */
export async function readSources(
  what: readonly string[],
  context: ToolContext,
): Promise<{ sources: Source[]; problems: string[] }> {
  const names = what.length > 0 ? what : await latestFiles(context);
  const sources: Source[] = [];
  const problems: string[] = [];
  for (const [at, name] of names.entries()) {
    context.progress(`Reading ${shortName(name)}`, at, names.length);
    try {
      const source = await readSource(name, context);
      if (source.sections.length === 0)
        problems.push(`${shortName(name)} has no text. ${source.note ?? ""}`.trim());
      else sources.push(source);
    } catch (error) {
      if (!(error instanceof SkillFailure || error instanceof WebError)) throw error;
      problems.push(error.message);
    }
  }
  if (sources.length > 0) return { sources, problems };
  const hint = "Tell the person which, and ask for a version with text; of scans, one with text recognition.";
  throw new SkillFailure(
    "nothing_to_summarise",
    problems.join(" ") || "There is nothing to summarise.",
    hint,
  );
}

/** The text of a file in the thread, or of a page; without sections if it has no text. @throws SkillFailure, WebError */
export function readSource(name: string, context: ToolContext): Promise<Source> {
  return isAddress(name) ? readPage(name, context) : readFile(name, context);
}

/** The files of the latest message with files. */
async function latestFiles({ threadFiles }: ToolContext): Promise<string[]> {
  const input = (await threadFiles.list()).filter(({ path }) => path.startsWith("/workspace/input/"));
  const latest = Math.max(...input.map((file) => file.changed_at));
  // Files of one message are stored within a short time.
  const files = input.filter((file) => file.changed_at >= latest - 60_000).map((file) => file.path);
  if (files.length > 0) return files.slice(0, 10);
  throw new SkillFailure(
    "no_files",
    "This thread has no files.",
    "Ask for the file, or for the address of the page.",
  );
}

async function readFile(name: string, { threadFiles }: ToolContext): Promise<Source> {
  const content = await threadFiles.content(name);
  const short = shortName(content.path);
  if (content.kind === "image")
    throw new SkillFailure("a_picture", `${short} is a picture; it has no text that can be read.`);
  const isDocument = content.kind === "document";
  const remarks = isDocument ? remarksOf(content) : undefined;
  return {
    name: short,
    origin: content.path,
    format: isDocument ? content.format : "text",
    sections: sectionsOf(content.text ?? ""),
    note: remarks && `${short}: ${remarks}`,
  };
}

async function readPage(name: string, { web, signal }: ToolContext): Promise<Source> {
  const page = await web.read(pageAddress(name), { signal });
  const { url, title, text, length } = page;
  const source = { name: title === "" ? url : `${title} (${url})`, origin: url, format: "web page" };
  if (isWall(text))
    return { ...source, sections: [], note: `${url} shows a consent or login page instead of its text.` };
  const note = `Only the first ${text.length.toLocaleString("en")} characters of ${url} were read.`;
  return { ...source, sections: sectionsOf(text), note: text.length < length ? note : undefined };
}

function shortName(path: string): string {
  return fileNameOf(path).slice(0, 120) || path.slice(0, 120);
}
