import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { createAnthropicModel } from "../../../../src/models/anthropic/anthropic.ts";
import { notesExplained } from "../../../../src/models/system-note.ts";
import { collect, finish, turnRequest } from "../collect.ts";
import { sendEvents, sendJson, startWireServer, type WireServer } from "../wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function modelAnswering(answer: Parameters<typeof startWireServer>[0], streaming = false) {
  server = await startWireServer(answer);
  return createAnthropicModel({
    model: "m",
    baseUrl: `${server.url}/v1/`,
    timeoutMs: 30_000,
    streaming,
    facts: { price },
  });
}

const price = { input: 10, output: 20, cached_input: 1, cache_write: 12.5 };
const reply = (content: unknown[], usage = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: "end_turn",
  usage: { input_tokens: 5, output_tokens: 2, ...usage },
});
const ok = reply([{ type: "text", text: "ok" }]);
const mark = { cache_control: { type: "ephemeral" } };
const thinking = { type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" };
const toolUse = { type: "tool_use", id: "toolu_1", name: "a", input: { x: 1 } };

describe("requests to Anthropic", () => {
  it("requests to Anthropic mark system, last tool and the end of the conversation for the cache", async () => {
    const model = await modelAnswering((response) => sendJson(response, ok));
    const tools = ["a", "b"].map((name) => ({ name, description: name, parameters: { type: "object" } }));
    const request = turnRequest("hello", { tools });
    await finish(model, request);
    await finish(model, request);
    expect(server?.bodies[1]).toEqual(server?.bodies[0]);
    expect(server?.bodies[0]).toMatchObject({
      // An unknown model is told of changes in notes, so it is told what notes are.
      system: [{ type: "text", text: `Be brief.\n\n${notesExplained}`, ...mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "hello", ...mark }] }],
    });
    expect(server?.bodies[0]?.tools).toEqual([
      { name: "a", description: "a", input_schema: { type: "object" } },
      { name: "b", description: "b", input_schema: { type: "object" }, ...mark },
    ]);
  });

  it("requests to Anthropic put tool results and what a person said after them into one user message", async () => {
    const model = await modelAnswering((response) => sendJson(response, ok));
    const messages: Message[] = [
      { role: "user", text: " " },
      {
        role: "assistant",
        text: "Looking. \n",
        tool_calls: [
          { id: "toolu_1", name: "a", arguments: '{"x":1}' },
          { id: "functions.b:1", name: "b", arguments: "not json" },
        ],
        provider_blocks: { provider: "openai", model: "m", blocks: [{ type: "reasoning" }] },
      },
      { role: "tool", call_id: "toolu_1", tool: "a", text: "", is_error: false },
      { role: "tool", call_id: "functions.b:1", tool: "b", text: "broken", is_error: true },
      { role: "user", text: "hurry" },
    ];
    await finish(model, turnRequest("", { messages }));
    expect(server?.bodies[0]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "(empty message)", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          toolUse,
          { type: "tool_use", id: "functions_b_1", name: "b", input: { invalid_arguments: "not json" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1" },
          { type: "tool_result", tool_use_id: "functions_b_1", content: "broken", is_error: true },
          { type: "text", text: "hurry", ...mark },
        ],
      },
    ]);
  });

  it("requests to Anthropic begin with a user message even when the history does not", async () => {
    const model = await modelAnswering((response) => sendJson(response, ok));
    const messages: Message[] = [
      { role: "assistant", text: "As I said.", tool_calls: [] },
      { role: "user", text: "And?" },
    ];
    await finish(model, turnRequest("", { messages }));
    const sent = server?.bodies[0]?.messages as { role: string }[];
    expect(sent.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  });

  it("requests to Anthropic send signed reasoning back unchanged, streamed or not", async () => {
    const events = [
      { type: "message_start", message: { ...reply([]), stop_reason: null } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "thinking", thinking: "", signature: "" },
      },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me " } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "see." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { ...toolUse, input: {} } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"x"' } },
      { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: ":1}" } },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ];
    for (const streaming of [true, false]) {
      const model = await modelAnswering((response, body) => {
        if (body.stream === true) sendEvents(response, events);
        else sendJson(response, reply([thinking, toolUse]));
      }, streaming);
      const request = turnRequest("go");
      const { message, usage } = await finish(model, request);
      expect(usage).toMatchObject({ input_tokens: 5, output_tokens: streaming ? 9 : 2 });
      expect(message).toEqual({
        role: "assistant",
        text: "",
        tool_calls: [{ id: "toolu_1", name: "a", arguments: '{"x":1}' }],
        provider_blocks: { provider: "anthropic", model: "m", form: "noted", blocks: [thinking, toolUse] },
      });
      const result = { role: "tool", call_id: "toolu_1", tool: "a", text: "1", is_error: false } as const;
      await finish(model, { ...request, messages: [...request.messages, message, result] });
      const sent = server?.bodies[1]?.messages as unknown[];
      expect(sent[1]).toEqual({ role: "assistant", content: [thinking, toolUse] });
      await server?.stop();
      server = undefined;
    }
  });
});

describe("answers of Anthropic", () => {
  it("answers of Anthropic count cached tokens as input, at their own price", async () => {
    const usage = { cache_read_input_tokens: 1000, cache_creation_input_tokens: 100 };
    const model = await modelAnswering((response) =>
      sendJson(response, reply([{ type: "text", text: "ok" }], usage)),
    );
    const event = await finish(model, turnRequest("hello"));
    expect(event.usage.input_tokens).toBe(1105);
    expect(event.usage.cost_usd).toBeCloseTo((5 * 10 + 1000 * 1 + 100 * 12.5 + 2 * 20) / 1e6, 12);
  });

  it("answers of Anthropic that end halfway without an error are unavailable", async () => {
    const start = { type: "message_start", message: reply([]) };
    const model = await modelAnswering((response) => sendEvents(response, [start]), true);
    expect((await collect(model, turnRequest("hello"))).error).toMatchObject({ code: "unavailable" });
  });

  it("answers of Anthropic that turn into an overload are overloaded", async () => {
    const failure = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const model = await modelAnswering((response) => sendEvents(response, [failure]), true);
    expect((await collect(model, turnRequest("hello"))).error).toMatchObject({ code: "overloaded" });
  });

  it("a refusal of Anthropic that has no code of its own is read by no wording", async () => {
    const error = {
      type: "invalid_request_error",
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    };
    const model = await modelAnswering((response) => sendJson(response, { type: "error", error }, 400));
    expect((await collect(model, turnRequest("hello"))).error).toMatchObject({ code: "invalid_request" });
  });

  it("answers of Anthropic need a key at Anthropic's own address", async () => {
    const model = createAnthropicModel({ model: "m", timeoutMs: 1000 });
    const { error } = await collect(model, turnRequest("hello"));
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("ANTHROPIC_API_KEY");
  });
});
