import type { OpenAI } from "openai";
import type { Message, MessageImage, ToolMessage } from "../../../core/values/message.ts";
import { asNote } from "../../system-note.ts";
import { safeToolName } from "../../tool-call-text.ts";
import type { ChatForm } from "./chat-form.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

/** Puts the messages of a conversation in their places, with the changes among them as the form says. */
export class ChatConversation {
  readonly #form: ChatForm;
  readonly #said: ChatMessage[] = [];
  /** Said after the model's last words; they go with the next message of a person. */
  #notes: string[] = [];
  /** Results of the latest round that have pictures. */
  #pictured: ToolMessage[] = [];

  constructor(form: ChatForm) {
    this.#form = form;
  }

  add(message: Exclude<Message, { role: "system" }>, converted: ChatMessage): void {
    if (message.role !== "tool") this.#showPictures();
    this.#said.push(converted.role === "user" ? this.#withNotes(converted) : converted);
    if (message.role === "tool" && (message.images ?? []).length > 0) this.#pictured.push(message);
  }

  change(text: string): void {
    if (text === "") return;
    this.#showPictures();
    if (this.#form.changes === "messages") {
      this.#said.push({ role: this.#form.instructions, content: text });
      return;
    }
    const last = this.#said.at(-1);
    const noted = last === undefined ? undefined : withNote(last, text);
    if (noted === undefined) this.#notes.push(text);
    else this.#said[this.#said.length - 1] = noted;
  }

  /** The conversation; nothing can be added after. */
  whole(): ChatMessage[] {
    this.#showPictures();
    if (this.#notes.length > 0)
      this.#said.push({ role: "user", content: this.#notes.map(asNote).join("\n\n") });
    return this.#said;
  }

  /** Results of tools are text alone here, so their pictures follow in a message of their own. */
  #showPictures(): void {
    if (this.#pictured.length === 0) return;
    const tools = this.#pictured.map(({ tool }) => safeToolName(tool)).join(", ");
    const text = `(pictures from the results of ${tools})`;
    const pictures = this.#pictured.flatMap(({ images = [] }) => images.map(picture));
    this.#said.push({ role: "user", content: [...pictures, { type: "text", text }] });
    this.#pictured = [];
  }

  #withNotes(message: OpenAI.ChatCompletionUserMessageParam): ChatMessage {
    if (this.#notes.length === 0) return message;
    const text = this.#notes.map(asNote).join("\n\n");
    this.#notes = [];
    if (typeof message.content === "string") return { ...message, content: `${text}\n\n${message.content}` };
    return { ...message, content: [{ type: "text", text }, ...message.content] };
  }
}

/** The message with a note at its end; undefined for one that cannot have any. */
function withNote(message: ChatMessage, text: string): ChatMessage | undefined {
  if (message.role !== "user" && message.role !== "tool") return undefined;
  if (typeof message.content === "string")
    return { ...message, content: `${message.content}\n\n${asNote(text)}` };
  const note = { type: "text" as const, text: asNote(text) };
  return { ...message, content: [...message.content, note] } as ChatMessage;
}

/** https://platform.openai.com/docs/guides/images-vision: a picture as a part with a data address. */
export function picture({ media_type, base64 }: MessageImage): OpenAI.ChatCompletionContentPartImage {
  return { type: "image_url", image_url: { url: `data:${media_type};base64,${base64}` } };
}
