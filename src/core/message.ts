import { z } from "zod";
import type { Json } from "./json.ts";

/** A call the model asks for. `arguments` is the JSON text exactly as the model wrote it, valid or not. */
export const toolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof toolCallSchema>;

export const assistantMessageSchema = z.object({
  role: z.literal("assistant"),
  text: z.string(),
  tool_calls: z.array(toolCallSchema),
  /** Blocks only the provider that wrote them understands (e.g. signed reasoning); dropped on failover. */
  provider_blocks: z.object({ provider: z.string(), blocks: z.json() }).optional(),
});
/** A whole model message in Knack's neutral format. */
export interface AssistantMessage {
  role: "assistant";
  text: string;
  tool_calls: ToolCall[];
  provider_blocks?: { provider: string; blocks: Json } | undefined;
}

export interface UserMessage {
  role: "user";
  text: string;
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
