import { describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { collect, finish, requestOf } from "../collect.ts";
import { message, tool, unmarked, useAnthropicServer, user } from "./server.ts";

const server = useAnthropicServer();

const text = (words: string) => ({ type: "text", text: words, citations: null });
const thinking = (words: string) => ({ type: "thinking", thinking: words, signature: `s${words}` });
const call = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "search", input });

describe("blocks of an answer", () => {
  it.each<[string, unknown[]]>([
    ["empty thinking between calls", [thinking(""), call("a"), thinking("x"), call("b"), thinking("")]],
    ["several texts", [text("One "), text("Two"), call("a")]],
    ["white space at the end", [text("One\n")]],
    ["a text after a call", [call("a"), text("One")]],
    ["further fields", [{ ...call("a"), caller: { type: "direct" } }]],
    ["redacted thinking", [{ type: "redacted_thinking", data: "eA==" }, text("One")]],
  ])("blocks of an answer are returned unchanged: %s", async (_what, content) => {
    const model = await server.model("claude-sonnet-5-5", () => content);
    const request = requestOf("go", { tools: [tool("search")] });
    const { message: answer } = await finish(model, request);
    await finish(model, { ...request, messages: [...request.messages, answer, user("on")] });
    expect(server.bodies()[1]?.messages[1]).toEqual({ role: "assistant", content });
  });

  it("blocks of an answer are not kept when the text and the calls say everything", async () => {
    const model = await server.model("claude-sonnet-5-5", () => [text("One"), call("a", { x: 1 })]);
    const { message: answer } = await finish(model, requestOf("go"));
    expect(answer.provider_blocks).toBeUndefined();
  });

  it("blocks of an answer leave out what the API does not take back", async () => {
    const content = [
      text(""),
      thinking("x"),
      text(" \n"),
      text("One"),
      { ...thinking("cut"), signature: "" },
    ];
    const model = await server.model("m", () => message({ content, stop_reason: "max_tokens" }));
    const { message: answer } = await finish(model, requestOf("go"));
    expect(answer.provider_blocks?.blocks).toEqual([thinking("x"), text("One")]);
  });

  it("blocks of an answer have ids that fit those of the results", async () => {
    const content = [thinking("x"), call("functions.search:1"), call("functions.search:1")];
    const model = await server.model("llama", () => content);
    const request = requestOf("go", { tools: [tool("search")] });
    const { message: answer } = await finish(model, request);
    const results = answer.tool_calls.map(({ id }): Message => {
      return { role: "tool", call_id: id, tool: "search", text: "1", is_error: false };
    });
    await finish(model, { ...request, messages: [...request.messages, answer, ...results] });
    const [, asked, given] = server.bodies()[1]?.messages ?? [];
    const ids = asked?.content.slice(1).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(given?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  });
});

describe("the end of an answer", () => {
  it("a refused answer keeps the text and drops the calls", async () => {
    const content = [thinking("x"), text("I started."), call("a")];
    const model = await server.model("m", () => message({ content, stop_reason: "refusal" }));
    const { message: answer } = await finish(model, requestOf("go"));
    expect(answer).toEqual({ role: "assistant", text: "I started.", tool_calls: [] });
  });

  it.each([
    ["refusal", "declined", "declined"],
    ["max_tokens", "cut_off", "output tokens"],
    ["model_context_window_exceeded", "context_too_long", "context"],
  ])("an answer ended by %s without text is an error", async (stop_reason, code, words) => {
    const model = await server.model("m", () => message({ content: [thinking("x")], stop_reason }));
    const { events, error } = await collect(model, requestOf("go"));
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain(words);
    // What it cost is told all the same.
    expect(events.at(-1)).toMatchObject({ type: "spent", usage: { output_tokens: expect.any(Number) } });
  });

  it("an answer ended by max_tokens or a full context keeps what was said", async () => {
    for (const stop_reason of ["max_tokens", "model_context_window_exceeded"]) {
      const model = await server.model("m", () => message({ content: [text("Half")], stop_reason }));
      expect((await finish(model, requestOf("go"))).message.text).toBe("Half");
    }
  });
});

describe("results of tools", () => {
  const images = [{ media_type: "image/png" as const, base64: "iVBORw0KGgo=" }];
  const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
  const image = { type: "image", source };

  it("tool results have their pictures inside, and those of a failed one come after all results", async () => {
    const shot = { role: "tool", tool: "shot", is_error: false } as const;
    const calls = ["a", "b", "c"].map((id) => ({ id, name: "shot", arguments: "{}" }));
    const model = await server.model("claude-sonnet-5-5");
    const messages: Message[] = [
      user("go"),
      { role: "assistant", text: "", tool_calls: calls },
      { ...shot, call_id: "a", text: "The page", images },
      { ...shot, call_id: "b", text: "It broke", images, is_error: true },
      { ...shot, call_id: "c", text: "", images },
    ];
    await finish(model, requestOf("", { messages }));
    expect(unmarked(server.bodies()[0]?.messages[2]?.content)).toEqual([
      { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "The page" }, image] },
      { type: "tool_result", tool_use_id: "b", is_error: true, content: "It broke" },
      { type: "tool_result", tool_use_id: "c", content: [image] },
      image,
    ]);
  });
});
