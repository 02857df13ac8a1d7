import { describe, expect, it } from "vitest";
import { type Body, refusal, useVendors } from "./use-vendors.ts";

const { chat, rule, vendors, openai } = useVendors();

type Kind = "deepseek" | "gemini" | "strict" | "plain";

const tool = {
  type: "function",
  function: { name: "lookup", description: "", parameters: { type: "object", properties: {} } },
};
const hello = { role: "user", content: "Hello" };
const system = { role: "system", content: "You help." };
const developer = { role: "developer", content: "You help." };
const call = { id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
const asked = { role: "assistant", content: null, tool_calls: [call] };
const result = { role: "tool", tool_call_id: "call_1", content: "found" };
const signed = (signature: string) => ({
  ...asked,
  tool_calls: [{ ...call, extra_content: { google: { thought_signature: signature } } }],
});

interface Message {
  role: string;
  content: string | null;
  reasoning_content?: string;
  tool_calls?: { id: string; function: { name?: string; arguments: string } }[];
}

/** The message of a stream: texts are joined, calls by their index. */
function joined(chunks: { choices: { delta: Partial<Message> }[] }[]): Message {
  const message: Message = { role: "assistant", content: null };
  const calls: NonNullable<Message["tool_calls"]> = [];
  for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
    if (delta.reasoning_content !== undefined) {
      message.reasoning_content = (message.reasoning_content ?? "") + delta.reasoning_content;
    }
    for (const { index, ...part } of (delta.tool_calls ?? []) as ((typeof calls)[0] & { index: number })[]) {
      const call = calls[index];
      if (call === undefined) calls[index] = part;
      else call.function.arguments += part.function.arguments;
    }
  }
  return { ...message, tool_calls: calls };
}

interface Case {
  what: string;
  kind?: Kind;
  model?: string;
  body: Body;
  rule?: string;
}

const cases: Case[] = [
  { what: "tools with reasoning, terra", body: { tools: [tool] }, rule: "tools_with_reasoning" },
  { what: "tools without reasoning, terra", body: { tools: [tool], reasoning_effort: "none" } },
  { what: "no tools, terra", body: {} },
  { what: "tools, 5.4-mini's default", model: "gpt-5.4-mini", body: { tools: [tool] } },
  {
    what: "tools with reasoning, 5.4-mini",
    model: "gpt-5.4-mini",
    body: { tools: [tool], reasoning_effort: "low" },
    rule: "tools_with_reasoning",
  },
  { what: "tools with reasoning, 5-mini", model: "gpt-5-mini", body: { tools: [tool] } },
  { what: "max_tokens, OpenAI", body: { max_tokens: 50 }, rule: "max_tokens" },
  { what: "max_completion_tokens, OpenAI", body: { max_completion_tokens: 50 } },
  {
    what: "max_completion_tokens, strict",
    kind: "strict",
    body: { max_completion_tokens: 50 },
    rule: "unknown_field",
  },
  { what: "max_tokens, strict", kind: "strict", body: { max_tokens: 50 } },
  { what: "temperature, OpenAI", body: { temperature: 0 }, rule: "sampling" },
  { what: "developer, OpenAI", body: { messages: [developer, hello] } },
  { what: "developer, DeepSeek", kind: "deepseek", body: { messages: [developer, hello] }, rule: "role" },
  { what: "developer, plain", kind: "plain", body: { messages: [developer, hello] }, rule: "role" },
  {
    what: "system in the middle, strict",
    kind: "strict",
    body: { messages: [system, hello, system] },
    rule: "system_place",
  },
  { what: "system in the middle, plain", kind: "plain", body: { messages: [system, hello, system] } },
  { what: "system first, strict", kind: "strict", body: { messages: [system, hello] } },
  {
    what: "calls without reasoning, DeepSeek",
    kind: "deepseek",
    body: { messages: [hello, asked, result] },
    rule: "reasoning_content",
  },
  {
    what: "calls with empty reasoning, DeepSeek",
    kind: "deepseek",
    body: { messages: [hello, { ...asked, reasoning_content: "" }, result] },
  },
  {
    what: "calls without signature, Gemini",
    kind: "gemini",
    body: { messages: [hello, asked, result] },
    rule: "thought_signature",
  },
  {
    what: "calls with a wrong signature, Gemini",
    kind: "gemini",
    body: { messages: [hello, signed("abc"), result] },
    rule: "thought_signature",
  },
  {
    what: "foreign calls, Gemini",
    kind: "gemini",
    body: { messages: [hello, signed("skip_thought_signature_validator"), result] },
  },
  { what: "calls, plain", kind: "plain", body: { messages: [hello, asked, result] } },
  {
    what: "calls without results",
    kind: "plain",
    body: { messages: [hello, asked, hello] },
    rule: "tool_pair",
  },
  { what: "calls at the end", kind: "plain", body: { messages: [hello, asked] }, rule: "tool_pair" },
  { what: "results without calls", kind: "plain", body: { messages: [hello, result] }, rule: "tool_pair" },
  {
    what: "no content",
    kind: "plain",
    body: { messages: [{ role: "user", content: null }] },
    rule: "empty_content",
  },
  {
    what: "arguments as an object",
    kind: "plain",
    body: {
      messages: [
        hello,
        { ...asked, tool_calls: [{ ...call, function: { name: "lookup", arguments: {} } }] },
        result,
      ],
    },
    rule: "arguments",
  },
  { what: "no tools in the list", kind: "plain", body: { tools: [] }, rule: "tools_empty" },
  { what: "unknown model, plain", kind: "plain", model: "qwen3", body: {} },
];

describe("chat completions", () => {
  it.each(cases)("chat completions, $what: $rule", async ({ kind, model, body, rule: expected }) => {
    const named = model ?? (kind === undefined ? "gpt-6.1-terra" : `${kind}-chat`);
    const asking = chat({ model: named, messages: [hello], ...body }, kind);
    if (expected === undefined) await asking;
    else expect((await refusal(asking)).status).toBe(400);
    expect(rule()).toBe(expected);
  });

  it("chat completions take their rules from the name of the model where the path says nothing", async () => {
    await refusal(chat({ model: "deepseek-v4", messages: [hello, asked, result] }));
    expect(rule()).toBe("reasoning_content");
    await chat({ model: "qwen3", messages: [hello, asked, result] });
    expect(rule()).toBeUndefined();
  });
});

describe.each(["deepseek", "gemini"] as const)("reasoning of %s", (kind) => {
  const model = `${kind}-pro`;
  const script = () => ({ calls: ["a", "b"].map((query) => ({ name: "lookup", input: { query } })) });
  const results = (message: Message) =>
    (message.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "found" }));

  it("reasoning comes with calls, whole and streamed alike, and is returned unchanged", async () => {
    vendors().script(script);
    const body = { model, messages: [hello], tools: [tool] };
    const whole = (await chat(body, kind)).choices[0]?.message as unknown as Message;
    const streaming = { ...body, stream: true };
    const chunks = await openai(vendors().compatibleUrl(kind)).chat.completions.create(streaming as never);
    const streamed = joined(await Array.fromAsync(chunks as never));
    expect(streamed.tool_calls).toHaveLength(2);
    vendors().script(() => ({ text: "Found." }));
    for (const message of [whole, streamed]) {
      await chat({ model, messages: [hello, message, ...results(message)], tools: [tool] }, kind);
      expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 0, reasoning_omitted: 0 });
    }
  });

  it("reasoning is counted as left out, not as lost, in the way the vendor documents", async () => {
    vendors().script(script);
    const { message } = (await chat({ model, messages: [hello], tools: [tool] }, kind)).choices[0] ?? {};
    const calls = message?.tool_calls ?? [];
    const google = { thought_signature: "skip_thought_signature_validator" };
    const replaced = {
      ...message,
      reasoning_content: "",
      tool_calls: calls.map((one) => ({ ...one, extra_content: { google } })),
    };
    vendors().script(() => ({ text: "Found." }));
    await chat({ model, messages: [hello, replaced, ...results(replaced as never)], tools: [tool] }, kind);
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 0, reasoning_omitted: 1 });
  });
});

describe("streams and counts", () => {
  it("usage is sent only on request", async () => {
    const body = { model: "qwen3", messages: [hello], stream: true };
    const client = openai(vendors().compatibleUrl("plain"));
    const usages = async (more: object) => {
      const chunks = await Array.fromAsync(
        (await client.chat.completions.create({ ...body, ...more } as never)) as never,
      );
      return chunks.filter((chunk) => (chunk as { usage?: object }).usage !== undefined).length;
    };
    expect(await usages({})).toBe(0);
    expect(await usages({ stream_options: { include_usage: true } })).toBe(1);
  });

  it("tools are counted before messages: a changed tool misses the cache", async () => {
    const long = { role: "system", content: "instruction ".repeat(300) };
    const cached = async (tools: object[]) => {
      const { usage } = await chat({ model: "deepseek-v4", messages: [long, hello], tools }, "deepseek");
      return (usage as unknown as { prompt_cache_hit_tokens: number }).prompt_cache_hit_tokens;
    };
    expect(await cached([tool])).toBe(0);
    expect(await cached([tool])).toBeGreaterThan(250);
    expect(await cached([{ ...tool, function: { ...tool.function, name: "other" } }])).toBe(0);
  });
});
