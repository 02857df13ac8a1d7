import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { brief, collect, finish, requestOf, turnRequest } from "../collect.ts";
import {
  called,
  message,
  result,
  type SentBody,
  said,
  tool,
  unmarked,
  useAnthropicServer,
  user,
} from "./server.ts";

const server = useAnthropicServer();

const short = { type: "ephemeral" };
const hour = { type: "ephemeral", ttl: "1h" };

/** Where the marks of a request are, in the order in which the server reads them. */
function marks({ tools = [], system = [], messages }: SentBody) {
  const blocks = [
    ...tools.map((block, index) => [`tools.${index}`, block] as const),
    ...system.map((block, index) => [`system.${index}`, block] as const),
    ...messages.flatMap(({ content }, at) =>
      content.map((block, index) => [`messages.${at}.${index}`, block] as const),
    ),
  ];
  return blocks.flatMap(([where, { cache_control: mark }]) => (mark === undefined ? [] : [[where, mark]]));
}

const twentyFive = Array.from({ length: 25 }, (_, index) => `toolu_${index}`);

const round: Message[] = [user("Search"), called(...twentyFive), ...twentyFive.map((id) => result(id))];

describe("marks for the cache", () => {
  it("cache marks are at the opening, where the previous request ended and at the end", async () => {
    const model = await server.model("claude-sonnet-5-5");
    const tools = [tool("search"), tool("mail")];
    const messages: Message[] = [...round, { role: "system", text: "Bob joined." }];
    const next = [...messages, said("Found."), user("Thanks")];
    await finish(model, turnRequest("", { messages: round.slice(0, 1), tools }));
    await finish(model, turnRequest("", { messages, tools }));
    await finish(model, turnRequest("", { messages: next, tools }));
    const opening = [
      ["tools.1", short],
      ["system.0", short],
    ];
    expect(server.bodies().map(marks)).toEqual([
      [...opening, ["messages.0.0", short]],
      [...opening, ["messages.0.0", short], ["messages.3.0", short]],
      [...opening, ["messages.3.0", short], ["messages.5.0", short]],
    ]);
  });

  it("cache marks find the previous request behind a round of more calls than a mark looks back", async () => {
    const model = await server.model("claude-sonnet-5");
    await finish(model, turnRequest("", { messages: round.slice(0, 1) }));
    await finish(model, turnRequest("", { messages: round }));
    const [first, second] = server.bodies();
    expect(second?.messages[2]?.content).toHaveLength(25);
    const [previous, end] = second === undefined ? [] : marks(second).slice(-2);
    expect(first === undefined ? [] : marks(first).at(-1)).toEqual(previous);
    expect(end).toEqual(["messages.2.24", short]);
  });

  it("cache marks skip a message that only changes the effort", async () => {
    const model = await server.model("claude-sonnet-5-5");
    const messages: Message[] = [user("Search"), { role: "system", text: "", effort: "low" }];
    await finish(model, turnRequest("", { messages }));
    const [body] = server.bodies();
    expect(body?.messages[1]).toEqual({ role: "system", content: [], output_config: { effort: "low" } });
    expect(body === undefined ? [] : marks(body).at(-1)).toEqual(["messages.0.0", short]);
  });

  it("cache marks change nothing but themselves", async () => {
    const model = await server.model("claude-sonnet-5-5");
    const request = turnRequest("", { messages: round, tools: [tool("search")] });
    await finish(model, request);
    await finish(model, { ...request, messages: [...round, said("Found."), user("Thanks")] });
    await finish(model, request);
    const [first, second, again] = server.bodies();
    expect(again).toEqual(first);
    expect(unmarked(second?.messages.slice(0, 3))).toEqual(unmarked(first?.messages));
  });

  it.each([
    { tools: "short", instructions: "short" },
    { tools: "hour", instructions: "short" },
    { tools: "hour", instructions: "hour" },
  ] as const)("cache marks have the lifetime of their part: $tools, $instructions", async (lifetimes) => {
    const model = await server.model("claude-sonnet-5-5");
    const cache = { ...brief, ...lifetimes };
    await finish(model, turnRequest("hello", { tools: [tool("search")], cache }));
    const [body] = server.bodies();
    expect(body === undefined ? [] : marks(body)).toEqual([
      ["tools.0", lifetimes.tools === "hour" ? hour : short],
      ["system.0", lifetimes.instructions === "hour" ? hour : short],
      ["messages.0.0", short],
    ]);
  });

  it("cache marks of a request that only keeps are at the end of the last answer, for an hour", async () => {
    const model = await server.model("claude-sonnet-5-5", ({ max_tokens }) => (max_tokens === 0 ? [] : "no"));
    const messages = round.slice(0, 3);
    const cache = { ...brief, tools: "hour", instructions: "hour" } as const;
    const { message: answer } = await finish(model, turnRequest("", { messages, cache, keep_only: true }));
    expect(answer).toMatchObject({ text: "", tool_calls: [] });
    const [body] = server.bodies();
    expect(body === undefined ? [] : marks(body)).toEqual([
      ["system.0", hour],
      ["messages.0.0", hour],
      ["messages.1.24", hour],
    ]);
  });

  it("a server that refuses to keep is not asked again, and is sent other requests as before", async () => {
    const text = "thinking: max_tokens must be at least 1 for ttl and inline-tools";
    const model = await server.model("claude-sonnet-5-5", ({ max_tokens }) =>
      max_tokens === 0 ? text : [{ type: "text", text: "ok" }],
    );
    const request = turnRequest("", { messages: round, tools: [tool("search")] });
    await finish(model, request);
    for (const _ of [1, 2]) {
      const { error } = await collect(model, { ...request, keep_only: true });
      expect(error).toMatchObject({ code: "invalid_request" });
    }
    await finish(model, request);
    const [first, , last, ...more] = server.bodies();
    expect(more).toEqual([]);
    expect(last).toEqual(first);
  });

  it("cache marks are missing in a request that is sent once, and so are notes of its work", async () => {
    const model = await server.model("claude-sonnet-5-5");
    await finish(model, requestOf("Summarize this.", { tools: [tool("search")] }));
    const [body] = server.bodies();
    expect(body === undefined ? [] : marks(body)).toEqual([]);
    expect(body?.thinking).toBeUndefined();
    expect(server.betas()[0]).not.toContain("thinking-display");
  });
});

it("cache tokens written for an hour cost twice the input", async () => {
  const usage = {
    input_tokens: 1,
    output_tokens: 0,
    cache_read_input_tokens: 10,
    cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_1h_input_tokens: 200, ephemeral_5m_input_tokens: 100 },
  };
  const price = { input: 10, output: 0, cached_input: 1, cache_write: 12.5 };
  const content = [{ type: "text", text: "ok" }];
  const model = await server.model("m", () => message({ content, usage }), { facts: { price } });
  const event = await finish(model, turnRequest("hello"));
  expect(event.usage.input_tokens).toBe(311);
  expect(event.usage.cost_usd).toBeCloseTo((1 * 10 + 10 * 1 + 100 * 12.5 + 200 * 20) / 1e6, 12);
});
