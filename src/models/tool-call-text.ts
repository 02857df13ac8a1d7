import { randomUUID } from "node:crypto";
import { isRecord } from "../base/record.ts";
import { escapeRawControls } from "../base/text/raw-controls.ts";
import { type Json, parseJson } from "../core/values/json.ts";
import type { Message, ToolCall } from "../core/values/message.ts";

/**
 * The arguments of a past call as an object that every server accepts. If the model did not write a JSON object, its text is kept under
 * `invalid_arguments`, so that the model can see it.
 */
export function argumentsObject(text: string): { [key: string]: Json } {
  if (text.trim() === "") return {};
  try {
    const value = parseJson(escapeRawControls(text));
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { invalid_arguments: text };
}

/** The arguments of a past call as JSON text of an object: the model's own text if it is valid. */
export function argumentsText(text: string): string {
  const value = argumentsObject(text);
  return "invalid_arguments" in value || text.trim() === "" ? JSON.stringify(value) : escapeRawControls(text);
}

/** A tool name that every server accepts. Models invent names such as `functions.search`. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/** A call id that every server accepts (OpenAI's chat: 40 characters), the same for a call and its result. */
export function safeCallId(id: string, maxLength = 40): string {
  const isSafe = id.length <= maxLength && /^[\w-]+$/.test(id);
  return isSafe ? id : id.replaceAll(/[^\w-]/g, "_").slice(-maxLength);
}

/** The calls with unique ids: some servers leave ids out or repeat them. Calls without a name are dropped. */
export function withUniqueIds<Call extends ToolCall>(
  calls: readonly Call[],
  conversation: readonly Message[],
): Call[] {
  if (calls.length === 0) return [];
  const ids = new Set(calls.map(({ id }) => id));
  const taken = new Set<string>();
  for (const message of conversation) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.tool_calls) if (ids.has(id)) taken.add(id);
  }
  return calls
    .filter((call) => call.name !== "")
    .map((call) => {
      const id = call.id === "" || taken.has(call.id) ? `call_${randomUUID().replaceAll("-", "")}` : call.id;
      taken.add(id);
      return { ...call, id, arguments: call.arguments === "" ? "{}" : call.arguments };
    });
}
