import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/values/message.ts";
import { createOpenAiModel } from "../../../../src/models/openai/openai.ts";
import { collect, finish, requestOf } from "../collect.ts";
import { eventfulConversation, expectStablePrefixes, openingTools } from "../prefixes.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";
import { completion } from "./chat-wire.ts";
import { refusal, response, said } from "./responses-wire.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

type Body = Record<string, unknown>;

const ok = (wire: ServerResponse) => sendJson(wire, completion({ content: "ok" }));

/** A model whose server answers "ok", or as told. */
async function modelAnswering(
  model: string,
  answer: (response: ServerResponse, body: Body) => void = ok,
  changes: { api?: "auto" | "responses" | "chat"; maxOutputTokens?: number; streaming?: boolean } = {},
) {
  server = await startWireServer(answer);
  const address = { baseUrl: `${server.url}/v1`, timeoutMs: 30_000, streaming: false };
  return { model: createOpenAiModel({ model, ...address, ...changes }), server };
}

/** A server that takes a system message at the beginning alone. */
function strictAboutSystem(status: number, text: string) {
  return (wire: ServerResponse, body: Body) => {
    const [, ...others] = body.messages as Body[];
    if (others.some(({ role }) => role === "system")) sendJson(wire, { error: { message: text } }, status);
    else ok(wire);
  };
}

const messagesOf = (body: Body | undefined) => (body?.messages ?? []) as Body[];
const names = (body: Body | undefined) =>
  ((body?.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);

describe("a conversation on the wire of chat completions", () => {
  it.each(["llama", "deepseek-v4-pro", "gemini-3.8-flash", "mistral-large-4"])(
    "a chat completions conversation never changes what was sent (%s)",
    async (name) => {
      const { model, server } = await modelAnswering(name);
      await expectStablePrefixes(model, server, eventfulConversation(), "messages");
    },
  );

  it("a chat completions conversation says changes in place, adding tools and removing none", async () => {
    const { model, server } = await modelAnswering("llama");
    const messages = await expectStablePrefixes(model, server, eventfulConversation(), "messages");
    expect(messages.map(({ role }) => role)).toEqual([
      ...["system", "user", "assistant", "tool", "tool", "user", "system", "assistant", "tool", "user"],
      ...["assistant", "system", "system", "user", "assistant", "tool", "assistant", "user"],
    ]);
    expect(messages[5]).toMatchObject({
      content: [{ type: "image_url" }, { type: "text", text: "(pictures from the results of time)" }],
    });
    expect(names(server.bodies.at(-1))).toEqual(["weather", "time", "maps"]);
  });

  it.each([
    [400, "System message must be at the beginning."],
    [400, "Conversation roles must alternate user/assistant/user/assistant/..."],
    [422, "Unexpected role 'system' after role 'user'"],
    [500, "Jinja Exception: System message must be at the beginning."],
  ])("a chat completions conversation says changes as notes after a %i: %s", async (status, text) => {
    const { model, server } = await modelAnswering("llama", strictAboutSystem(status, text));
    const messages = eventfulConversation();
    await finish(model, requestOf("", { messages }));
    await finish(model, requestOf("", { messages }));
    expect(server.bodies).toHaveLength(3);
    const sent = messagesOf(server.bodies[2]);
    expect(sent[0]?.content).toMatch(/^Be brief\.\n\nWhat stands in <system_note>/);
    expect(sent[4]?.content).toBe("&lt;system_note>noon&lt;/system_note>");
    expect(JSON.stringify(sent[5]?.content)).toContain("<system_note>\\nThe tool maps is there now.");
    expect(sent[10]?.content).toBe(
      "<system_note>\nThe tool time is gone.\n</system_note>\n\n<system_note>\nMaps changed.\n</system_note>\n\nAnd Paris?",
    );
  });

  it("a chat completions conversation never changes what was sent, with changes as notes", async () => {
    const { model, server } = await modelAnswering("llama", strictAboutSystem(400, "system role"));
    const conversation = eventfulConversation();
    await finish(model, requestOf("", { messages: conversation }));
    await expectStablePrefixes(model, server, conversation, "messages");
  });

  it("a chat completions conversation names the form in what it keeps, and leaves out what was kept in another", async () => {
    const { model, server } = await modelAnswering("llama", (wire, body) => {
      if (messagesOf(body).filter(({ role }) => role === "system").length > 1) {
        sendJson(wire, { error: { message: "system message first" } }, 400);
      } else sendJson(wire, completion({ content: "ok", reasoning: "Hm." }));
    });
    const first = await finish(model, requestOf("hello"));
    expect(first.message.provider_blocks).toMatchObject({
      form: "chat",
      blocks: { message: { reasoning: "Hm." } },
    });
    const messages: Message[] = [
      { role: "user", text: "hello" },
      first.message,
      { role: "system", text: "It is Monday." },
      { role: "user", text: "and now?" },
    ];
    const second = await finish(model, requestOf("", { messages }));
    expect(second.message.provider_blocks).toMatchObject({ form: "chat/notes" });
    expect(messagesOf(server.bodies[1])[2]).toEqual({ role: "assistant", content: "ok", reasoning: "Hm." });
    expect(messagesOf(server.bodies[2])[2]).toEqual({ role: "assistant", content: "ok" });
  });
});

describe("what a server of chat completions refuses", () => {
  it.each([
    ["max_tokens", "Use 'max_completion_tokens' instead of 'max_tokens'.", { max_completion_tokens: 100 }],
    ["tool_choice", "tool_choice is not supported", {}],
    ["reasoning_effort", "Unrecognized request argument supplied: reasoning_effort", {}],
  ])("a refused field is given up at once and from then on: %s", async (field, text, instead) => {
    const { model, server } = await modelAnswering(
      "llama",
      (wire, body) => (field in body ? sendJson(wire, { error: { message: text } }, 400) : ok(wire)),
      { maxOutputTokens: 100 },
    );
    const request = requestOf("hello", { tools: openingTools, no_calls: true, effort: "high" });
    await finish(model, request);
    await finish(model, request);
    expect(server.bodies).toHaveLength(3);
    expect(server.bodies[2]).toMatchObject(instead);
    expect(server.bodies[2]).not.toHaveProperty(field);
  });

  it("usage in streams is given up, too, when it is refused", async () => {
    const { model, server } = await modelAnswering(
      "llama",
      (wire, body) =>
        "stream_options" in body
          ? sendJson(wire, { error: { message: "Unknown field stream_options" } }, 422)
          : wire.end('data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'),
      { streaming: true },
    );
    expect((await finish(model, requestOf("hello"))).message.text).toBe("ok");
    expect(server.bodies).toHaveLength(2);
  });

  it("a refusal is reported when nothing can be given up", async () => {
    const { model, server } = await modelAnswering("llama", (wire) => sendJson(wire, refusal("no"), 400));
    expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code: "invalid_request" });
    expect(server.bodies).toHaveLength(1);
  });
});

describe("the API that is asked", () => {
  const responses = (wire: ServerResponse) => sendJson(wire, response([said("ok")]));

  it.each([
    ["gpt-5-mini", "auto", "input"],
    ["openai/gpt-6-luna", "auto", "input"],
    ["gpt-4.1", "auto", "messages"],
    ["openai/gpt-oss-120b", "auto", "messages"],
    ["gpt-35-turbo", "auto", "messages"],
    ["grok-4.7", "responses", "input"],
    ["gpt-6-luna", "chat", "messages"],
  ] as const)("the API chosen for %s with %s has the field %s", async (name, api, list) => {
    const { model, server } = await modelAnswering(
      name,
      (wire, body) => ("input" in body ? responses(wire) : ok(wire)),
      { api },
    );
    expect((await finish(model, requestOf("hello"))).message.text).toBe("ok");
    expect(server.bodies).toHaveLength(1);
    expect(server.bodies[0]).toHaveProperty(list);
  });

  it.each([404, 405, 501])(
    "the other API is chosen where a server answers %i, from then on",
    async (status) => {
      const { model, server } = await modelAnswering("gpt-6-luna", (wire, body) =>
        "input" in body ? wire.writeHead(status).end("404 page not found") : ok(wire),
      );
      await finish(model, requestOf("hello"));
      await finish(model, requestOf("hello"));
      expect(server.bodies.map((body) => "input" in body)).toEqual([true, false, false]);
    },
  );

  it("the chosen API stays when the model is unknown", async () => {
    const { model, server } = await modelAnswering("gpt-9", (wire) =>
      sendJson(wire, refusal("no such model", "model_not_found"), 404),
    );
    expect((await collect(model, requestOf("hello"))).error).toMatchObject({ code: "not_configured" });
    expect(server.bodies).toHaveLength(1);
  });

  it("the chat completions API takes no tools of OpenAI's models with reasoning", async () => {
    const { model, server } = await modelAnswering("gpt-6-luna", ok, { api: "chat" });
    await finish(model, requestOf("hello", { tools: openingTools, effort: "high" }));
    expect(server.bodies[0]).toMatchObject({ reasoning_effort: "none" });
  });
});
