import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Message, ToolDefinition } from "../../../../src/core/values/message.ts";
import { chatQuirks, firstChatForm } from "../../../../src/models/openai/chat/chat-form.ts";
import { ChatMessages } from "../../../../src/models/openai/chat/chat-messages.ts";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import type { ServerKind } from "../../../../src/models/server-kind.ts";
import { finish, requestOf } from "../collect.ts";
import { call, eventfulConversation, result } from "../prefixes.ts";
import { chunk, sendEvents, sendJson, startWireServer, type WireServer } from "../wire-server.ts";
import { completion } from "./chat-wire.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Body = Record<string, unknown>;

/** A model whose server answers "ok", or as told. */
async function modelAnswering(
  model: string,
  answer: (response: ServerResponse) => void = (wire) => sendJson(wire, completion({ content: "ok" })),
  streaming = false,
  kind?: ServerKind,
) {
  server = await startWireServer(answer);
  const address = { baseUrl: `${server.url}/v1`, timeoutMs: 30_000, streaming };
  return { model: createOpenAiModel({ model, server: kind, ...address }), server };
}

const callsOf = (message: Body | undefined) => (message?.tool_calls ?? []) as Body[];
const messagesOf = (body: Body | undefined) => (body?.messages ?? []) as Body[];
const go: Message = { role: "user", text: "go" };
const wireCall = (id: string, extra: Body = {}) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: "{}" },
  ...extra,
});

/** A message of another model that calls two tools, and their results. */
const foreign: Message[] = [
  go,
  { role: "assistant", text: "", tool_calls: [call("toolu_012345", "weather"), call("toolu_2", "time")] },
  result("toolu_012345", "weather"),
  result("toolu_2", "time"),
];

describe("reasoning of compatible servers", () => {
  const details = [
    { type: "reasoning.text", index: 0, text: "Let me ", format: "anthropic-claude-v1" },
    { type: "reasoning.text", index: 0, text: "think.", signature: "signed" },
    { type: "reasoning.encrypted", index: 1, data: "sealed" },
  ];
  const whole = [
    {
      type: "reasoning.text",
      index: 0,
      text: "Let me think.",
      format: "anthropic-claude-v1",
      signature: "signed",
    },
    { type: "reasoning.encrypted", index: 1, data: "sealed" },
  ];

  it.each([
    [
      "reasoning_content",
      [{ reasoning_content: "Let me " }, { reasoning_content: "think." }],
      { reasoning_content: "Let me think." },
    ],
    ["reasoning", [{ reasoning: "Let me " }, { reasoning: "think." }], { reasoning: "Let me think." }],
    ["both the same", [{ reasoning_content: "Hm.", reasoning: "Hm." }], { reasoning_content: "Hm." }],
    [
      "reasoning_details",
      details.map((detail) => ({ reasoning: "x", reasoning_details: [detail] })),
      { reasoning_details: whole },
    ],
  ])("reasoning of compatible servers is returned with its message: %s", async (_field, deltas, kept) => {
    const { model, server } = await modelAnswering(
      "m",
      (wire) => sendEvents(wire, [...deltas.map((delta) => chunk(delta)), chunk({ content: "ok" }, "stop")]),
      true,
    );
    const { message } = await finish(model, requestOf("go"));
    expect(message.text).toBe("ok");
    await finish(model, requestOf("", { messages: [go, message, { role: "user", text: "on" }] }));
    expect(messagesOf(server.bodies[1])[2]).toEqual({ role: "assistant", content: "ok", ...kept });
  });

  it("reasoning is in every message for DeepSeek, empty where it is another model's", async () => {
    const { model, server } = await modelAnswering("deepseek-v4-pro");
    await finish(model, requestOf("", { messages: foreign }));
    expect(messagesOf(server.bodies[0])[2]).toMatchObject({ reasoning_content: "" });
  });

  it("reasoning is in every message once a server has sent it", async () => {
    const { model, server } = await modelAnswering("m", (wire) =>
      sendJson(wire, completion({ content: "ok", reasoning_content: "Hm." })),
    );
    const { message } = await finish(model, requestOf("", { messages: foreign }));
    await finish(model, requestOf("", { messages: [...foreign, message, go] }));
    expect(messagesOf(server.bodies[0])[2]).not.toHaveProperty("reasoning_content");
    expect(messagesOf(server.bodies[1])[2]).toMatchObject({ reasoning_content: "" });
    expect(messagesOf(server.bodies[1])[5]).toMatchObject({ content: "ok", reasoning_content: "Hm." });
  });
});

describe("calls of compatible servers", () => {
  it("calls are returned with Gemini's signatures unchanged, and of parallel ones only the first has one", async () => {
    const extra_content = { google: { thought_signature: "signed" } };
    const { model, server } = await modelAnswering("gemini-3.8-flash", (wire) =>
      sendJson(wire, completion({ tool_calls: [wireCall("one", { extra_content }), wireCall("two")] })),
    );
    const { message } = await finish(model, requestOf("go"));
    const results = [result("one", "weather"), result("two", "weather")];
    await finish(model, requestOf("", { messages: [go, message, ...results] }));
    expect(messagesOf(server.bodies[1])[2]?.tool_calls).toEqual([
      wireCall("one", { extra_content }),
      wireCall("two"),
    ]);
  });

  it("calls of another model are signed as such for Gemini", async () => {
    const { model, server } = await modelAnswering("google/gemini-3.8-flash");
    await finish(model, requestOf("", { messages: foreign }));
    const signature = { google: { thought_signature: "skip_thought_signature_validator" } };
    const [first, second] = callsOf(messagesOf(server.bodies[0])[2]);
    expect(first?.extra_content).toEqual(signature);
    expect(second).not.toHaveProperty("extra_content");
  });

  it("calls have ids of nine letters and digits for Mistral, with the same for the result", async () => {
    const { model, server } = await modelAnswering("mistral-large-4");
    await finish(model, requestOf("", { messages: foreign }));
    const [, , asked, first, second] = messagesOf(server.bodies[0]);
    const ids = callsOf(asked).map(({ id }) => id);
    expect(ids).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/), expect.stringMatching(/^[a-z0-9]{9}$/)]);
    expect([first?.tool_call_id, second?.tool_call_id]).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("usage of compatible servers", () => {
  it.each([
    [
      { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
      { cached_tokens: 60, cache_write_tokens: 30 },
    ],
    [{ prompt_cache_hit_tokens: 60 }, { cached_tokens: 60 }],
    [{ cached_tokens: 60 }, { cached_tokens: 60 }],
    [{}, {}],
  ])("usage of compatible servers counts what came from the cache: %o", async (own, told) => {
    const usage = { prompt_tokens: 100, completion_tokens: 20, ...own };
    const { model } = await modelAnswering("m", (wire) =>
      sendJson(wire, completion({ content: "ok" }, { usage })),
    );
    const event = await finish(model, requestOf("go"));
    expect(event.usage).toEqual({ input_tokens: 100, output_tokens: 20, ...told });
  });
});

it("an answer's text in parts is joined, without the thinking", async () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
    { type: "text", text: "ok" },
  ];
  const { model } = await modelAnswering("magistral", (wire) => sendJson(wire, completion({ content })));
  expect((await finish(model, requestOf("go"))).message.text).toBe("ok");
});

it("Anthropic's models on OpenRouter get moving cache marks while the rest stays", () => {
  const model = "anthropic/claude-sonnet-5-5";
  const self = { provider: "openai", model };
  const messages = new ChatMessages(self, chatQuirks(model, "openrouter"));
  const form = firstChatForm({ model, server: "openrouter" });
  const conversation = eventfulConversation();
  const sent = [5, 8, conversation.length].map((end) => {
    const request = requestOf("", { messages: conversation.slice(0, end) });
    return messages.ofRequest(request, form).map((message) => JSON.stringify(message));
  });
  const marked = sent.map((list) =>
    list.flatMap((text, index) => (text.includes("cache_control") ? [index] : [])),
  );
  expect(marked).toEqual([
    [0, 1, 6],
    [0, 6, 9],
    [0, 15, 17],
  ]);
  const bare = sent.map((list) =>
    list.map((text) => text.replaceAll(',"cache_control":{"type":"ephemeral"}', "")),
  );
  for (const shorter of bare) expect(bare.at(-1)?.slice(0, shorter.length)).toEqual(shorter);
});

describe("tools that come during a conversation with DeepSeek", () => {
  const tool = (name: string): ToolDefinition => {
    return { name, description: `It is ${name}.`, parameters: { type: "object", properties: {} } };
  };
  const later = tool("tracker__read");
  const opening = { ...requestOf(""), tools: [tool("find")] };
  const added: Message = { role: "system", text: "There is a new skill.", add: [later] };
  const throughOne = (text: string) =>
    wireCall("c1", { function: { name: "call_added_tool", arguments: text } });

  it("the list of tools stays the same, and the message that adds one describes it", async () => {
    const { model, server } = await modelAnswering("deepseek-v4-pro", undefined, false, "deepseek");
    await finish(model, { ...opening, messages: [go] });
    await finish(model, { ...opening, messages: [go, added, go] });
    expect(server.bodies[1]?.tools).toEqual(server.bodies[0]?.tools);
    const said = messagesOf(server.bodies[1]).map(({ content }) => content);
    expect(said.join("\n")).toMatch(/There is a new skill\./);
    expect(said.join("\n")).toContain(JSON.stringify(later));
  });

  it.each([
    ["through the one tool", '{"name":"tracker__read","arguments":{"id":7}}', '{"id":7}'],
    ["with its arguments as text", '{"name":"tracker__read","arguments":"{\\"id\\":7}"}', '{"id":7}'],
    ["without arguments", '{"name":"tracker__read"}', "{}"],
  ])("a call %s is one of the tool itself, and goes back as it was made", async (_, made, meant) => {
    const answer = (wire: ServerResponse) => sendJson(wire, completion({ tool_calls: [throughOne(made)] }));
    const { model, server } = await modelAnswering("deepseek-v4-pro", answer, false, "deepseek");
    const { message } = await finish(model, { ...opening, messages: [go, added, go] });
    expect(message.tool_calls).toMatchObject([{ id: "c1", name: "tracker__read", arguments: meant }]);
    await finish(model, { ...opening, messages: [go, added, go, message, result("c1", "tracker__read")] });
    const again = callsOf(messagesOf(server.bodies[1]).at(-2));
    const sent = { name: "call_added_tool", arguments: `{"name":"tracker__read","arguments":${meant}}` };
    expect(again).toMatchObject([{ function: sent }]);
  });

  it("a call that is no JSON reaches the tool that it names, which says what is wrong", async () => {
    const broken = '{"name": "tracker__read", "arguments": {"id": 7';
    const answer = (wire: ServerResponse) => sendJson(wire, completion({ tool_calls: [throughOne(broken)] }));
    const { model } = await modelAnswering("deepseek-v4-pro", answer, false, "deepseek");
    const { message } = await finish(model, { ...opening, messages: [go, added, go] });
    expect(message.tool_calls).toMatchObject([{ name: "tracker__read", arguments: broken }]);
  });
});
