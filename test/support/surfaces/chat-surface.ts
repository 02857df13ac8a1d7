import { vi } from "vitest";

/** The features of one surface. A case that cannot apply is skipped, with the name of the missing feature. */
export interface Capabilities {
  /** Others are in the conversation, with rights of their own. */
  severalPeople: boolean;
  /** One person has several with the bot in one channel; in direct messages there is one. */
  severalConversations: boolean;
  /** Something can be said to one person alone. */
  whispers: boolean;
  /** Choices and decisions are pressed. */
  buttons: boolean;
  /** The bot reads messages that arrive while it works. */
  readsWhileWorking: boolean;
  /** Shown text can change later, not only grow. */
  editable: boolean;
  /** People can be called by a message. */
  mentions: boolean;
}

/** `asker`: somebody ordinary where there are several people; `manager`: an operator of the bot, who manages the channel. */
export type Somebody = "asker" | "manager";

export interface Part {
  /** `private`: seen by one person alone. A `question` may be a request for approval. */
  kind: "answer" | "progress" | "question" | "private";
  /** As Markdown. */
  text: string;
}

export interface FetchedFile {
  name: string;
  text: string;
  /** Where the surface gives them: its bytes, base64. */
  base64?: string;
}

/** A file that is sent with a message. */
interface AttachedFile {
  name: string;
  media_type: string;
  data: Uint8Array;
}

/** A conversation with the bot in one channel. */
export interface Conversation {
  /** Writes; the first message addresses the bot as people do there. */
  say(text: string, who?: Somebody, files?: readonly AttachedFile[]): Promise<void>;
  /** The bot's messages that this person sees in the conversation, oldest first. */
  shown(who?: Somebody): Promise<Part[]>;
  /** Presses the control with this label, or performs the equivalent action. */
  press(label: string, who?: Somebody): Promise<void>;
  /** The files that are there to be fetched, as often as they are there. */
  files(): Promise<FetchedFile[]>;
  /** Where the surface draws it: what is seen now, PNG. */
  picture?(): Promise<Uint8Array>;
  /** The people notified by the bot's messages, except the person it answers. */
  called(): Promise<string[]>;
}

export interface ChatSurface {
  /** A conversation in one of two channels. Ignores messages from before it was opened. */
  open(channel?: "home" | "elsewhere"): Promise<Conversation>;
  /** All that people see of the bot, in every conversation. */
  everything(): Promise<Part[]>;
  /** All that the bot sent here, whether it is still to be seen or not. */
  sent(): Promise<string>;
  close(): Promise<void>;
}

/** Maximum wait for expected output, ms; then a case fails and reports the actual output. */
const patience = 30_000;

/** Waits until the shown messages satisfy the condition, and returns them. */
export function until(
  conversation: Pick<Conversation, "shown">,
  wanted: (parts: Part[]) => boolean,
  who?: Somebody,
): Promise<Part[]> {
  const look = async () => {
    const parts = await conversation.shown(who);
    if (!wanted(parts)) throw new Error(`Not as wanted: ${JSON.stringify(parts, undefined, 1)}`);
    return parts;
  };
  return vi.waitFor(look, { timeout: patience, interval: 60 });
}

/** Waits until a text is shown in a part of this kind. */
export function untilSaid(
  conversation: Pick<Conversation, "shown">,
  text: string | RegExp,
  kind: Part["kind"] = "answer",
  who?: Somebody,
): Promise<Part[]> {
  return until(conversation, (parts) => said(parts, kind).search(exactly(text)) >= 0, who);
}

/** The texts of one kind. */
export function said(parts: readonly Part[], kind: Part["kind"]): string {
  return textsOf(parts, kind).join("\n\n");
}

export function textsOf(parts: readonly Part[], kind: Part["kind"]): string[] {
  return parts.filter((part) => part.kind === kind).map(({ text }) => text);
}

function exactly(text: string | RegExp): RegExp {
  return typeof text === "string" ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : text;
}
