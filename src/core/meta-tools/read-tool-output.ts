import { z } from "zod";
import { messageCallId } from "../message-budget.ts";
import { outputText } from "../tool-output.ts";
import type { TurnScope } from "../turn-scope.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

/** Characters in one answer. */
const pageLength = 8_000;

/** Reads on in an output, or in the person's message, that was too long to show whole. */
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
    offered: (scope) =>
      scope.turn.text.length > scope.turn.limits.message_tokens ||
      (scope.state.toolCalls > 0 && hasLongOutput(scope)),
    run: async ({ call_id, offset }, _context, scope) => {
      const finished = scope.state.calls.get(call_id)?.finished;
      const whole = call_id === messageCallId ? scope.turn.text : finished && outputText(finished.output);
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

function hasLongOutput({ state, turn }: TurnScope): boolean {
  const longest = turn.limits.tool_output_tokens;
  return [...state.calls.values()].some(
    (call) => call.finished !== undefined && outputText(call.finished.output).length > longest,
  );
}
