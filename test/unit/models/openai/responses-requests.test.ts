import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { brief, collect, finish, requestOf, shownText } from "../collect.ts";
import { eventfulConversation, openingTools } from "../prefixes.ts";
import { sendEvents, sendJson, startWireServer, type WireServer } from "../wire-server.ts";
import { refusal, response, said, thought, toolCall } from "./responses-wire.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Body = Record<string, unknown>;

/** A model whose server answers "ok", or as told. */
async function modelAnswering(
  model: string,
  answer: (response: ServerResponse, body: Body) => void = (wire) => sendJson(wire, response([said("ok")])),
  changes: { streaming?: boolean; api?: "responses" | "chat" } = {},
) {
  server = await startWireServer(answer);
  const address = { baseUrl: `${server.url}/v1`, timeoutMs: 30_000, streaming: false };
  return { model: createOpenAiModel({ model, ...address, ...changes }), server };
}

describe("requests to the Responses API", () => {
  it("requests to the Responses API are private, and say what is needed and no more (gpt-6)", async () => {
    const { model, server } = await modelAnswering("gpt-6.1-terra");
    await finish(model, requestOf("hello", { cache: { ...brief, key: "channel-1" } }));
    expect(server.bodies[0]).toEqual({
      model: "gpt-6.1-terra",
      store: false,
      instructions: "Be brief.",
      input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto", context: "all_turns" },
      max_output_tokens: 32_000,
      prompt_cache_key: "channel-1",
      stream: false,
    });
  });

  it.each([
    ["gpt-6-astra", "none", "low"],
    ["gpt-6.1-sol", "max", "max"],
    ["gpt-6-luna", "none", "none"],
    ["gpt-5.4", "max", "xhigh"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5-mini", "none", "minimal"],
  ] as const)(
    "requests to the Responses API ask %s for the known effort nearest to %s: %s",
    async (name, effort, sent) => {
      const { model, server } = await modelAnswering(name);
      await finish(model, requestOf("hello", { effort }));
      expect(server.bodies[0]).toMatchObject({ reasoning: { effort: sent } });
    },
  );

  it("requests to the Responses API say a changed effort with the request where it cannot change in the middle", async () => {
    const { model, server } = await modelAnswering("gpt-5-mini");
    await finish(model, requestOf("", { messages: eventfulConversation(), effort: "medium" }));
    expect(server.bodies[0]).toMatchObject({ reasoning: { effort: "low" } });
  });

  it("requests to the Responses API forbid calls and keep the tools", async () => {
    const { model, server } = await modelAnswering("gpt-5-mini", (wire) =>
      sendJson(wire, response([said("Done."), toolCall("call_1", "weather")])),
    );
    const { message } = await finish(model, requestOf("sum up", { tools: openingTools, no_calls: true }));
    expect(server.bodies[0]).toMatchObject({
      tool_choice: "none",
      tools: [{ name: "weather" }, { name: "time" }],
    });
    expect(message).toEqual({ role: "assistant", text: "Done.", tool_calls: [] });
  });

  it.each([
    [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
      true,
    ],
    [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: false }, false],
    [{ type: "object", properties: { a: { type: "object", properties: {} } }, required: ["a"] }, false],
  ])(
    "requests to the Responses API ask for JSON by a schema, strictly where it allows that: %o %s",
    async (output_schema, strict) => {
      const { model, server } = await modelAnswering("gpt-5-mini", (wire) =>
        sendJson(wire, response([said('{"a":"b"}')])),
      );
      const { message } = await finish(model, requestOf("which?", { output_schema }));
      expect(message.text).toBe('{"a":"b"}');
      expect(server.bodies[0]?.text).toEqual({
        format: { type: "json_schema", name: "answer", schema: output_schema, strict },
      });
    },
  );

  it.each([
    ["Unsupported parameter: 'reasoning.context'", { reasoning: { summary: "auto" } }],
    [
      "Your organization must be verified to generate reasoning summaries",
      { reasoning: { context: "all_turns" } },
    ],
    ["Unsupported parameter: 'prompt_cache_key'", { reasoning: { summary: "auto", context: "all_turns" } }],
  ])("requests to the Responses API leave out what is refused, from then on: %s", async (text, lesser) => {
    let refusals = 0;
    const { model, server } = await modelAnswering("gpt-5.6", (wire) => {
      refusals += 1;
      if (refusals === 1) sendJson(wire, refusal(text), 400);
      else sendJson(wire, response([said("ok")]));
    });
    await finish(model, requestOf("hello", { cache: brief }));
    await finish(model, requestOf("hello", { cache: brief }));
    expect(server.bodies).toHaveLength(3);
    expect(server.bodies[2]?.reasoning).toEqual(lesser.reasoning);
    expect("prompt_cache_key" in (server.bodies[2] ?? {})).toBe(!text.includes("cache_key"));
  });
});

describe("answers of the Responses API", () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 20,
    input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
  };
  const last = (type: string, changes: Body = {}) => ({
    type,
    response: response([], { usage, ...changes }),
  });
  const streaming = async (events: readonly Body[]) =>
    (await modelAnswering("gpt-6.1-terra", (wire) => sendEvents(wire, events), { streaming: true })).model;
  const delta = (text: string, output_index: number) => ({
    type: "response.output_text.delta",
    output_index,
    delta: text,
  });
  const done = (item: object, output_index: number) => ({
    type: "response.output_item.done",
    output_index,
    item,
  });

  it("answers of the Responses API are put together from a stream, reasoning from the completed items", async () => {
    const items = [thought("rs_1"), said("Hm."), said("It is sunny."), toolCall("call_1", "weather")];
    const model = await streaming([
      { type: "response.created", response: response([], { status: "in_progress" }) },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { ...thought("rs_1"), encrypted_content: "?" },
      },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Thinking." },
      ...[delta("H", 1), delta("m.", 1), delta("It is ", 2), delta("sunny.", 2)],
      ...items.map(done),
      last("response.completed"),
    ]);
    const { events } = await collect(model, requestOf("go"));
    expect(shownText(events)).toBe("Hm.\n\nIt is sunny.");
    expect(events.at(-1)).toMatchObject({
      message: { text: "Hm.\n\nIt is sunny.", provider_blocks: { blocks: items } },
      usage: { input_tokens: 100, output_tokens: 20, cached_tokens: 60, cache_write_tokens: 30 },
    });
  });

  it("answers of the Responses API take reasoning that is encrypted only in the whole response at the end", async () => {
    const { encrypted_content: _, ...open } = thought("rs_1");
    const items = [thought("rs_1"), said("ok")];
    const model = await streaming([
      ...[open, said("ok")].map(done),
      { type: "response.completed", response: response(items) },
    ]);
    expect((await finish(model, requestOf("go"))).message.provider_blocks?.blocks).toEqual(items);
  });

  it("answers of the Responses API that end halfway are unavailable, so that they are requested again", async () => {
    const { events, error } = await collect(await streaming([delta("Half an", 0)]), requestOf("go"));
    expect(events).toEqual([{ type: "text", text: "Half an" }]);
    expect(error).toMatchObject({ code: "unavailable" });
  });

  it.each([
    ["rate_limit_exceeded", "rate_limited"],
    ["server_error", "unavailable"],
    ["invalid_prompt", "invalid_request"],
    ["context_length_exceeded", "context_too_long"],
  ])("answers of the Responses API that fail with %s are %s, streamed or not", async (code, expected) => {
    const failed = { status: "failed", error: { code, message: "no" } };
    const streamed = await collect(await streaming([last("response.failed", failed)]), requestOf("go"));
    expect(streamed.error).toMatchObject({ code: expected });
    await server?.stop();
    const { model } = await modelAnswering("gpt-6-luna", (wire) => sendJson(wire, response([], failed)));
    expect((await collect(model, requestOf("go"))).error).toMatchObject({ code: expected });
  });

  it.each([
    ["max_output_tokens", "cut_off", "Raise the limit"],
    ["content_filter", "declined", "declined"],
  ])(
    "answers of the Responses API that are incomplete for %s before the first word say so",
    async (reason, code, told) => {
      const incomplete = { status: "incomplete", incomplete_details: { reason } };
      const model = await streaming([last("response.incomplete", incomplete)]);
      const { error } = await collect(model, requestOf("go"));
      expect(error).toMatchObject({ code });
      expect(String(error)).toContain(told);
    },
  );

  it("answers of the Responses API give a refusal as their text", async () => {
    const refused = { ...said(""), content: [{ type: "refusal", refusal: "I cannot." }] };
    const model = await streaming([
      { type: "response.refusal.delta", output_index: 0, delta: "I cannot." },
      done(refused, 0),
      last("response.completed"),
    ]);
    expect((await finish(model, requestOf("go"))).message.text).toBe("I cannot.");
  });

  it("answers of the Responses API with unexpected JSON are a bad response, and without JSON an outage", async () => {
    const wrong = (wire: ServerResponse) => sendJson(wire, { detail: "hello" });
    const page = (wire: ServerResponse) => wire.end("upstream connect error");
    for (const [answer, streaming, code] of [
      [wrong, true, "bad_response"],
      [wrong, false, "bad_response"],
      [page, true, "unavailable"],
      [page, false, "unavailable"],
    ] as const) {
      const { model, server } = await modelAnswering("gpt-6-luna", answer, { streaming });
      expect((await collect(model, requestOf("go"))).error).toMatchObject({ code });
      await server.stop();
    }
  });
});
