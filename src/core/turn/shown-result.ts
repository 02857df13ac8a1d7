import type { TurnScope } from "../scope/turn-scope.ts";
import type { Tool, ToolResult } from "../skill/tool.ts";
import { cutForModel, outputOf, outputText } from "../skill/tool-output.ts";
import type { ToolCall } from "../values/message.ts";
import { guidesWith } from "./toolset.ts";

/** What the model is told, where that is not the output itself: its beginning and end, and the guides it activated. */
export function shownOf(
  scope: TurnScope,
  { id }: ToolCall,
  { shown: how }: Pick<Tool, "shown">,
  result: ToolResult,
): { shown?: string } {
  const { turn, ports } = scope;
  const whole = outputText(outputOf(result));
  const tokens = how !== undefined ? Number.POSITIVE_INFINITY : turn.limits.tool_output_tokens;
  const cutTo = (text: string) => cutForModel(text, tokens, id, ports.countTokens);
  const readable = result.status === "ok" ? result.readable : undefined;
  // What is paged and searched is the output: its words are shown where they fit whole.
  const cut = readable !== undefined && cutTo(readable) === readable ? readable : cutTo(whole);
  const guides = how === "guide" ? "" : guidesWith(scope, id);
  const shown = guides === "" ? cut : `${cut}\n\n${guides}`;
  return shown === whole ? {} : { shown };
}
