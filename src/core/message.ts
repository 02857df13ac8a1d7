import type { Json } from "./json.ts";

/** A call the model asks for. `arguments` is the JSON text exactly as the model wrote it, valid or not. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** A whole model message in Knack's neutral format. */
export interface AssistantMessage {
  role: "assistant";
  text: string;
  tool_calls: ToolCall[];
  /** Blocks only the provider that wrote them understands (e.g. signed reasoning); dropped on failover. */
  provider_blocks?: { provider: string; blocks: Json } | undefined;
}

/** A picture a model is shown. */
export interface MessageImage {
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  base64: string;
}

export interface UserMessage {
  role: "user";
  text: string;
  /** The person's own words, where `text` has more: what was read with them, and who speaks. */
  said?: string;
  images?: readonly MessageImage[];
}

/** The result of one tool call, as the model reads it. */
export interface ToolMessage {
  role: "tool";
  call_id: string;
  tool: string;
  text: string;
  is_error: boolean;
}

/** A member of a conversation with a model. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
