import type { AssistantMessage, Message, ToolMessage } from "../../../core/values/message.ts";

/**
 * The messages with every round of several calls said as rounds of one: a call and its result, then the next. For servers
 * and chat templates that allow one call in a message. What the model said stays with the first.
 */
export function oneCallEach(messages: readonly Message[]): Message[] {
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
