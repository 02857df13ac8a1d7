import type { OpenAI } from "openai";
import type { Message, ToolDefinition, UserMessage } from "../core/message.ts";
import type { ModelRequest } from "../core/model.ts";
import { argumentsObject, safeCallId, safeToolName } from "./tool-call-text.ts";

type Parameter = OpenAI.ChatCompletionMessageParam;

/** Converts messages and tools to OpenAI's shape, each object once: later rounds send the same ones again. */
export interface OpenAiMessages {
  ofRequest(request: ModelRequest): Parameter[];
  ofTools(tools: readonly ToolDefinition[]): OpenAI.ChatCompletionFunctionTool[];
}

export function createOpenAiMessages(): OpenAiMessages {
  const messages = new WeakMap<Message, Parameter>();
  const definitions = new WeakMap<ToolDefinition, OpenAI.ChatCompletionFunctionTool>();

  const ofMessage = (message: Message): Parameter => {
    let converted = messages.get(message);
    if (converted === undefined) {
      converted = convert(message);
      messages.set(message, converted);
    }
    return converted;
  };
  const ofTool = (tool: ToolDefinition): OpenAI.ChatCompletionFunctionTool => {
    let converted = definitions.get(tool);
    if (converted === undefined) {
      const { name, description, parameters } = tool;
      converted = { type: "function", function: { name, description, parameters } };
      definitions.set(tool, converted);
    }
    return converted;
  };
  return {
    ofRequest: ({ system, messages: conversation }) => {
      const converted = conversation.map(ofMessage);
      return system === "" ? converted : [{ role: "system", content: system }, ...converted];
    },
    ofTools: (tools) => tools.map(ofTool),
  };
}

function convert(message: Message): Parameter {
  switch (message.role) {
    case "user":
      return { role: "user", content: userContent(message) };
    case "system":
      return { role: "system", content: message.text };
    case "tool":
      return { role: "tool", tool_call_id: safeCallId(message.call_id), content: message.text };
    case "assistant": {
      if (message.tool_calls.length === 0) return { role: "assistant", content: message.text };
      const tool_calls = message.tool_calls.map((call) => ({
        id: safeCallId(call.id),
        type: "function" as const,
        function: {
          name: safeToolName(call.name),
          arguments: JSON.stringify(argumentsObject(call.arguments)),
        },
      }));
      return { role: "assistant", content: message.text === "" ? null : message.text, tool_calls };
    }
  }
}

/** https://platform.openai.com/docs/guides/images-vision: pictures as parts with data addresses. */
function userContent({ text, images = [] }: UserMessage): string | OpenAI.ChatCompletionContentPart[] {
  if (images.length === 0) return text;
  const pictures = images.map(({ media_type, base64 }) => ({
    type: "image_url" as const,
    image_url: { url: `data:${media_type};base64,${base64}` },
  }));
  return [...pictures, { type: "text", text }];
}
