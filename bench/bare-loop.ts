import type { OpenAI } from "openai";

type Call = OpenAI.ChatCompletionMessageFunctionToolCall;
type Chunks = AsyncIterable<OpenAI.ChatCompletionChunk>;

/** A minimal agent loop, the baseline for Knack's overhead. Changes `messages`. */
export async function runBareTurn(
  client: OpenAI,
  messages: OpenAI.ChatCompletionMessageParam[],
  tools: OpenAI.ChatCompletionFunctionTool[],
  run: (name: string, input: unknown) => Promise<unknown>,
  show: (text: string) => void,
): Promise<string> {
  for (;;) {
    const request = { model: "bench", messages, tools, stream_options: { include_usage: true } };
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const { content, calls } = await readAnswer(stream, show);
    messages.push({ role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) });
    if (calls.length === 0) return content;
    for (const { id, function: asked } of calls) {
      const result = await run(asked.name, JSON.parse(asked.arguments));
      messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result) });
    }
  }
}

async function readAnswer(stream: Chunks, show: (text: string) => void) {
  let content = "";
  const calls: Call[] = [];
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta;
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      calls[index] ??= {
        id: id ?? "",
        type: "function",
        function: { name: part?.name ?? "", arguments: "" },
      };
      calls[index].function.arguments += part?.arguments ?? "";
    }
    if (!delta?.content) continue;
    content += delta.content;
    show(delta.content);
  }
  return { content, calls };
}
