import { z } from "zod";
import { messageCallId } from "../message-budget.ts";
import { outputText } from "../tool-output.ts";
import type { TurnScope } from "../turn-scope.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

/** Characters in one answer. */
const pageLength = 8_000;

/** Reads on in an output, in the person's message, or in a file of it, that was too long to show whole. */
export const createReadToolOutput = () =>
  defineMetaTool({
    name: "read_tool_output",
    title: "Reading on",
    description:
      "Reads on in a long tool output (by its call_id), or in the person's message (call_id: message).",
    parameters: z.object({
      call_id: z.string().min(1),
      offset: z.number().int().min(0).default(0).describe("characters"),
    }),
    effect: "read_only",
    offered: () => true,
    run: async ({ call_id, offset }, _context, scope) => {
      const finished = scope.state.calls.get(call_id)?.finished;
      const whole =
        call_id === messageCallId
          ? scope.turn.text
          : finished === undefined
            ? await fileText(scope, call_id)
            : outputText(finished.output);
      if (whole === undefined)
        return failure("unknown_call", `There is no output of a call ${call_id} in this turn.`);
      const text = whole.slice(offset, offset + pageLength);
      const rest = whole.length - offset - text.length;
      return ok({
        text,
        next_offset: rest > 0 ? offset + text.length : null,
        remaining_characters: Math.max(0, rest),
      });
    },
  });

/** A file that came with the message and was too long to show whole: `file:NAME`. */
async function fileText(scope: TurnScope, callId: string): Promise<string | undefined> {
  // Where it was named, an ampersand was written as markup.
  const name = keptFiles(scope).find((kept) => callId.replaceAll("&amp;", "&") === `file:${kept}`);
  const found = name === undefined ? undefined : await scope.ports.files.get(scope.turn.turn_id, name);
  return found === undefined ? undefined : new TextDecoder().decode(found.data);
}

function keptFiles({ turn }: TurnScope): string[] {
  return turn.context?.files.flatMap(({ whole }) => whole ?? []) ?? [];
}
