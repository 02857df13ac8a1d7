import type { Json, JsonSchema } from "../../../src/core/values/json.ts";

/** The protocols the stand-in speaks. */
export type Vendor = "anthropic" | "responses" | "completions";

export interface ViewedCall {
  id: string;
  name: string;
  input: Json;
}

interface ViewedResult {
  call_id: string;
  text: string;
  is_error: boolean;
}

/** A message of any protocol. Results of one round are one `tool` message; instructions said in place are `system`. */
export interface ViewedMessage {
  role: "user" | "assistant" | "tool" | "system";
  text: string;
  calls: ViewedCall[];
  results: ViewedResult[];
  /** The request carries the reasoning behind this answer. */
  reasoned: boolean;
}

interface ViewedTool {
  name: string;
  description: string;
  schema: JsonSchema;
}

/** A request as a script reads it, whatever its protocol. */
export interface ViewedRequest {
  vendor: Vendor;
  model: string;
  /** The API key it came with. */
  key: string;
  /** All instructions in their order, those said in place included. */
  instructions: string;
  /** The tools that can be called at the end of the conversation. */
  tools: ViewedTool[];
  messages: ViewedMessage[];
  /** The text of the last message of a person. */
  said: string;
  /** The results since then. */
  results: ViewedResult[];
  /** The schema the answer must have. */
  schema?: JsonSchema | undefined;
  /** False when the request forbids calls. */
  may_call: boolean;
}

export interface ScriptedCall {
  name: string;
  input: Json;
  /** Makes the call although the tool is not available, as real models do now and then. */
  invented?: true;
}

/** What the model says. Text next to calls is a progress note; the vendors differ in where they put it. */
export interface ScriptedReply {
  text?: string;
  calls?: ScriptedCall[];
  /** Shown as the summary of the reasoning, where the request asks for one. */
  thought?: string;
  /** The model, or the filter of its vendor, does not answer. */
  declined?: true;
  /** Tokens of reasoning; the server's default unless given. */
  reasoning_tokens?: number;
}

export type Script = (request: ViewedRequest) => ScriptedReply;

/** A view from its messages: adds what was said last and what came back since. */
export function viewed(parts: Omit<ViewedRequest, "said" | "results">): ViewedRequest {
  const last = parts.messages.findLastIndex((message) => message.role === "user");
  const results = parts.messages.slice(last + 1).flatMap((message) => message.results);
  return { ...parts, said: parts.messages[last]?.text ?? "", results };
}

export function message(
  role: ViewedMessage["role"],
  text: string,
  more: Partial<ViewedMessage> = {},
): ViewedMessage {
  return { role, text, calls: [], results: [], reasoned: false, ...more };
}
