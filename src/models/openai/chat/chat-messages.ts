import type { OpenAI } from "openai";
import { madeOnce } from "../../../base/made-once.ts";
import type { ModelRequest } from "../../../core/ports/model.ts";
import type {
  AssistantMessage,
  Message,
  MessageImage,
  SystemMessage,
  ToolDefinition,
  ToolMessage,
  UserMessage,
} from "../../../core/values/message.ts";
import type { BlocksOwner } from "../../provider-model.ts";
import { asNote, notesExplained, withoutNoteTags } from "../../system-note.ts";
import { argumentsText, safeToolName } from "../../tool-call-text.ts";
import { plainSchema } from "../../tools/plain-schema.ts";
import { holdBackChanges } from "../past-messages.ts";
import { asMade, describedTools } from "./added-tools.ts";
import { type ChatForm, type ChatQuirks, chatFormName } from "./chat-form.ts";
import { type KeptFields, keptFields } from "./chat-reasoning.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

/** Converts messages and tools to OpenAI's format. Each object is converted once, because later rounds send it again. */
export class ChatMessages {
  readonly #self: Self;
  readonly #quirks: ChatQuirks;
  readonly #definitions = {
    full: new WeakMap<ToolDefinition, OpenAI.ChatCompletionFunctionTool>(),
    plain: new WeakMap<ToolDefinition, OpenAI.ChatCompletionFunctionTool>(),
  };
  readonly #converted = new Map<string, WeakMap<Message, ChatMessage>>();

  /** @param self the model whose reasoning is sent back with its messages */
  constructor(self: Self, quirks: ChatQuirks) {
    this.#self = self;
    this.#quirks = quirks;
  }

  /** The conversation. While the form stays the same, a message is always converted to the same result. */
  ofRequest({ system, messages, tools }: ModelRequest, wanted: ChatForm): ChatMessage[] {
    const owner = { ...this.#self, form: chatFormName(wanted) };
    // A server that has sent this field expects it in all messages.
    const isExpected =
      wanted.reasoning === "kept" && messages.some((message) => saysReasoning(message, owner));
    const form: ChatForm = isExpected ? { ...wanted, reasoning: "required" } : wanted;
    const key = `${owner.form} ${form.reasoning} ${form.besideCalls}`;
    const known = madeOnce(this.#converted, key, () => new WeakMap<Message, ChatMessage>());
    const listed = form.additions === "listed" ? undefined : new Set(tools.map(({ name }) => name));
    const convert = (message: Exclude<Message, SystemMessage>): ChatMessage => {
      if (message.role !== "assistant") return dataMessage(message, form, this.#quirks);
      const calls = message.tool_calls;
      const made = listed === undefined ? calls : calls.map((call) => asMade(call, listed));
      return assistantMessage(
        { ...message, tool_calls: made },
        form,
        keptFields(message, owner),
        this.#quirks,
      );
    };
    const conversation = new ChatConversation(form);
    for (const message of inOrder(messages, form)) {
      if (message.role === "system") conversation.change(changeText(message, form));
      else
        conversation.add(
          message,
          madeOnce(known, message, () => convert(message)),
        );
    }
    const said = conversation.whole();
    const opening = form.changes === "notes" ? `${system}\n\n${notesExplained}`.trimStart() : system;
    if (opening !== "") said.unshift({ role: form.instructions, content: opening });
    return this.#quirks.cacheMarks ? markForCache(said) : said;
  }

  ofTools(tools: readonly ToolDefinition[], { schemas }: ChatForm) {
    return tools.map((tool) =>
      madeOnce(this.#definitions[schemas], tool, (): OpenAI.ChatCompletionFunctionTool => {
        const { name, description } = tool;
        const parameters = schemas === "plain" ? plainSchema(tool.parameters) : tool.parameters;
        return { type: "function", function: { name, description, parameters } };
      }),
    );
  }
}

type Self = Pick<BlocksOwner, "provider" | "model">;

function changeText({ text, add = [] }: SystemMessage, { additions }: ChatForm): string {
  if (additions === "listed" || add.length === 0) return text;
  return [text, describedTools(add)].filter(Boolean).join("\n\n");
}

function inOrder(messages: readonly Message[], { calls }: ChatForm): readonly Message[] {
  const ordered = holdBackChanges(messages);
  return calls === "parallel" ? ordered : oneCallEach(ordered);
}

function dataMessage(message: UserMessage | ToolMessage, form: ChatForm, quirks: ChatQuirks): ChatMessage {
  const text = form.changes === "notes" ? withoutNoteTags(message.text) : message.text;
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: quirks.callId(message.call_id), content: text };
  }
  const { images = [] } = message;
  if (images.length === 0) return { role: "user", content: text };
  return { role: "user", content: [...images.map(picture), { type: "text", text }] };
}

/** @param kept what its server added to the message; undefined for a message of another model */
function assistantMessage(
  message: AssistantMessage,
  { reasoning, besideCalls }: ChatForm,
  kept: KeptFields | undefined,
  quirks: ChatQuirks,
): ChatMessage {
  const own = reasoning === "left_out" ? undefined : kept;
  const fields = { ...(reasoning === "required" && { reasoning_content: "" }), ...own?.message };
  if (message.tool_calls.length === 0) return { role: "assistant", content: message.text, ...fields };
  const tool_calls = message.tool_calls.map((call, index) => ({
    id: quirks.callId(call.id),
    type: "function" as const,
    function: { name: safeToolName(call.name), arguments: argumentsText(call.arguments) },
    // Only the first of parallel calls is signed.
    ...(own?.calls[index] ?? (own === undefined && index === 0 ? quirks.foreignCall : {})),
  }));
  const content = message.text === "" && besideCalls === "null" ? null : message.text;
  return { role: "assistant", content, tool_calls, ...fields };
}

function saysReasoning(message: Message, owner: BlocksOwner): boolean {
  return message.role === "assistant" && keptFields(message, owner)?.message.reasoning_content !== undefined;
}

const mark = { cache_control: { type: "ephemeral" } };

/**
 * Adds marks for Anthropic's prompt cache to the instructions, to the end of the previous request, and to the end. All texts become
 * parts, so that only the marks move from request to request.
 * https://openrouter.ai/docs/features/prompt-caching
 */
function markForCache(messages: readonly ChatMessage[]): ChatMessage[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  const marked = new Set([0, lastAnswer - 1, messages.length - 1]);
  return messages.map((message, index) => inParts(message, marked.has(index)));
}

function inParts(message: ChatMessage, isMarked: boolean): ChatMessage {
  if (message.role === "assistant" || message.role === "function") return message;
  const parts =
    typeof message.content === "string"
      ? [{ type: "text" as const, text: message.content }]
      : message.content;
  const content = parts.map((part, index) =>
    isMarked && index === parts.length - 1 ? { ...part, ...mark } : part,
  );
  return { ...message, content } as ChatMessage;
}

/** Puts the messages of a conversation in order, with changes in the way that the form says. */
class ChatConversation {
  readonly #form: ChatForm;
  readonly #said: ChatMessage[] = [];
  /** Notes after the model's last message; they are sent with the next message of a person. */
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

  /** The finished conversation. Nothing can be added afterwards. */
  whole(): ChatMessage[] {
    this.#showPictures();
    if (this.#notes.length > 0)
      this.#said.push({ role: "user", content: this.#notes.map(asNote).join("\n\n") });
    return this.#said;
  }

  /** Results of tools can only be text here, so their pictures follow in a message of their own. */
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

/** The message with a note at its end; undefined for a message that cannot have notes. */
function withNote(message: ChatMessage, text: string): ChatMessage | undefined {
  if (message.role !== "user" && message.role !== "tool") return undefined;
  if (typeof message.content === "string")
    return { ...message, content: `${message.content}\n\n${asNote(text)}` };
  const note = { type: "text" as const, text: asNote(text) };
  return { ...message, content: [...message.content, note] } as ChatMessage;
}

/** https://platform.openai.com/docs/guides/images-vision: a picture as a part with a data address. */
function picture({ media_type, base64 }: MessageImage): OpenAI.ChatCompletionContentPartImage {
  return { type: "image_url", image_url: { url: `data:${media_type};base64,${base64}` } };
}

/**
 * Splits every round of several calls into rounds of one call and its result, for servers and chat templates that allow one call
 * per message. The model's text stays with the first.
 */
function oneCallEach(messages: readonly Message[]): Message[] {
  const single: Message[] = [];
  let results: Map<string, ToolMessage> | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant" && message.tool_calls.length > 1) {
      results = resultsAfter(messages, index);
      single.push(...rounds(message, results));
    } else if (message.role !== "tool" || !results?.has(message.call_id)) {
      single.push(message);
      if (message.role === "assistant") results = undefined;
    }
  }
  return single;
}

function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== "tool") break;
    results.set(message.call_id, message);
  }
  return results;
}

function rounds(message: AssistantMessage, results: ReadonlyMap<string, ToolMessage>): Message[] {
  return message.tool_calls.flatMap((call, index) => {
    const first = index === 0 ? message : { role: "assistant" as const, text: "" };
    const result = results.get(call.id);
    return [{ ...first, tool_calls: [call] }, ...(result === undefined ? [] : [result])];
  });
}
