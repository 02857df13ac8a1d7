import type { Json, JsonSchema } from "./json.ts";

/** A tool as a model sees it. `name` matches `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** Reasoning effort of a model. Each provider knows some of these levels; an adapter sends the nearest one. */
export type Effort = (typeof efforts)[number];

/** The effort levels, lowest first. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** A call that the model asks for. `arguments` is the JSON text exactly as the model wrote it, valid or not. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * Parts of a message that only its provider understands: signed thinking, encrypted reasoning, thought signatures. Kept verbatim and sent
 * back to that provider only.
 */
export interface ProviderBlocks {
  provider: string;
  /** The provider's name of the model that wrote them. */
  model: string;
  /**
   * The wire format of the request that they answered, if an adapter has several. Reasoning is bound to the exact request before it, so
   * blocks of another format are not sent.
   */
  form?: string | undefined;
  blocks: Json;
}

/** A message that not everybody in the thread may read. */
interface WithAudience {
  /** Id of the only person who may read it; everybody if absent (`audience.ts`). */
  only_for?: string | undefined;
}

/** Why an answer is incomplete: the limit of output tokens, the end of the context, or the model or a filter that declined to go on. */
export type CutAnswer = "length" | "context" | "declined";

/** A complete model message in Knack's provider-neutral format. */
export interface AssistantMessage extends WithAudience {
  role: "assistant";
  text: string;
  tool_calls: ToolCall[];
  provider_blocks?: ProviderBlocks | undefined;
}

/** A picture as sent to a model. */
export interface MessageImage {
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  base64: string;
}

/** The stored picture of a message: a file of a turn. */
export interface KeptImage {
  media_type: MessageImage["media_type"];
  turn_id: string;
  name: string;
  bytes: number;
}

export interface UserMessage extends WithAudience {
  role: "user";
  text: string;
  /** The person's own words, if `text` has more: who speaks, when, and context read with them. */
  said?: string | undefined;
  /** The author is not a member of the channel. */
  by_guest?: true | undefined;
  /** References to its pictures, for a transcript. */
  kept_images?: readonly KeptImage[] | undefined;
  /** The pictures themselves, in a request. */
  images?: readonly MessageImage[] | undefined;
}

/** The result of one tool call, as the model reads it. */
export interface ToolMessage extends WithAudience {
  role: "tool";
  call_id: string;
  tool: string;
  text: string;
  is_error: boolean;
  kept_images?: readonly KeptImage[] | undefined;
  images?: readonly MessageImage[] | undefined;
}

/**
 * A change since the transcript opened. `text` describes all of it in words, including tools, for models whose tools cannot change in
 * mid-conversation. A tool that changed is in both lists; the removal comes before the addition.
 */
export interface SystemMessage {
  role: "system";
  text: string;
  add?: readonly ToolDefinition[] | undefined;
  /** Names of removed tools. */
  remove?: readonly string[] | undefined;
  /** The effort from here on; absent if unchanged. */
  effort?: Effort | undefined;
}

/** A message of a conversation with a model. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;

/** Context read with a message. */
export interface MessageContext {
  thread: readonly HeardMessage[];
  files: readonly ReadFile[];
  /** Notes on what could not be read or was left out. */
  notes?: readonly string[] | undefined;
  /** Time zone of the messages' times, IANA name; UTC if absent. */
  time_zone?: string | undefined;
}

/** Another person's message in the thread that the bot was called into. */
export interface HeardMessage {
  /** The platform's id of the message, so that it is read only once. */
  id?: string | undefined;
  by: string;
  /** The platform's id of its author. */
  author: string;
  text: string;
  at: number;
  /** Written by a bot. */
  bot?: true | undefined;
  /** Written by a guest, a person from another company, or a person the platform has no information on. */
  outside?: true | undefined;
}

/** A file, as far as the bot could read it; `problem` is the reason why it could not. */
export interface ReadFile {
  name: string;
  media_type: string;
  bytes: number;
  /** The sender, if it was not the asker. */
  by?: string | undefined;
  /** The platform's id of the sender; absent when `by` is. */
  author?: string | undefined;
  /** Its text, cut to the budget. */
  text?: string | undefined;
  /** Set if `text` is a transcription. `is_message`: the asker wrote nothing, and this text is the message. */
  spoken?: { seconds?: number | undefined; is_message?: true | undefined } | undefined;
  /** Its path in the working folder; absent if it could not be stored. */
  path?: string | undefined;
  /** Name in the file store, for images that the model sees. */
  image?: string | undefined;
  problem?: string | undefined;
}

/** The text of a message on a chat platform that has files and no words. */
export const onlyFiles = "(see the attached files)";

/** Whether the sender wrote nothing. */
export function isWordless(text: string): boolean {
  return text.trim() === "" || text === onlyFiles;
}

/** The person's words: the written text or, if there is none, the transcribed recording. */
export function saidText(written: string, context: Pick<MessageContext, "files"> | undefined): string {
  const spoken = context?.files.filter((file) => file.spoken?.is_message === true) ?? [];
  return spoken.length === 0 ? written : spoken.map(({ text = "" }) => text).join("\n\n");
}
