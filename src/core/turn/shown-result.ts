import { parsedJson } from "../../base/json-reader.ts";
import { innerCallId } from "../log/call-id.ts";
import { outputFolder } from "../ports/working-folder.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { outputOf, type Tool, type ToolResult } from "../skill/tool.ts";
import { cutForModel } from "../values/cut.ts";
import { ExpectedFailure } from "../values/failure.ts";
import { outputText } from "../values/json.ts";
import type { ToolCall } from "../values/message.ts";
import { fingerprint } from "../values/told.ts";

/** The text that the model gets, where it differs from the output: in words, or cut to the limit. */
export async function shownOf(
  scope: TurnScope,
  call: ToolCall,
  { shown: how }: Pick<Tool, "shown">,
  result: ToolResult,
): Promise<{ shown?: string }> {
  const { turn, ports } = scope;
  const whole = outputText(outputOf(result));
  const tokens = how !== undefined ? Number.POSITIVE_INFINITY : turn.limits.tool_output_tokens;
  const cutTo = (text: string, path = call.id) => cutForModel(text, tokens, path, ports.countTokens);
  const readable = result.status === "ok" ? result.readable : undefined;
  // `read_file` pages the output, so the readable form is shown only if it fits as a whole.
  const fits = [readable, whole].find((text) => text !== undefined && cutTo(text) === text);
  const shown = fits ?? cutTo(whole, await keptAsFile(scope, call, whole));
  return shown === whole ? {} : { shown };
}

/**
 * Stores a result that is too long to be shown as a file of the thread, so that code can work on it. Returns its path; undefined if it is
 * private, because everybody in the thread can read the files, and if it cannot be stored.
 */
async function keptAsFile(
  { turn, ports, state }: TurnScope,
  { name, id }: ToolCall,
  text: string,
): Promise<string | undefined> {
  if (state.private) return undefined;
  const ending = parsedJson(text) === undefined ? "txt" : "json";
  const file = { name: `${name}-result-${fingerprint(id)}.${ending}`, data: new TextEncoder().encode(text) };
  // Not part of the call's own run, whose changes are told separately.
  const how = {
    writer: { kind: "agent" },
    turn_id: turn.turn_id,
    call_id: innerCallId(id, "result"),
    text: "",
  } as const;
  try {
    const folder = ports.folders.of(turn.place);
    const path = `${outputFolder}/${file.name}`;
    await folder.write(file, how, turn.signal);
    // What was handed over is deleted with its turn.
    await folder.handOver([path]);
    return path;
  } catch (error) {
    if (!turn.signal.aborted && !(error instanceof ExpectedFailure))
      ports.report(error, "keeping a long result");
    return undefined;
  }
}
