import type { Anthropic } from "@anthropic-ai/sdk";
import { madeOnce } from "../../base/made-once.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import type {
  AssistantMessage,
  Message,
  ProviderBlocks,
  SystemMessage,
  ToolDefinition,
} from "../../core/values/message.ts";
import { blocksOf, isText, isThinking, noteBlock, type WireBlock } from "./blocks.ts";
import { type Abilities, formOf, type WireEffort, type WireForm, wireEffort } from "./models.ts";

/** A message of a request. */
export interface WireMessage {
  role: "user" | "assistant" | "system";
  content: WireBlock[];
  output_config?: { effort: WireEffort };
}

/** Converts conversations. Each message is converted once, because later rounds send it again. */
export class AnthropicMessages {
  readonly #provider: string;
  readonly #converted = {
    inline: new WeakMap<Message, WireBlock[]>(),
    noted: new WeakMap<Message, WireBlock[]>(),
  };
  readonly #withoutThinking = new WeakSet<Message>();

  /** @param provider the provider whose `provider_blocks` are sent back */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /**
   * The messages of a request. A sent message never changes later, with one exception: a system message is placed just before the
   * next assistant message, so a system message at the end may move behind the next message of a person.
   */
  conversation(request: ModelRequest, abilities: Abilities): WireMessage[] {
    const form = formOf(abilities);
    const wire = form === "inline" ? inlineConversation(request, abilities) : notedConversation();
    for (const message of request.messages) {
      if (message.role === "system") wire.hold(message);
      else if (message.role === "assistant") wire.answered(this.#blocks(message, form));
      else wire.said(this.#blocks(message, form));
    }
    return wire.end();
  }

  /**
   * Leaves out all thinking of these messages from now on, because a gap would invalidate the rest. Returns false if there is
   * none.
   */
  dropThinking(messages: readonly Message[]): boolean {
    const thoughtful = messages.filter(
      (message) =>
        message.role === "assistant" &&
        !this.#withoutThinking.has(message) &&
        ownThinking(message, this.#provider),
    );
    for (const message of thoughtful) {
      this.#withoutThinking.add(message);
      this.#converted.inline.delete(message);
      this.#converted.noted.delete(message);
    }
    return thoughtful.length > 0;
  }

  #blocks(message: Exclude<Message, SystemMessage>, form: WireForm): WireBlock[] {
    return madeOnce(this.#converted[form], message, () => {
      const own = message.role === "assistant" ? ownBlocks(message, this.#provider, form) : undefined;
      const all = blocksOf(message, form, own);
      return this.#withoutThinking.has(message) ? all.filter((block) => !isThinking(block)) : all;
    });
  }
}

/** Blocks of this provider and form. */
function ownBlocks(
  { provider_blocks: own }: AssistantMessage,
  provider: string,
  form: WireForm,
): ProviderBlocks | undefined {
  const isOwn = own?.provider === provider && Array.isArray(own.blocks) && own.form === form;
  return isOwn ? own : undefined;
}

function ownThinking({ provider_blocks: own }: AssistantMessage, provider: string): boolean {
  if (own?.provider !== provider || !Array.isArray(own.blocks)) return false;
  return (own.blocks as unknown as WireBlock[]).some(isThinking);
}

type Flush = (held: readonly SystemMessage[], wire: WireMessage[], last: WireMessage) => void;

/**
 * Puts messages in the order that the API requires: the first message is the user's; everything that people and tools say between
 * two answers is one message with the tool results first; system messages are directly before an answer or at the end.
 */
class Conversation {
  readonly #wire: WireMessage[] = [];
  readonly #flush: Flush;
  #held: SystemMessage[] = [];

  constructor(flush: Flush) {
    this.#flush = flush;
  }

  hold(message: SystemMessage): void {
    this.#held.push(message);
  }

  said(blocks: readonly WireBlock[]): void {
    const last = this.#wire.at(-1);
    const content = last?.role === "user" ? last.content : [];
    if (last?.role !== "user") this.#wire.push({ role: "user", content });
    for (const block of blocks) {
      if (block.type === "tool_result") content.splice(leadingResults(content), 0, block);
      else content.push(block);
    }
  }

  answered(content: WireBlock[]): void {
    if (content.length === 0) return;
    this.#close();
    this.#wire.push({ role: "assistant", content });
  }

  end(): WireMessage[] {
    this.#close();
    return this.#wire;
  }

  /** Completes the messages before an answer. The API refuses two answers in a row and an answer at the end, so a text is inserted. */
  #close(): void {
    const last = this.#wire.at(-1);
    if (last?.role !== "user") {
      this.said([
        { type: "text", text: last === undefined ? "(earlier messages left out)" : "(no message)" },
      ]);
    }
    const user = this.#wire.at(-1);
    if (user !== undefined) this.#flush(this.#held, this.#wire, user);
    this.#held = [];
  }
}

function leadingResults(content: readonly WireBlock[]): number {
  const end = content.findIndex((block) => block.type !== "tool_result");
  return end === -1 ? content.length : end;
}

function notedConversation(): Conversation {
  return new Conversation((held, _wire, last) => {
    last.content.push(...held.filter(({ text }) => isText(text)).map(noteBlock));
  });
}

function inlineConversation({ tools }: ModelRequest, abilities: Abilities): Conversation {
  // Without tools in the opening there is no list to change; the list grows instead.
  const known = tools.length === 0 ? undefined : new Set(tools.map(({ name }) => name));
  return new Conversation((held, wire) => {
    for (const message of held) wire.push(...systemMessages(message, known, abilities));
  });
}

/** The API requires a separate message without content for a change of effort. */
function systemMessages(
  message: SystemMessage,
  known: Set<string> | undefined,
  abilities: Abilities,
): WireMessage[] {
  const content: WireBlock[] = isText(message.text) ? [{ type: "text", text: message.text }] : [];
  if (known !== undefined) content.push(...toolChanges(message, known));
  const effort = abilities.effortChange ? wireEffort(message.effort, abilities) : undefined;
  return [
    ...(content.length === 0 ? [] : [{ role: "system" as const, content }]),
    ...(effort === undefined ? [] : [{ role: "system" as const, content: [], output_config: { effort } }]),
  ];
}

/** @param known the existing tools: the API refuses references to others. A definition replaces one of the same name. */
function toolChanges({ add = [], remove = [] }: SystemMessage, known: Set<string>): WireBlock[] {
  const replaced = new Set(add.map(({ name }) => name));
  const gone = remove.filter((name) => !replaced.has(name) && known.delete(name));
  for (const name of replaced) known.add(name);
  return [
    ...gone.map((name) => ({
      type: "tool_removal" as const,
      tool: { type: "tool_reference" as const, name },
    })),
    ...add.map((tool) => ({
      type: "tool_addition" as const,
      tool: { type: "tool_definition" as const, definition: toolDefinition(tool) },
    })),
  ];
}

/** A tool in Anthropic's shape. */
export function toolDefinition({ name, description, parameters }: ToolDefinition): Anthropic.Tool {
  return { name, description, input_schema: parameters as Anthropic.Tool["input_schema"] };
}
