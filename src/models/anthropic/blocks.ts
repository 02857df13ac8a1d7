import { isDeepStrictEqual } from "node:util";
import type { Anthropic } from "@anthropic-ai/sdk";
import type { Json } from "../../core/values/json.ts";
import type {
  AssistantMessage,
  Message,
  MessageImage,
  ProviderBlocks,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../../core/values/message.ts";
import { asNote, withoutNoteTags } from "../system-note.ts";
import { argumentsObject, safeCallId, safeToolName } from "../tool-call-text.ts";
import type { WireForm } from "./models.ts";

/** A content block of a request. */
export type WireBlock = Anthropic.Beta.BetaContentBlockParam;

/** The blocks of a message; always the same for the same message and form. */
export function blocksOf(
  message: Exclude<Message, SystemMessage>,
  form: WireForm,
  own: ProviderBlocks | undefined,
): WireBlock[] {
  switch (message.role) {
    case "user":
      return userBlocks(message, form);
    case "tool":
      return toolBlocks(message, form);
    case "assistant":
      return own === undefined ? neutralBlocks(message) : (own.blocks as unknown as WireBlock[]);
  }
}

/** A change as a note in a user message. */
export function noteBlock({ text }: SystemMessage): WireBlock {
  return { type: "text", text: asNote(text) };
}

/**
 * The blocks to keep with an answer: all of them, in order, if its text and calls alone cannot reproduce them (signed thinking,
 * several texts, blocks with further fields).
 */
export function blocksToKeep(
  message: AssistantMessage,
  blocks: readonly WireBlock[],
  origin: Omit<ProviderBlocks, "blocks">,
): Pick<AssistantMessage, "provider_blocks"> {
  if (isDeepStrictEqual(blocks.map(withoutNulls), neutralBlocks(message))) return {};
  return { provider_blocks: { ...origin, blocks: blocks as unknown as Json } };
}

/** Whether a block is reasoning, which is only valid after the exact blocks that preceded it. */
export function isThinking({ type }: WireBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Whether the API accepts a text: it refuses empty and blank texts. */
export function isText(text: string): boolean {
  return text.trim() !== "";
}

function userBlocks({ text, images = [] }: UserMessage, form: WireForm): WireBlock[] {
  const pictures = images.map(picture);
  if (isText(text)) return [...pictures, { type: "text", text: said(text, form) }];
  return pictures.length > 0 ? pictures : [{ type: "text", text: "(empty message)" }];
}

/** The API refuses pictures in the result of an error, so they follow it; grouping puts results first. */
function toolBlocks({ call_id, text, is_error, images = [] }: ToolMessage, form: WireForm): WireBlock[] {
  const pictures = images.map(picture);
  const inside = is_error ? [] : pictures;
  const words = isText(text) ? said(text, form) : undefined;
  const result: Anthropic.ToolResultBlockParam = {
    type: "tool_result",
    tool_use_id: safeCallId(call_id),
    ...(is_error ? { is_error: true } : {}),
  };
  if (inside.length > 0) {
    result.content = [...(words === undefined ? [] : [{ type: "text" as const, text: words }]), ...inside];
  } else if (words !== undefined) result.content = words;
  return is_error ? [result, ...pictures] : [result];
}

/** A picture, which precedes its text: https://docs.anthropic.com/en/docs/build-with-claude/vision */
function picture({ media_type, base64 }: MessageImage): Anthropic.ImageBlockParam {
  return { type: "image", source: { type: "base64", media_type, data: base64 } };
}

function neutralBlocks(message: AssistantMessage): WireBlock[] {
  const calls = message.tool_calls.map((call) => ({
    type: "tool_use" as const,
    id: safeCallId(call.id),
    name: safeToolName(call.name),
    input: argumentsObject(call.arguments),
  }));
  // The API refuses a last message that ends with white space.
  const text = message.text.trimEnd();
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}

function said(text: string, form: WireForm): string {
  return form === "noted" ? withoutNoteTags(text) : text;
}

function withoutNulls(block: WireBlock): object {
  return Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
}
