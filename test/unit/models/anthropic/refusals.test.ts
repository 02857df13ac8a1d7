import { describe, expect, it } from "vitest";
import { ModelError } from "../../../../src/core/ports/model.ts";
import type { AssistantMessage, Message } from "../../../../src/core/values/message.ts";
import { brief, collect, finish, turnRequest } from "../collect.ts";
import { called, modelAt, result, said, tool, unmarked, useAnthropicServer, user } from "./server.ts";

const server = useAnthropicServer();

const ok = [{ type: "text", text: "ok" }];
const thinking = { type: "thinking", thinking: "", signature: "c2lnbmVk" };
const redacted = { type: "redacted_thinking", data: "ZGF0YQ==" };
const invalid =
  "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

const changed: Message[] = [
  user("Hello"),
  { role: "system", text: "Mail is there.", add: [tool("mail")], effort: "high" },
];

const roles = () => server.bodies().map(({ messages }) => messages.map(({ role }) => role).join(" "));

/** An answer whose blocks say who wrote it, and for which form. */
function written(text: string, blocks: unknown[], changes: object): AssistantMessage {
  const provider_blocks = { provider: "anthropic", model: "claude-sonnet-5-5", form: "inline", blocks };
  return {
    role: "assistant",
    text,
    tool_calls: [],
    provider_blocks: { ...provider_blocks, ...changes },
  } as AssistantMessage;
}

describe("a server that refuses what was expected of it", () => {
  it.each([
    "Unexpected value(s) `inline-tools-2026-09-15` for the `anthropic-beta` header.",
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.',
    "messages.1.role: Input should be 'user' or 'assistant'",
    "messages.1.content.1: Input tag 'tool_addition' found using 'type' does not match any of the expected tags",
    "tools.1.defer_loading: Extra inputs are not permitted",
    "messages.1: role 'system' must precede an 'assistant' message or end the array",
  ])("a server that refuses changes in place is told them as notes from then on: %s", async (text) => {
    const model = await server.model("claude-sonnet-5-5", (_body, count) => (count === 1 ? text : ok));
    const request = turnRequest("", { messages: changed, tools: [tool("search")] });
    expect((await finish(model, request)).message.text).toBe("ok");
    await finish(model, request);
    expect(roles()).toEqual(["user system system", "user", "user"]);
    expect(server.bodies()[1]?.tools?.map(({ name }) => name)).toEqual(["search", "mail"]);
    const display = "thinking-display-updates-2026-08-18";
    expect(server.betas().slice(1)).toEqual([display, display]);
  });

  it("a server that refuses thinking settings is sent fewer of them, the same way from then on", async () => {
    const model = await server.model("claude-sonnet-5-5", (_body, count) => {
      if (count === 1)
        return "Unexpected value(s) `thinking-display-updates-2026-08-18` for the `anthropic-beta` header.";
      return count === 2 ? "thinking.adaptive.display: Extra inputs are not permitted" : ok;
    });
    await finish(model, turnRequest("hello"));
    await finish(model, turnRequest("hello"));
    const adaptive = { type: "adaptive" };
    expect(server.bodies().map(({ thinking }) => thinking)).toEqual([
      { ...adaptive, display: "updates" },
      { ...adaptive, display: "summarized" },
      undefined,
      undefined,
    ]);
  });

  it("a server that refuses effort in the middle gets it at the top, and then not at all", async () => {
    const model = await server.model("claude-sonnet-5-5", (_body, count) => {
      if (count === 1) return "messages.2.output_config: Extra inputs are not permitted";
      return count === 2 ? "output_config.effort: not supported by this model" : ok;
    });
    await finish(model, turnRequest("", { messages: changed, tools: [tool("search")], effort: "low" }));
    expect(roles()).toEqual(["user system system", "user system", "user system"]);
    const configs = server.bodies().map(({ output_config }) => output_config);
    expect(configs).toEqual([{ effort: "low" }, { effort: "high" }, undefined]);
  });

  it("a server that knows no longer cache entries is asked for shorter ones", async () => {
    const text = "system.0.cache_control.ephemeral.ttl: Extra inputs are not permitted";
    const model = await server.model("claude-sonnet-5-5", (_body, count) => (count === 1 ? text : ok));
    const cache = { ...brief, tools: "hour", instructions: "hour" } as const;
    await finish(model, turnRequest("hello", { tools: [tool("search")], cache }));
    expect(server.bodies().map(({ system }) => system?.[0]?.cache_control)).toEqual([
      { type: "ephemeral", ttl: "1h" },
      { type: "ephemeral" },
    ]);
  });

  it("a server that refuses something else is believed", async () => {
    const text = "tools.0.custom.input_schema.properties.role: JSON schema is invalid";
    const model = await server.model("claude-sonnet-5-5", () => text);
    const { error } = await collect(model, turnRequest("hello", { tools: [tool("search")] }));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "invalid_request" });
    // The tool it names is left out; nothing else is changed, and then it is believed.
    expect(server.bodies().map(({ tools = [] }) => tools.length)).toEqual([2, 0]);
  });

  it("a server's refusal settles two requests at once", async () => {
    const model = await server.model("claude-sonnet-5-5", ({ messages }) =>
      messages.some(({ role }) => role === "system") ? 'Unexpected role "system"' : ok,
    );
    const request = turnRequest("", { messages: changed, tools: [tool("search")] });
    const answers = await Promise.all([finish(model, request), finish(model, request)]);
    expect(answers.map(({ message }) => message.text)).toEqual(["ok", "ok"]);
  });
});

describe("thinking", () => {
  it("thinking is left out of a transcript entirely once a server refuses it", async () => {
    const first = written("One", [thinking, { type: "text", text: "One" }], {});
    const second = written("", [redacted, thinking], {});
    const third = written("Three", [thinking, { type: "text", text: "Three" }], {});
    const model = await server.model("claude-sonnet-5-5", (_body, count) => (count === 1 ? invalid : ok));
    const messages = [user("1"), first, user("2"), second, user("3")];
    await finish(model, turnRequest("", { messages }));
    await finish(model, turnRequest("", { messages: [...messages, third, user("4")] }));
    const sent = unmarked(server.bodies()).map((body) =>
      body.messages.filter(({ role }) => role === "assistant").map(({ content }) => content),
    );
    expect(sent).toEqual([
      [
        [thinking, { type: "text", text: "One" }],
        [redacted, thinking],
      ],
      [[{ type: "text", text: "One" }]],
      // Thinking that followed the shortened conversation is bound to that one.
      [[{ type: "text", text: "One" }], [thinking, { type: "text", text: "Three" }]],
    ]);
  });

  it("thinking is not left out a second time for the same refusal", async () => {
    const model = await server.model("claude-sonnet-5-5", () => invalid);
    const messages = [user("1"), written("One", [thinking], {}), user("2")];
    const { error } = await collect(model, turnRequest("", { messages }));
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(server.bodies()).toHaveLength(2);
  });
});

describe("an answer of another model", () => {
  const blocks = [thinking, { type: "text", text: "One" }];
  const plain = [{ type: "text", text: "One" }];

  it.each([
    ["another provider", "claude-sonnet-5-5", { provider: "openai" }, plain],
    ["another form", "claude-sonnet-5-5", { form: "noted" }, plain],
    ["a model of the same provider and form", "claude-opus-5-5", {}, blocks],
  ])("an answer of %s is sent in the allowed form", async (_whose, name, changes, expected) => {
    const model = await server.model(name);
    const messages = [user("1"), written("One", blocks, changes), user("2")];
    await finish(model, turnRequest("", { messages }));
    expect(server.bodies()[0]?.messages[1]?.content).toEqual(expected);
  });

  it("an answer carries the form its request was accepted in", async () => {
    const model = await server.model("claude-sonnet-5-5", ({ messages }, count) => {
      const isInline = messages.some(({ role }) => role === "system");
      return isInline && count > 1 ? 'Unexpected role "system"' : [thinking, ...ok];
    });
    const request = turnRequest("", { messages: changed, tools: [tool("search")] });
    const forms = [await finish(model, request), await finish(model, request)].map(
      ({ message }) => message.provider_blocks,
    );
    expect(forms).toMatchObject([
      { provider: "anthropic", model: "claude-sonnet-5-5", form: "inline" },
      { provider: "anthropic", model: "claude-sonnet-5-5", form: "noted" },
    ]);
  });

  it("an answer with calls keeps them when its blocks are left out", async () => {
    const model = await server.model("claude-sonnet-5-5");
    const call = { ...called("toolu_1"), provider_blocks: { provider: "openai", blocks: [{ id: "rs_1" }] } };
    await finish(model, turnRequest("", { messages: [user("1"), call as Message, result("toolu_1")] }));
    expect(unmarked(server.bodies()[0]?.messages.slice(1))).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "search", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "found" }] },
    ]);
  });
});

it("a foreign server is not asked for what only Claude knows", async () => {
  await server.model("llama");
  const model = await server.model("llama");
  await finish(model, turnRequest("", { messages: [...changed, said("x"), user("y")], effort: "high" }));
  const [body] = server.bodies();
  expect(body).toMatchObject({ model: "llama", max_tokens: 16_000 });
  expect(body?.output_config).toBeUndefined();
  expect(JSON.stringify(body)).not.toContain("ttl");
  expect(modelAt("http://127.0.0.1:1", "x").id).toBe("anthropic/x");
});
