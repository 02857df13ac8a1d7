import { Anthropic } from "@anthropic-ai/sdk";
import type { Json } from "../../src/core/values/json.ts";
import type { PlainAgent, PlainParts } from "./plain-loop.ts";

type Block = Anthropic.ContentBlockParam;

const mark = { cache_control: { type: "ephemeral" } } as const;

/** The plain loop on Anthropic's messages, with cache marks on tools, system and the last message. */
export function createPlainMessages({ model, system, tools, url, run }: PlainParts): PlainAgent {
  const client = new Anthropic({ baseURL: url, apiKey: "bench-key", maxRetries: 0 });
  const definitions = tools.map(({ name, description, parameters }, at) => ({
    name,
    description,
    input_schema: parameters as Anthropic.Tool["input_schema"],
    ...(at === tools.length - 1 ? mark : {}),
  }));
  const threads = new Map<string, Anthropic.MessageParam[]>();

  const answer = (messages: Anthropic.MessageParam[]) =>
    client.messages
      .stream({
        model,
        max_tokens: 32_000,
        system: [{ type: "text", text: system, ...mark }],
        tools: definitions,
        messages: withMark(messages),
      })
      .finalMessage();

  return {
    async ask(thread, text) {
      const messages = threads.get(thread) ?? [];
      threads.set(thread, messages);
      messages.push({ role: "user", content: [{ type: "text", text }] });
      for (;;) {
        const { content } = await answer(messages);
        messages.push({ role: "assistant", content });
        const calls = content.filter((block) => block.type === "tool_use");
        if (calls.length === 0)
          return content.map((block) => (block.type === "text" ? block.text : "")).join("");
        const results = calls.map(async ({ id, name, input }): Promise<Block> => {
          return { type: "tool_result", tool_use_id: id, content: await run(name, input as Json) };
        });
        messages.push({ role: "user", content: await Promise.all(results) });
      }
    },
  };
}

function withMark(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const content = messages.at(-1)?.content;
  if (content === undefined || typeof content === "string") return [...messages];
  const marked = content.map((block, at) => (at === content.length - 1 ? { ...block, ...mark } : block));
  return [...messages.slice(0, -1), { role: "user", content: marked as Block[] }];
}
