import type { Json, JsonSchema } from "./json.ts";

/** A tool as a model sees it. `name` satisfies `^[a-zA-Z0-9_-]{1,64}$`. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** How hard a model thinks. Providers know some of these words each; an adapter sends the nearest it knows. */
export type Effort = (typeof efforts)[number];

/** The words for effort, rising. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** A call the model asks for. `arguments` is the JSON text exactly as the model wrote it, valid or not. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/**
 * What only the provider that wrote a message understands: signed thinking, encrypted reasoning, thought signatures. Kept
 * verbatim and sent back to that provider alone.
 */
export interface ProviderBlocks {
  provider: string;
  /** The provider's name of the model that wrote them; absent in logs of earlier versions. */
  model?: string | undefined;
  /**
   * The wire form of the request they answered, when an adapter knows several. Reasoning is bound to the exact request it
   * followed, so blocks of another form are not sent.
   */
  form?: string | undefined;
  blocks: Json;
}

/** A message that not everybody in the thread may read. */
interface WithAudience {
  /** The only person who may read it, by id; everybody may unless given (`audience.ts`). */
  only_for?: string | undefined;
}

/** A whole model message in Knack's neutral format. */
export interface AssistantMessage extends WithAudience {
  role: "assistant";
  text: string;
  tool_calls: ToolCall[];
  provider_blocks?: ProviderBlocks | undefined;
}

/** A picture as a model is shown it. */
export interface MessageImage {
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  base64: string;
}

/** Where the picture of a message is kept: a file of a turn. */
export interface KeptImage {
  media_type: MessageImage["media_type"];
  turn_id: string;
  name: string;
  bytes: number;
}

export interface UserMessage extends WithAudience {
  role: "user";
  text: string;
  /** The person's own words, where `text` has more: who speaks, when, and what was read with them. */
  said?: string | undefined;
  /** Who said it is no member of the channel. */
  by_guest?: true | undefined;
  /** What a transcript keeps of its pictures. */
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
 * What changed since the transcript opened. `text` tells all of it in words, tools included, for models that cannot be given
 * or denied tools in the middle. Of one name, the removal comes before the addition: a tool that changed is in both.
 */
export interface SystemMessage {
  role: "system";
  text: string;
  add?: readonly ToolDefinition[] | undefined;
  /** Names of tools that are gone. */
  remove?: readonly string[] | undefined;
  /** From here on; absent when it stays as it was. */
  effort?: Effort | undefined;
}

/** A member of a conversation with a model. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;

/** What was read with a message. */
export interface MessageContext {
  thread: readonly HeardMessage[];
  files: readonly ReadFile[];
  /** What could not be read, or was left out, in words. */
  notes?: readonly string[] | undefined;
  /** Of the times of its messages, IANA name; absent where it is unknown and in logs of earlier versions: then they are of UTC. */
  time_zone?: string | undefined;
}

/** Somebody else's message of the thread the bot was called into. */
export interface HeardMessage {
  /** The platform's id of it: what was heard once is not heard again. */
  id?: string | undefined;
  by: string;
  /** The platform's id of who wrote it; absent in logs of earlier versions. */
  author?: string | undefined;
  text: string;
  at: number;
  /** Written by a bot. */
  bot?: true | undefined;
  /** Written by a guest, by somebody of another company, or by somebody the platform does not tell of. */
  outside?: true | undefined;
}

/** A file as far as the bot could read it. `problem` says why it could not. */
export interface ReadFile {
  name: string;
  media_type: string;
  bytes: number;
  /** Who sent it, when it was not the asker. */
  by?: string | undefined;
  /** The platform's id of who sent it; absent as `by` is, and in logs of earlier versions. */
  author?: string | undefined;
  /** Its text, cut to the budget. */
  text?: string | undefined;
  /** Set where `text` is what is said in it. `is_message`: the asker wrote nothing, and these words are the message. */
  spoken?: { seconds?: number | undefined; is_message?: true | undefined } | undefined;
  /** Where it lies in the working folder; absent where it could not be kept, and in logs of earlier versions. */
  path?: string | undefined;
  /** Of earlier versions: name in the file store, for a text that was cut: all of it, as UTF-8. */
  whole?: string | undefined;
  /** Name in the file store, for images the model is shown. */
  image?: string | undefined;
  problem?: string | undefined;
}

/** What a message on a chat platform says that has files and no words. */
export const onlyFiles = "(see the attached files)";

/** Whether whoever sent a message wrote nothing in it. */
export function isWordless(text: string): boolean {
  return text.trim() === "" || text === onlyFiles;
}

/** What was said: what the person wrote, or in place of it what they recorded. */
export function saidText(written: string, context: Pick<MessageContext, "files"> | undefined): string {
  const spoken = context?.files.filter((file) => file.spoken?.is_message === true) ?? [];
  return spoken.length === 0 ? written : spoken.map(({ text = "" }) => text).join("\n\n");
}
