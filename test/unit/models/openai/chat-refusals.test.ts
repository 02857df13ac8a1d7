import { afterEach, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { createAnthropicModel } from "../../../../src/models/anthropic/anthropic.ts";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { startVendors } from "../../../support/vendors/vendors.ts";
import { collect, finish, requestOf, turnRequest } from "../collect.ts";
import { call, result } from "../prefixes.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";
import { completion } from "./chat-wire.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Body = Record<string, unknown>;

/** A model whose server refuses a request for the reason that is found in it. */
async function modelRefusing(why: (body: Body) => string | undefined, options = {}) {
  server = await startWireServer((response, body) => {
    const message = why(body);
    if (message === undefined) sendJson(response, completion({ content: "ok" }));
    else sendJson(response, { error: { message } }, 400);
  });
  const address = { baseUrl: `${server.url}/v1`, timeoutMs: 30_000, streaming: false };
  return { model: createOpenAiModel({ model: "m", ...address, ...options }), bodies: server.bodies };
}

const wireMessages = (body: Body | undefined) => (body?.messages ?? []) as Body[];

it("a server limited to one call at a time gets a round of several split up, and is asked for one", async () => {
  const conversation: Message[] = [
    { role: "user", text: "go" },
    { role: "assistant", text: "I look.", tool_calls: [call("one", "weather"), call("two", "time")] },
    result("one", "weather"),
    result("two", "time"),
  ];
  const { model, bodies } = await modelRefusing((body) => {
    const several = wireMessages(body).some(
      ({ tool_calls }) => Array.isArray(tool_calls) && tool_calls.length > 1,
    );
    return several ? "This model only supports single tool-calls at once!" : undefined;
  });
  const tools = [{ name: "weather", description: "", parameters: { type: "object" } }];
  await finish(model, requestOf("", { messages: conversation, tools }));
  await finish(model, requestOf("", { messages: [...conversation, { role: "user", text: "on" }], tools }));
  expect(bodies).toHaveLength(3);
  const shape = wireMessages(bodies[1]).map(({ role, content, tool_calls, tool_call_id }) => {
    return [
      role,
      content ?? "",
      ((tool_calls ?? []) as Body[]).map(({ id }) => id).join() || (tool_call_id ?? ""),
    ];
  });
  expect(shape.slice(2)).toEqual([
    ["assistant", "I look.", "one"],
    ["tool", expect.any(String), "one"],
    ["assistant", "", "two"],
    ["tool", expect.any(String), "two"],
  ]);
  expect(bodies[1]).toMatchObject({ parallel_tool_calls: false });
  expect(wireMessages(bodies[2]).slice(0, 6)).toEqual(wireMessages(bodies[1]));
});

it("a server that refuses a keyword gets the parameters of tools in plain ones from then on", async () => {
  const { model, bodies } = await modelRefusing((body) =>
    JSON.stringify(body).includes("propertyNames")
      ? `Invalid JSON payload received. Unknown name "propertyNames" at 'tools[0].function_declarations[0].parameters'`
      : undefined,
  );
  const parameters = {
    type: "object",
    properties: { a: { type: "string" } },
    propertyNames: { pattern: "a" },
  };
  const tools = [{ name: "weather", description: "", parameters }];
  await finish(model, requestOf("go", { tools }));
  await finish(model, requestOf("go", { tools }));
  expect(bodies).toHaveLength(3);
  const plain = { type: "object", properties: { a: { type: "string" } } };
  expect(bodies[2]).toMatchObject({ tools: [{ function: { parameters: plain } }] });
});

it.each([
  ["max_tokens", { max_tokens: 50 }],
  ["max_completion_tokens", { max_completion_tokens: 50 }],
  ["none", {}],
] as const)("the output limit is sent in the configured field: %s", async (maxTokensField, sent) => {
  const { model, bodies } = await modelRefusing(() => undefined, { maxTokensField, maxOutputTokens: 50 });
  await finish(model, requestOf("go"));
  const { max_tokens, max_completion_tokens } = bodies[0] ?? {};
  expect(JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens }))).toEqual(sent);
});

it("usage that the server did not count has no cost", async () => {
  const { model } = await modelRefusing(() => undefined, { facts: { price: { input: 1, output: 1 } } });
  expect((await finish(model, requestOf("go"))).usage).toEqual({ input_tokens: 0, output_tokens: 0 });
});

it("notes of Anthropic's models between calls are thoughts", async () => {
  const tools = [{ name: "weather", description: "Tells.", parameters: { type: "object", properties: {} } }];
  const vendors = await startVendors({
    script: () => ({ text: "I look outside.", calls: [{ name: "weather", input: {} }] }),
  });
  const model = createAnthropicModel({
    model: "claude-sonnet-5-5",
    apiKey: "sk-test-0123456789",
    baseUrl: vendors.anthropicUrl,
    timeoutMs: 30_000,
  });
  const { events } = await collect(model, turnRequest("go", { tools }));
  await vendors.stop();
  const thought = events.flatMap((event) => (event.type === "thought" ? [event.text] : [])).join("");
  expect(thought).toBe("I look outside.");
  expect(events.at(-1)).toMatchObject({ message: { text: "", tool_calls: [{ name: "weather" }] } });
});

it.each([
  [400, "registry.ollama.ai/library/tiny:latest does not support tools"],
  [404, "No endpoints found that support tool use. To learn more about provider routing, visit our site."],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [400, "Unsupported parameters: functions"],
  [422, "calling is not enabled for this deployment"],
])(
  "a model that takes no tools answers without them, which is said and remembered: %s %s",
  async (status, message) => {
    server = await startWireServer((response, body) => {
      if (body.tools === undefined) sendJson(response, completion({ content: "ok" }));
      else sendJson(response, { error: { message } }, status);
    });
    const model = createOpenAiModel({
      model: "m",
      baseUrl: `${server.url}/v1`,
      timeoutMs: 30_000,
      streaming: false,
    });
    const tools = [{ name: "weather", description: "", parameters: { type: "object" } }];
    for (const requests of [2, 3]) {
      const { events } = await collect(model, requestOf("go", { tools }));
      expect(events[0]).toMatchObject({ type: "left_out", all: true, tools: [{ name: "weather" }] });
      expect(events.at(-1)).toMatchObject({ type: "finished", message: { text: "ok" } });
      expect(server.bodies).toHaveLength(requests);
    }
  },
);

it("a request that is refused without tools too fails with its first reason, and is tried without them once", async () => {
  const { model, bodies } = await modelRefusing((body) => (body.tools === undefined ? "second" : "first"));
  const tools = [{ name: "weather", description: "", parameters: { type: "object" } }];
  for (const requests of [2, 3]) {
    await expect(finish(model, requestOf("go", { tools }))).rejects.toThrow("first");
    expect(bodies).toHaveLength(requests);
  }
});
