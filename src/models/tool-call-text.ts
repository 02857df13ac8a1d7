import { randomUUID } from "node:crypto";
import { escapeRawControls } from "../base/raw-controls.ts";
import { isRecord } from "../base/record.ts";
import { type Json, parseJson } from "../core/values/json.ts";
import type { Message, ToolCall } from "../core/values/message.ts";

/**
 * The arguments of a past call as an object that every server accepts. What the model wrote may not be an object, or not JSON;
 * it is then kept under `invalid_arguments`, so that the model sees what it wrote.
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

/** The arguments of a past call as JSON text of an object: as the model wrote them where they are one. */
export function argumentsText(text: string): string {
  const value = argumentsObject(text);
  return "invalid_arguments" in value || text.trim() === "" ? JSON.stringify(value) : escapeRawControls(text);
}

/** A tool name that every server accepts; models invent names such as `functions.search`. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}

/** A call id that every server accepts (OpenAI's chat: 40 characters), the same for a call and its result. */
export function safeCallId(id: string, longest = 40): string {
  return id.length <= longest && /^[\w-]+$/.test(id) ? id : id.replaceAll(/[^\w-]/g, "_").slice(-longest);
}

/** The calls with ids that are unique in the conversation: some servers leave them out or repeat them. Nameless calls are dropped. */
export function withUniqueIds<Call extends ToolCall>(
  calls: readonly Call[],
  conversation: readonly Message[],
): Call[] {
  if (calls.length === 0) return [];
  const taken = new Set(
    conversation.flatMap((message) =>
      message.role === "assistant" ? message.tool_calls.map((call) => call.id) : [],
    ),
  );
  return calls
    .filter((call) => call.name !== "")
    .map((call) => {
      const id = call.id === "" || taken.has(call.id) ? `call_${randomUUID().replaceAll("-", "")}` : call.id;
      taken.add(id);
      return { ...call, id, arguments: call.arguments === "" ? "{}" : call.arguments };
    });
}
