import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { collect, finish, requestOf } from "../collect.ts";
import { chunk, sendEvents, sendJson, startWireServer, type WireServer } from "../wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** A model whose server answers as told. */
async function modelAnswering(
  answer: (response: ServerResponse, body: Record<string, unknown>) => void,
  changes: { streaming?: boolean; apiKey?: string; maxOutputTokens?: number } = {},
) {
  server = await startWireServer(answer);
  return createOpenAiModel({ model: "m", baseUrl: `${server.url}/v1`, timeoutMs: 30_000, ...changes });
}

const called = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text: string,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: text },
});

const whole = (message: Record<string, unknown>, finish_reason = "stop") => ({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
});

describe("tool calls of compatible servers", () => {
  const streams: [string, Record<string, unknown>[]][] = [
    [
      "in pieces, interleaved by index",
      [
        chunk({ tool_calls: [called(0, "one", "a", "")] }),
        chunk({ tool_calls: [called(1, "two", "b", '{"y"')] }),
        chunk({ tool_calls: [called(0, undefined, undefined, '{"x":1}')] }),
        chunk({ tool_calls: [called(1, undefined, undefined, ":2}")] }),
      ],
    ],
    [
      "with the id repeated in every piece",
      [
        chunk({ tool_calls: [called(0, "one", "a", '{"x"')] }),
        chunk({ tool_calls: [called(0, "one", "a", ":1}")] }),
        chunk({ tool_calls: [called(1, "two", "b", '{"y":2}')] }),
      ],
    ],
    [
      "all at index 0",
      [
        chunk({ tool_calls: [called(0, "one", "a", '{"x":1}')] }),
        chunk({ tool_calls: [called(0, "two", "b", '{"y":2}')] }),
      ],
    ],
    [
      "without index",
      [
        chunk({ tool_calls: [called(undefined, "one", "a", '{"x":')] }),
        chunk({ tool_calls: [called(undefined, undefined, undefined, "1}")] }),
        chunk({ tool_calls: [called(undefined, "two", "b", '{"y":2}')] }),
      ],
    ],
    [
      "without index and ids",
      [
        chunk({
          tool_calls: [
            called(undefined, undefined, "a", '{"x":1}'),
            called(undefined, undefined, "b", '{"y":2}'),
          ],
        }),
      ],
    ],
  ];
  it("tool calls of compatible servers may have their name in pieces", async () => {
    const pieces = [called(0, "one", "get_", ""), called(0, undefined, "weather", "{}")];
    const model = await modelAnswering((response) =>
      sendEvents(response, [...pieces.map((call) => chunk({ tool_calls: [call] })), chunk({}, "tool_calls")]),
    );
    const { message } = await finish(model, requestOf("go"));
    expect(message.tool_calls.map(({ name }) => name)).toEqual(["get_weather"]);
  });

  it.each(streams)("tool calls of compatible servers are read %s", async (_how, chunks) => {
    const model = await modelAnswering((response) =>
      sendEvents(response, [...chunks, chunk({}, "tool_calls")]),
    );
    const { message } = await finish(model, requestOf("go"));
    expect(message.tool_calls.map((call) => [call.name, call.arguments])).toEqual([
      ["a", '{"x":1}'],
      ["b", '{"y":2}'],
    ]);
    const ids = message.tool_calls.map((call) => call.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 0 && id.length <= 40)).toBe(true);
  });

  it("tool calls get a new id when the server reuses one of an earlier round", async () => {
    const model = await modelAnswering(
      (response) => sendJson(response, whole({ tool_calls: [called(0, "call_0", "a", "")] }, "tool_calls")),
      { streaming: false },
    );
    const earlier: Message[] = [
      { role: "user", text: "go" },
      { role: "assistant", text: "", tool_calls: [{ id: "call_0", name: "a", arguments: "{}" }] },
      { role: "tool", call_id: "call_0", tool: "a", text: "done", is_error: false },
    ];
    const { message } = await finish(model, requestOf("", { messages: earlier }));
    expect(message.tool_calls).toHaveLength(1);
    expect(message.tool_calls[0]).toMatchObject({ name: "a", arguments: "{}" });
    expect(message.tool_calls[0]?.id).not.toBe("call_0");
  });

  it("tool calls are accepted with arguments that are an object instead of text", async () => {
    const call = { id: "one", type: "function", function: { name: "a", arguments: { x: 1 } } };
    const model = await modelAnswering((r) => sendJson(r, whole({ tool_calls: [call] })), {
      streaming: false,
    });
    const { message } = await finish(model, requestOf("go"));
    expect(message.tool_calls).toEqual([{ id: "one", name: "a", arguments: '{"x":1}' }]);
  });
});

describe("answers that are none", () => {
  it("empty choices are a bad response", async () => {
    const model = await modelAnswering((r) => sendJson(r, { id: "c", choices: [] }), { streaming: false });
    expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code: "bad_response" });
  });

  it.each([
    ["length", "length"],
    ["content_filter", "declined"],
  ])("an answer that ends with %s says that it is cut", async (reason, cut) => {
    const model = await modelAnswering((r) =>
      sendEvents(r, [chunk({ content: "Half an" }), chunk({}, reason)]),
    );
    const { events } = await collect(model, requestOf("hello"));
    expect(events.at(-1)).toMatchObject({ type: "finished", cut, message: { text: "Half an" } });
  });

  it("a whole answer in place of a stream is an answer", async () => {
    const model = await modelAnswering((r) => sendJson(r, whole({ content: "ok" })), { streaming: true });
    expect((await finish(model, requestOf("hello"))).message.text).toBe("ok");
  });

  it("a stream that ends without a finish reason is unavailable, so that it is asked again", async () => {
    const model = await modelAnswering((response) => sendEvents(response, [chunk({ content: "Half an" })]));
    const { events, error } = await collect(model, requestOf("hello"));
    expect(events).toEqual([{ type: "text", text: "Half an" }]);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it("an error inside a stream has the code the server gave", async () => {
    const failure = { error: { message: "too many", code: "rate_limit_exceeded" } };
    const model = await modelAnswering((response) =>
      sendEvents(response, [chunk({ content: "Hi" }), failure]),
    );
    expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code: "rate_limited" });
  });

  it("an output limit reached before the first word says so", async () => {
    const model = await modelAnswering((response) => sendEvents(response, [chunk({}, "length")]));
    const { events, error } = await collect(model, requestOf("hello"));
    expect(events.at(-1)).toMatchObject({ type: "spent" });
    expect(error).toMatchObject({ code: "cut_off" });
    expect(String(error)).toContain("Raise the limit");
  });

  it.each([
    [400, { code: "context_length_exceeded" }, "context_too_long"],
    [400, { type: "exceed_context_size_error" }, "context_too_long"],
    [400, { message: "This model's maximum context length is 8192 tokens" }, "invalid_request"],
    [400, { code: "content_filter" }, "declined"],
    [400, { message: "bad temperature" }, "invalid_request"],
    [402, { message: "no credit" }, "unauthorized"],
    [403, { message: "forbidden" }, "unauthorized"],
    [404, { code: "model_not_found" }, "not_configured"],
    [429, { code: "insufficient_quota" }, "unauthorized"],
    [429, { code: "rate_limit_exceeded" }, "rate_limited"],
  ])("an error answer HTTP %i with %o is %s", async (status, error, code) => {
    const model = await modelAnswering((response) => sendJson(response, { error }, status));
    expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code });
  });
});

describe("requests", () => {
  const answer = (response: ServerResponse) => sendJson(response, whole({ content: "ok" }));

  it("requests need no key for another server, but one for OpenAI's own", async () => {
    const model = await modelAnswering(answer, { streaming: false });
    expect((await finish(model, requestOf("hello"))).message.text).toBe("ok");
    const openAi = createOpenAiModel({ model: "m", timeoutMs: 1000 });
    const { error } = await collect(openAi, requestOf("hello"));
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("OPENAI_API_KEY");
  });

  it("requests carry only parameters that compatible servers know", async () => {
    const model = await modelAnswering(answer, { streaming: false, maxOutputTokens: 100 });
    await finish(model, requestOf("hello"));
    expect(server?.bodies[0]).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hello" },
      ],
      max_tokens: 100,
      stream: false,
    });
  });

  it("requests repair names, ids and arguments of past calls that a server would refuse", async () => {
    const model = await modelAnswering(answer, { streaming: false });
    const id = "functions.search:0";
    const messages: Message[] = [
      { role: "user", text: "go" },
      {
        role: "assistant",
        text: "",
        tool_calls: [{ id, name: "functions.search", arguments: '{"q": ' }],
        provider_blocks: { provider: "anthropic", model: "m", blocks: [{ type: "thinking" }] },
      },
      { role: "tool", call_id: id, tool: "functions.search", text: "no such tool", is_error: true },
    ];
    await finish(model, requestOf("", { messages }));
    expect(server?.bodies[0]?.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "functions_search_0",
            type: "function",
            function: { name: "functions_search", arguments: '{"invalid_arguments":"{\\"q\\": "}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "functions_search_0", content: "no such tool" },
    ]);
  });
});

describe("structured output", () => {
  const output_schema = { type: "array", items: { type: "string" } };

  it("structured output is requested in words when the server refuses the schema, only once per schema", async () => {
    const model = await modelAnswering(
      (response, body) =>
        body.response_format === undefined
          ? sendJson(response, whole({ content: 'Sure:\n```json\n["a"]\n```' }))
          : sendJson(response, { error: { message: "response_format is not supported" } }, 400),
      { streaming: false },
    );
    for (const expected of [2, 3]) {
      const { message } = await finish(model, requestOf("list", { output_schema }));
      expect(message.text).toBe('["a"]');
      expect(server?.bodies).toHaveLength(expected);
    }
    expect(JSON.stringify(server?.bodies.at(-1)?.messages)).toContain("JSON Schema");
  });

  it("structured output wraps a schema that is not an object, and unwraps the answer", async () => {
    const model = await modelAnswering((r) => sendJson(r, whole({ content: '{"value":["a"]}' })), {
      streaming: false,
    });
    const { message } = await finish(model, requestOf("list", { output_schema }));
    expect(message.text).toBe('["a"]');
    expect(server?.bodies[0]).toMatchObject({
      response_format: { json_schema: { schema: { type: "object", required: ["value"] } } },
    });
  });

  it("structured output is a bad response when the model keeps answering in words", async () => {
    const model = await modelAnswering((r) => sendJson(r, whole({ content: "I cannot." })), {
      streaming: false,
    });
    const { error } = await collect(model, requestOf("list", { output_schema }));
    expect(error).toMatchObject({ code: "bad_response" });
  });
});
