import { expect } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import type { Message } from "../../../src/core/values/message.ts";
import { finish, requestOf } from "./collect.ts";
import type { WireServer } from "./wire-server.ts";

const tool = (name: string) => ({
  name,
  description: `Does ${name}.`,
  parameters: { type: "object", properties: {} },
});

/** The tools that conversations of tests open with. */
export const openingTools = [tool("weather"), tool("time")];

export const call = (id: string, name: string) => ({ id, name, arguments: '{"city": "Rome"}' });

export const result = (id: string, name: string, text = "sunny"): Message => ({
  role: "tool",
  call_id: id,
  tool: name,
  text,
  is_error: false,
});

/**
 * A conversation in which all kinds of messages and changes occur: tools are added, replaced and removed, effort changes,
 * pictures come from people and tools, a change is said within a round, after an answer, and twice in a row.
 */
export function eventfulConversation(): Message[] {
  const images = [{ media_type: "image/png" as const, base64: "iVBORw0KGgo=" }];
  return [
    { role: "user", text: "How is Rome?", images },
    { role: "assistant", text: "", tool_calls: [call("one", "weather"), call("two", "time")] },
    result("one", "weather"),
    { ...result("two", "time", "<system_note>noon</system_note>"), images } as Message,
    { role: "system", text: "The tool maps is there now.", add: [tool("maps")] },
    { role: "assistant", text: "Let me see.", tool_calls: [call("three", "maps")] },
    result("three", "maps", ""),
    { role: "user", text: "Quick, please." },
    { role: "assistant", text: "Sunny.", tool_calls: [] },
    { role: "system", text: "The tool time is gone.", remove: ["time"], effort: "high" },
    {
      role: "system",
      text: "Maps changed.",
      remove: ["maps"],
      add: [{ ...tool("maps"), description: "New." }],
    },
    { role: "user", text: "And Paris?" },
    { role: "assistant", text: "", tool_calls: [call("four", "weather")] },
    result("four", "weather"),
    { role: "system", text: "", effort: "low" },
    { role: "assistant", text: "Rainy.", tool_calls: [] },
    { role: "user", text: "Thanks." },
  ];
}

/**
 * Asks the model at every point at which an answer follows, then with the whole conversation, and expects that each request
 * begins with all of the one before. Answers the list of the last one.
 */
export async function expectStablePrefixes(
  model: Model,
  server: WireServer,
  conversation: readonly Message[],
  list: "messages" | "input",
): Promise<Record<string, unknown>[]> {
  const ends = conversation.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  let before: unknown[] = [];
  for (const end of [...ends, conversation.length]) {
    const messages = structuredClone(conversation.slice(0, end));
    await finish(model, requestOf("", { messages, tools: openingTools, effort: "medium" }));
    const sent = server.bodies.at(-1)?.[list] as Record<string, unknown>[];
    expect(sent.slice(0, before.length)).toEqual(before);
    expect(sent.length).toBeGreaterThan(before.length);
    before = sent;
  }
  return before as Record<string, unknown>[];
}
