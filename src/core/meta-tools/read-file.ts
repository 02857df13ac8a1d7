import { z } from "zod";
import { formatBytes } from "../../base/amounts.ts";
import { fileNameOf } from "../../base/file-kind.ts";
import { searchText } from "../../base/text/search-text.ts";
import { textIdOf } from "../log/call-id.ts";
import { type ReadContent, type Remarks, readFileContent, remarksOf, shownText } from "../ports/documents.ts";
import type { NewFile } from "../ports/storage.ts";
import type { OpenedFile } from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { failure, type ToolContext, type ToolResult } from "../skill/tool.ts";
import { partEnd } from "../values/cut.ts";
import { countLineBreaks, outputText } from "../values/json.ts";
import { defineMetaTool, ok } from "./meta-tool.ts";

/** Maximum characters in one result. */
const pageLength = 8_000;
/** Lines shown before and after a match. */
const context = 2;

const part = {
  offset: z.number().int().min(0).optional().describe("read or search from this character on"),
  line: z.number().int().min(1).optional().describe("or from this line on"),
  lines: z.number().int().min(1).optional().describe("at most so many lines"),
  search: z.string().trim().max(500).optional().describe("words to find; a|b: either; a*b: both in a line"),
};

interface Part {
  offset?: number | undefined;
  line?: number | undefined;
  lines?: number | undefined;
  search?: string | undefined;
}

/** Reads, pages and searches the files of the thread, and outputs and messages that were too long to show in full. */
export const createReadFile = () =>
  defineMetaTool({
    name: "read_file",
    shown: "whole",
    title: ({ path, search }) => `${search ? "Searching" : "Reading"} ${fileNameOf(path).slice(0, 200)}`,
    description:
      "Reads or searches a file of this thread (text, PDF, Office, e-mail, archive; tables as columns and first rows), looks at a picture again, or reads on in a long text that was cut. Search rather than read all of a long one.",
    parameters: z.object({
      path: z.string().min(1).max(1_000).describe("of a file, or as the note at a cut says"),
      message: z.string().max(200).optional().describe("id of its message, if of another thread"),
      ...part,
    }),
    effect: "read_only",
    offered: () => true,
    run: async ({ path: named, message, ...where }, context, scope) => {
      const path = message === undefined ? named : await context.chat.file(message, named);
      const folder = scope.ports.folders.of(scope.turn.place);
      const file = (await folder.open(path)) ?? (await folder.open(unescaped(path)));
      if (file !== undefined) {
        const head = message === undefined ? "" : `[it is now ${file.path}]\n`;
        return readWorkingFile(scope, context, file, where, head).finally(() => file.close());
      }
      const whole = await textOf(scope, path);
      return whole === undefined ? unknown(path) : partOf(scope, whole, where);
    },
  });

/** Reverses the escaping of ampersands in a path or call id that the model copied from a prompt. */
function unescaped(named: string): string {
  return named.replaceAll("&amp;", "&");
}

function unknown(named: string): ToolResult {
  const hint =
    "list_files shows the files. For a text that was cut, take what the note at the cut says; for a file of another thread give its message, which chat_search finds.";
  return failure("unknown_file", `There is no file or text ${named.slice(0, 300)} in this thread.`, hint);
}

/** Shows the model a picture with the result of a call; people do not see it. It is stored with the turn. */
async function showPicture(
  { turn, ports, emit }: TurnScope,
  call_id: string,
  picture: NewFile,
): Promise<void> {
  const { name, media_type, bytes } = await ports.files.put(turn.turn_id, picture);
  await emit({ type: "picture_shown", call_id, name, media_type, bytes });
}

async function readWorkingFile(
  scope: TurnScope,
  context: ToolContext,
  file: OpenedFile,
  where: Part,
  before: string,
): Promise<ToolResult> {
  const content = await readFileContent(file, scope.ports.documents, context.signal);
  const isWhole = Object.values(where).every((value) => value === undefined || value === "");
  const name = fileNameOf(file.path);
  switch (content.kind) {
    case "unreadable":
      return failure("not_readable", `${name} cannot be read: ${content.problem}.`);
    case "image":
      await showPicture(scope, context.call_id, { name, media_type: content.media_type, data: content.data });
      return ok(
        `${before}[${name}, ${content.media_type}, ${formatBytes(file.bytes)}: the picture is shown with this result]`,
      );
    case "table": {
      if (content.text !== undefined && !isWhole) return partOf(scope, content.text, where, before);
      return ok(`${before}${noted(shownRemarks(content))}${shownText(content).text}`);
    }
    case "document": {
      const { format, text, tables } = content;
      const head = (note: string | undefined) => `${before}[${[format, note].filter(Boolean).join(": ")}]`;
      if (isWhole && tables.length > 0)
        return ok(`${head(shownRemarks(content))}\n\n${shownText(content).text}`);
      return partOf(scope, text, where, `${head(remarksOf(content))}\n`);
    }
    case "text":
      return partOf(scope, content.text, where, `${before}${noted(remarksOf(content))}`);
    default:
      return content satisfies never;
  }
}

function shownRemarks(content: Extract<ReadContent, Remarks>): string | undefined {
  return remarksOf({ ...content, left_out: shownText(content).left_out });
}

function noted(note: string | undefined): string {
  return note === undefined ? "" : `[${note}]\n`;
}

/** Offsets and lines refer to the redacted text: a secret that continues on the next page would not be recognised otherwise. */
export function partOf({ ports }: TurnScope, text: string, where: Part, head = ""): ToolResult {
  const { search, line, lines, offset = 0 } = where;
  const whole = ports.redact(text);
  const from = line === undefined ? offset : startOfLine(whole, line);
  if (from > 0 && from >= whole.length) return pastEnd(whole);
  return search ? searched(whole, search, from) : page(whole, from, lines, head);
}

async function textOf(scope: TurnScope, callId: string): Promise<string | undefined> {
  const { turn, state, ports } = scope;
  if (callId === "message" || callId === textIdOf("message", turn.turn_id)) return turn.text;
  const finished = state.calls.get(callId)?.finished;
  if (finished !== undefined) return outputText(finished.output);
  const named = unescaped(callId);
  // A private output stays out of answers that others see.
  const asker = state.private ? turn.author.id : undefined;
  const past = await ports.pastOutput(turn.place, named, asker);
  return past === undefined ? undefined : outputText(past);
}

/** Part of a text, preceded by its position and the start of the next part. */
function page(whole: string, from: number, lines: number | undefined, head: string): ToolResult {
  const pageEnd = partEnd(whole, from, pageLength);
  const end = lines === undefined ? pageEnd : Math.min(pageEnd, endOfLines(whole, from, lines));
  const first = countLineBreaks(whole, 0, from) + 1;
  const last = first + countLineBreaks(whole, from, end - 1);
  const all = last + countLineBreaks(whole, end - 1);
  const next = end < whole.length ? `; go on with offset: ${end}` : "; this is the end";
  return ok(
    `${head}[lines ${first} to ${last} of ${all}, characters ${from} to ${end} of ${whole.length}${next}]\n${whole.slice(from, end)}`,
  );
}

function searched(whole: string, search: string, from: number): ToolResult {
  const found = searchText(whole, search, { from, characters: pageLength, context });
  if (found.total === 0) {
    const behind = from === 0 ? "" : ` from offset ${from} on`;
    return ok(
      `[“${search}” is not there${behind}: ${found.lines} lines, ${whole.length} characters. Try other words, or a part of one.]`,
    );
  }
  const more = found.next_offset === undefined ? "" : `; go on with offset: ${found.next_offset}`;
  const note = found.note === undefined ? "" : ` ${found.note}`;
  return ok(
    `[${found.shown} of ${found.total} matches in ${found.lines} lines${more}.${note}]\n${found.passages}`,
  );
}

function pastEnd(whole: string): ToolResult {
  const lines = countLineBreaks(whole) + 1;
  return failure(
    "past_the_end",
    `The text ends before: it has ${whole.length} characters in ${lines} lines.`,
  );
}

/** The offset of a line, counted from 1; the end of the text if there is no such line. */
function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const lineBreak = text.indexOf("\n", start);
    if (lineBreak < 0) return text.length;
    start = lineBreak + 1;
  }
  return start;
}

function endOfLines(text: string, from: number, lines: number): number {
  let end = from;
  for (let count = 0; count < lines; count += 1) {
    const lineBreak = text.indexOf("\n", end);
    if (lineBreak < 0) return text.length;
    end = lineBreak + 1;
  }
  return end;
}
