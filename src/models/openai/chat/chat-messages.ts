import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import type {
  AssistantMessage,
  Message,
  ToolDefinition,
  ToolMessage,
  UserMessage,
} from "../../../core/values/message.ts";
import { notesExplained, withoutNoteTags } from "../../system-note.ts";
import { argumentsText, safeToolName } from "../../tool-call-text.ts";
import { holdBackChanges } from "../held-back-changes.ts";
import { markForCache } from "./chat-cache-marks.ts";
import { ChatConversation, picture } from "./chat-conversation.ts";
import { type ChatForm, chatFormName } from "./chat-form.ts";
import type { ChatQuirks } from "./chat-quirks.ts";
import { keptFields } from "./chat-reasoning.ts";
import { oneCallEach } from "./one-call-each.ts";
import { plainSchema } from "./plain-schema.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

/** Converts messages and tools to OpenAI's shape, each object once: later rounds send the same ones again. */
export interface ChatMessages {
  /** The conversation, in which what a message became never changes while the form stays. */
  ofRequest(request: ModelRequest, form: ChatForm): ChatMessage[];
  ofTools(tools: readonly ToolDefinition[], form: ChatForm): OpenAI.ChatCompletionFunctionTool[];
}

/** @param self whose reasoning goes back with its messages */
export function createChatMessages(
  self: { provider: string; model: string },
  quirks: ChatQuirks,
): ChatMessages {
  const definitions = {
    full: new WeakMap<ToolDefinition, OpenAI.ChatCompletionFunctionTool>(),
    plain: new WeakMap<ToolDefinition, OpenAI.ChatCompletionFunctionTool>(),
  };
  const converted = new Map<string, WeakMap<Message, ChatMessage>>();

  const ofRequest = ({ system, messages }: ModelRequest, form: ChatForm): ChatMessage[] => {
    const blocks = { ...self, form: chatFormName(form) };
    // A server that ever sent this field wants it in all messages.
    const reasoning =
      form.reasoning === "kept" && messages.some((message) => saysReasoning(message, blocks))
        ? "required"
        : form.reasoning;
    const key = `${blocks.form} ${reasoning}`;
    const known = converted.get(key) ?? new WeakMap<Message, ChatMessage>();
    converted.set(key, known);
    const convert = (message: Exclude<Message, { role: "system" }>): ChatMessage => {
      const before = known.get(message);
      if (before !== undefined) return before;
      const made =
        message.role === "assistant"
          ? assistantMessage(message, reasoning, blocks, quirks)
          : dataMessage(message, form, quirks);
      known.set(message, made);
      return made;
    };
    const conversation = new ChatConversation(form);
    for (const message of inOrder(messages, form)) {
      if (message.role === "system") conversation.change(message.text);
      else conversation.add(message, convert(message));
    }
    const said = conversation.whole();
    const opening = form.changes === "notes" ? `${system}\n\n${notesExplained}`.trimStart() : system;
    if (opening !== "") said.unshift({ role: form.instructions, content: opening });
    return quirks.cacheMarks ? markForCache(said) : said;
  };
  const ofTool = (tool: ToolDefinition, { schemas }: ChatForm): OpenAI.ChatCompletionFunctionTool => {
    let definition = definitions[schemas].get(tool);
    if (definition === undefined) {
      const { name, description } = tool;
      const parameters = schemas === "plain" ? plainSchema(tool.parameters) : tool.parameters;
      definition = { type: "function", function: { name, description, parameters } };
      definitions[schemas].set(tool, definition);
    }
    return definition;
  };
  return { ofRequest, ofTools: (tools, form) => tools.map((tool) => ofTool(tool, form)) };
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

type Owner = { provider: string; model: string; form: string };

function assistantMessage(
  message: AssistantMessage,
  reasoning: ChatForm["reasoning"],
  owner: Owner,
  quirks: ChatQuirks,
): ChatMessage {
  const own = reasoning === "left_out" ? undefined : keptFields(message, owner);
  const fields = {
    ...(reasoning === "required" ? { reasoning_content: "" } : {}),
    ...own?.message,
  };
  if (message.tool_calls.length === 0) return { role: "assistant", content: message.text, ...fields };
  const tool_calls = message.tool_calls.map((call, index) => ({
    id: quirks.callId(call.id),
    type: "function" as const,
    function: { name: safeToolName(call.name), arguments: argumentsText(call.arguments) },
    // Of parallel calls only the first is signed.
    ...(own?.calls[index] ?? (own === undefined && index === 0 ? quirks.foreignCall : {})),
  }));
  return { role: "assistant", content: message.text === "" ? null : message.text, tool_calls, ...fields };
}

function saysReasoning(message: Message, owner: Owner): boolean {
  return message.role === "assistant" && keptFields(message, owner)?.message.reasoning_content !== undefined;
}
