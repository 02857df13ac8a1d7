import { OpenAI } from "openai";
import type { Json } from "../../src/core/values/json.ts";
import type { PlainAgent, PlainParts } from "./plain-loop.ts";

/** The plain loop on OpenAI's responses, without storage there; their cache works by itself. */
export function createPlainResponses({ model, system, tools, url, run }: PlainParts): PlainAgent {
  const client = new OpenAI({ baseURL: url, apiKey: "bench-key", maxRetries: 0 });
  const definitions = tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    strict: false,
    name,
    description,
    parameters,
  }));
  const threads = new Map<string, OpenAI.Responses.ResponseInputItem[]>();

  const answer = (thread: string, input: OpenAI.Responses.ResponseInputItem[]) =>
    client.responses.create({
      model,
      instructions: system,
      input,
      tools: definitions,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: thread,
    });

  return {
    async ask(thread, text) {
      const input = threads.get(thread) ?? [];
      threads.set(thread, input);
      input.push({ role: "user", content: text });
      for (;;) {
        const { output } = await answer(thread, input);
        input.push(...(output as OpenAI.Responses.ResponseInputItem[]));
        const calls = output.filter((item) => item.type === "function_call");
        if (calls.length === 0) return textOf(output);
        const results = calls.map(async ({ call_id, name, arguments: given }) => {
          const result = await run(name, JSON.parse(given) as Json);
          return { type: "function_call_output" as const, call_id, output: result };
        });
        input.push(...(await Promise.all(results)));
      }
    },
  };
}

function textOf(output: readonly OpenAI.Responses.ResponseOutputItem[]): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}
