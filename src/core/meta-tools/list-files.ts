import { z } from "zod";
import { formatBytes } from "../../base/amounts.ts";
import { fileNameOf } from "../../base/file-kind.ts";
import { readable, tellOfChanges } from "../effects/folder-run.ts";
import { readFileContent } from "../ports/documents.ts";
import {
  type FolderListing,
  inputFolder,
  type OpenedFile,
  outputFolder,
  type WorkingFile,
  type WorkingFolder,
} from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { failure, type ToolResult } from "../skill/tool.ts";
import { clockIn } from "../values/inbound.ts";
import { named } from "../values/label.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

/** Maximum files in one result. */
const pageSize = 200;

/** Lists the working folder of the thread. */
export const createListFiles = () =>
  defineMetaTool({
    name: "list_files",
    shown: "whole",
    title: "Looking through the files",
    description:
      "Lists the files of this thread: what people attached (also in earlier messages) and what code and skills left.",
    parameters: z.object({
      pattern: z.string().max(300).optional().describe("part of a path, or one with * and **"),
      offset: z.number().int().min(0).optional().describe("leave out so many"),
    }),
    effect: "read_only",
    offered: () => true,
    run: async ({ pattern, offset = 0 }, { time_zone }, { turn, ports }) => {
      const listing = await ports.folders.of(turn.place).list();
      const fits = matcher(pattern);
      const files = listing.files.filter(({ path }) => fits(path));
      return ok(listed(files, offset, listing, pattern, time_zone));
    },
  });

function listed(
  files: readonly WorkingFile[],
  offset: number,
  { files: all, bytes, most_bytes }: FolderListing,
  pattern: string | undefined,
  zone: string,
): string {
  const page = files.slice(offset, offset + pageSize);
  const rest = files.length - offset - page.length;
  const which = pattern === undefined ? "" : ` that fit, of ${all.length.toLocaleString("en")}`;
  const room = `${formatBytes(bytes)} of ${formatBytes(most_bytes)} used`;
  const more = rest > 0 ? `; ${rest.toLocaleString("en")} more from offset ${offset + page.length} on` : "";
  const head = `[${files.length.toLocaleString("en")} files${which}, ${room}${more}]`;
  return [head, ...page.map((file) => lineOf(file, zone))].join("\n");
}

function lineOf({ path, bytes, changed_at, by }: WorkingFile, zone: string): string {
  const when = `${clockIn(zone, changed_at)} ${zone}`;
  const who = by === undefined ? "" : `, from ${named(by, "")}`;
  return `${readable(path)} (${formatBytes(bytes)}, ${when}${who})`;
}

/** Maximum wildcards in a pattern, because more would be slow to match. */
const maxWildcards = 6;

/** `**` matches anything, `*` anything except a slash. A pattern without them matches any part of the path, case-insensitive. */
function matcher(pattern: string | undefined): (path: string) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern
    .toLowerCase()
    .replace(/^\//, "")
    .split(/(\*\*\/?|\*)/);
  const plain = pattern.replaceAll("*", "").toLowerCase();
  if (parts.length === 1 || parts.length > maxWildcards * 2 + 1)
    return (path) => path.toLowerCase().includes(plain);
  return (path) => matchesFrom(path.toLowerCase(), parts);
}

/**
 * Whether the parts match from the beginning of a name in the path to the end of the path. Takes time linear in the length of the path,
 * whatever the parts.
 */
function matchesFrom(path: string, parts: readonly string[]): boolean {
  let reached = new Set([0, ...[...path.matchAll(/\//g)].map(({ index }) => index + 1)]);
  for (const part of parts.filter((each) => each !== "")) reached = reachedBy(path, part, reached);
  return reached.has(path.length);
}

function reachedBy(path: string, part: string, from: ReadonlySet<number>): Set<number> {
  if (!part.startsWith("*"))
    return new Set([...from].filter((at) => path.startsWith(part, at)).map((at) => at + part.length));
  const reached = new Set<number>();
  let isOpen = false;
  for (let at = 0; at <= path.length; at += 1) {
    if (part === "*" && path[at - 1] === "/") isOpen = false;
    if (from.has(at)) isOpen = true;
    if (isOpen) reached.add(at);
  }
  return reached;
}

/** Maximum characters of one file. */
const maxContent = 400_000;

/** Writes a text file for the person, or changes a part of one. */
export const createWriteFile = () =>
  defineMetaTool({
    name: "write_file",
    title: ({ name }) => `Writing ${name.slice(0, 100)}`,
    description:
      "Writes a text file, or changes a part of one; the person gets it with your answer. The same name replaces it.",
    parameters: z.object({
      name: z.string().trim().min(1).max(200).describe("with its ending, e.g. notes.md"),
      content: z.string().max(maxContent).optional(),
      replace: z.string().min(1).max(maxContent).optional().describe("or a text that occurs once in it"),
      with: z.string().max(maxContent).optional(),
    }),
    effect: "idempotent",
    shares: true,
    offered: () => true,
    run: async ({ name, content, replace, with: replacement = "" }, context, scope) => {
      const { turn, ports } = scope;
      const folder = ports.folders.of(turn.place);
      const wanted =
        replace === undefined ? written(content) : await edited(scope, name, replace, replacement);
      if (typeof wanted !== "string") return wanted;
      const how = {
        writer: { kind: "agent" },
        turn_id: turn.turn_id,
        call_id: context.call_id,
        text: name,
      } as const;
      const file = {
        name: replace === undefined ? withoutFolder(name) : fileNameOf(name),
        data: encoded(wanted),
      };
      const changed = await folder.write(file, how, context.signal);
      const notes = await tellOfChanges(folder, outputFolder, changed, context.file);
      return ok(notes.length === 0 ? "It is there already, as the person has it." : notes.join("\n"));
    },
  });

const encoded = (text: string) => new TextEncoder().encode(text);

function written(content: string | undefined): string | ToolResult {
  return content ?? failure("no_content", "There is nothing to write.", "Give content, or replace and with.");
}

/** The text of a file of the thread in which a text that occurs once is replaced. */
async function edited(
  { turn, ports }: TurnScope,
  name: string,
  replace: string,
  replacement: string,
): Promise<string | ToolResult> {
  const folder = ports.folders.of(turn.place);
  const file =
    (await folder.open(`${outputFolder}/${withoutFolder(name)}`)) ?? (await openAnywhere(folder, name));
  if (file === undefined)
    return failure("unknown_file", `There is no file ${name}.`, "list_files shows what there is.");
  const content = await readFileContent(file, ports.documents, turn.signal).finally(() => file.close());
  const text = content.kind === "text" || content.kind === "table" ? content.text : undefined;
  if (text === undefined || text.length > maxContent)
    return failure(
      "not_editable",
      `${name} is no text, or too long to change a part of it.`,
      "Use code for it.",
    );
  const parts = text.split(replace);
  if (parts.length === 2) return parts.join(replacement);
  const [problem, hint] =
    parts.length === 1
      ? ["does not occur in", "Read the place again: it may have changed already, or differ."]
      : [`occurs ${parts.length - 1} times in`, "Give more of the text around it."];
  return failure("not_once", `The text to replace ${problem} ${name}.`, hint);
}

async function openAnywhere(folder: WorkingFolder, name: string): Promise<OpenedFile | undefined> {
  return (await folder.open(name)) ?? (await folder.open(`${inputFolder}/${name}`));
}

/** Accepts a path from results and listings in place of a name; it denotes the same file. */
function withoutFolder(name: string): string {
  return [`${outputFolder}/`, "output/"].reduce(
    (left, folder) => (left.startsWith(folder) ? left.slice(folder.length) : left),
    name,
  );
}
