import { z } from "zod";
import { searchText } from "../search-text.ts";
import { countLineBreaks, partEnd } from "../text-part.ts";
import type { ToolResult } from "../tool.ts";
import { outputText } from "../tool-output.ts";
import type { TurnScope } from "../turn-scope.ts";
import { messageCallId } from "../user-message.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

/** Characters in one answer. */
const pageLength = 8_000;
/** Lines shown before and after a match. */
const context = 2;

const parameters = z.object({
  call_id: z.string().min(1).describe("as the note at the cut says"),
  offset: z.number().int().min(0).optional().describe("read or search from this character on"),
  line: z.number().int().min(1).optional().describe("or from this line on"),
  lines: z.number().int().min(1).optional().describe("at most so many lines"),
  search: z.string().trim().max(500).optional().describe("words to find; a|b: either; a*b: both in a line"),
});

/** Pages and searches what was too long to show whole: an output, a message or a file, of this turn or an earlier one of the thread. */
export const createReadToolOutput = () =>
  defineMetaTool({
    name: "read_tool_output",
    shown: "whole",
    title: ({ search }) => (search ? "Searching a long text" : "Reading on"),
    description:
      "Reads or searches a long text of this thread that was cut: a tool output, a message, a file. Search rather than read all of it.",
    parameters,
    effect: "read_only",
    offered: () => true,
    run: async ({ call_id, search, ...where }, _context, scope) => {
      const whole = await textOf(scope, call_id);
      if (whole === undefined) {
        return failure(
          "unknown_call",
          `There is no text ${call_id} in this thread.`,
          "Take the call_id from the note at the cut, or call the tool again.",
        );
      }
      const from = where.line === undefined ? (where.offset ?? 0) : startOfLine(whole, where.line);
      if (from > 0 && from >= whole.length) return pastEnd(whole);
      return search ? searched(whole, search, from) : page(whole, from, where.lines);
    },
  });

async function textOf(scope: TurnScope, callId: string): Promise<string | undefined> {
  const { turn, state, ports } = scope;
  if (callId === "message" || callId === messageCallId(turn.turn_id)) return turn.text;
  const finished = state.calls.get(callId)?.finished;
  if (finished !== undefined) return outputText(finished.output);
  // Where it was named, an ampersand was written as markup.
  const named = callId.replaceAll("&amp;", "&");
  const past = (await fileText(scope, named)) ?? (await ports.pastOutput(turn.place, named));
  return past === undefined ? undefined : outputText(past);
}

/** A file that came with the message: `file:NAME`. */
async function fileText({ turn, ports }: TurnScope, callId: string): Promise<string | undefined> {
  for (const { name, whole, text } of turn.context?.files ?? []) {
    if (callId !== `file:${whole ?? name}`) continue;
    const found = whole === undefined ? undefined : await ports.files.get(turn.turn_id, whole);
    return found === undefined ? text : new TextDecoder().decode(found.data);
  }
  return undefined;
}

/** From where to where, and where the next part begins, before the text itself. */
function page(whole: string, from: number, lines: number | undefined): ToolResult {
  const longest = partEnd(whole, from, pageLength);
  const end = lines === undefined ? longest : Math.min(longest, endOfLines(whole, from, lines));
  const first = countLineBreaks(whole, 0, from) + 1;
  const last = first + countLineBreaks(whole, from, end - 1);
  const all = last + countLineBreaks(whole, end - 1);
  const next = end < whole.length ? `; go on with offset: ${end}` : "; this is the end";
  return ok(
    `[lines ${first} to ${last} of ${all}, characters ${from} to ${end} of ${whole.length}${next}]\n${whole.slice(from, end)}`,
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

/** The offset of a line, counted from 1; the end of the text when there is no such line. */
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
