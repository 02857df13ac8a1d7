import { OpenAI } from "openai";
import type { Json } from "../../src/core/values/json.ts";
import type { PlainAgent, PlainParts } from "./plain-loop.ts";

type Message = OpenAI.ChatCompletionMessageParam;

/** The plain loop on chat completions; messages go back whole, their reasoning included. */
export function createPlainChat({ model, system, tools, url, run }: PlainParts): PlainAgent {
  const client = new OpenAI({ baseURL: url, apiKey: "bench-key", maxRetries: 0 });
  const definitions = tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    function: { name, description, parameters },
  }));
  const threads = new Map<string, Message[]>();

  return {
    async ask(thread, text) {
      const messages = threads.get(thread) ?? [{ role: "system", content: system }];
      threads.set(thread, messages);
      messages.push({ role: "user", content: text });
      for (;;) {
        const { choices } = await client.chat.completions.create({ model, messages, tools: definitions });
        const message = choices[0]?.message;
        if (message === undefined) throw new Error("The stand-in answered nothing");
        messages.push(message);
        const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
        if (calls.length === 0) return message.content ?? "";
        const results = calls.map(async ({ id, function: asked }): Promise<Message> => {
          const content = await run(asked.name, JSON.parse(asked.arguments) as Json);
          return { role: "tool", tool_call_id: id, content };
        });
        messages.push(...(await Promise.all(results)));
      }
    },
  };
}
