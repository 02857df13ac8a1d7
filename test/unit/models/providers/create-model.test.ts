import { afterEach, describe, expect, it } from "vitest";
import type { ModelCall } from "../../../../src/core/ports/model.ts";
import type { Message } from "../../../../src/core/values/message.ts";
import { createModel } from "../../../../src/models/create-models.ts";
import { NamedModel } from "../../../../src/models/named-model.ts";
import { collect, finish, requestOf } from "../collect.ts";
import { completion } from "../openai/chat-wire.ts";
import { response, said, thought } from "../openai/responses-wire.ts";
import { recordingClock } from "../recording-clock.ts";
import { sendJson, startWireServer, type WireServer } from "../wire-server.ts";

let server: WireServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe("the model of the settings", () => {
  it.each(["gpt-5", "nobody/gpt-5", "openai/", "/gpt-5", "constructor/x"])(
    "the model settings refuse the name %s",
    (choice) => {
      expect(() => createModel({ choice }, recordingClock())).toThrow(
        expect.objectContaining({
          code: "not_configured",
          message: expect.stringContaining("provider/model"),
        }),
      );
    },
  );

  it("the model reports how each request ended", async () => {
    let asked = 0;
    const choices = [{ index: 0, message: { role: "assistant", content: "here" }, finish_reason: "stop" }];
    server = await startWireServer((response) => {
      asked += 1;
      if (asked === 1) return sendJson(response, { error: { message: "busy" } }, 503);
      return sendJson(response, { id: "c", choices });
    });
    const calls: ModelCall[] = [];
    const model = createModel(
      {
        choice: "ollama/llama",
        providers: { ollama: { kind: "openai", baseUrl: `${server.url}/v1` } },
        streaming: false,
        onCall: (call) => calls.push(call),
      },
      recordingClock(),
    );
    await finish(model, requestOf("hello"));
    const times = { provider: "ollama", model: "llama", duration_ms: expect.any(Number) };
    expect(calls).toEqual([
      { ...times, outcome: "unavailable" },
      { ...times, outcome: "ok" },
    ]);
  });

  it("the model keeps slashes in its own name", () => {
    const model = createModel({ choice: "openai/meta-llama/Llama-4" }, recordingClock());
    expect(model.id).toBe("openai/meta-llama/Llama-4");
  });

  it("a model without a key is passed over for a server of another name", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "here" }, finish_reason: "stop" }];
    server = await startWireServer((response) => sendJson(response, { id: "c", choices }));
    const model = createModel(
      {
        choice: "anthropic/claude-x",
        failover: ["offline", "ollama/llama"],
        providers: { ollama: { kind: "openai", baseUrl: `${server.url}/v1` } },
        streaming: false,
      },
      recordingClock(),
    );
    expect(model.id).toBe("anthropic/claude-x");
    expect(model.generative).toBe(true);
    const event = await finish(model, requestOf("hello"));
    expect(event).toMatchObject({ model: "ollama/llama", message: { text: "here" } });
    expect(event.usage).toEqual({ input_tokens: 0, output_tokens: 0 });
  });

  it("the model says what to set when none has a key, and never becomes the offline one", async () => {
    const settings = { choice: "anthropic/claude-x", failover: ["openai/gpt-x", "offline"] };
    const { events, error } = await collect(createModel(settings, recordingClock()), requestOf("hello"));
    expect(events).toEqual([{ type: "delayed", text: expect.stringContaining("Asking another model") }]);
    expect(error).toMatchObject({ code: "not_configured" });
    expect(String(error)).toContain("ANTHROPIC_API_KEY");
    expect(String(error)).toContain("OPENAI_API_KEY");
  });

  it.each([
    ["openai/gpt-6.1-terra", [], 1_050_000, 30],
    ["openai/gpt-6.1-terra", ["anthropic/claude-sonnet-4-5"], 200_000, 5],
    ["anthropic/claude-sonnet-5-5", ["openai/gpt-4", "openai/llama"], 1_000_000, 5],
    ["openai/llama", [], undefined, undefined],
  ])(
    "the model of %s and %o has the least window that is not small, and the shortest cache",
    (choice, failover, window, minutes) => {
      const model = createModel({ choice, failover }, recordingClock());
      expect(model.window).toBe(window);
      expect(model.cache_ms).toBe(minutes === undefined ? undefined : minutes * 60_000);
    },
  );

  it("the model has the facts of the settings where they differ from the catalogue", async () => {
    const sent: Record<string, unknown>[] = [];
    server = await startWireServer((wire, body) => {
      sent.push(body);
      sendJson(wire, completion({ content: "here" }, { usage: { prompt_tokens: 10, completion_tokens: 2 } }));
    });
    const choice = "mine/gpt-4o";
    const settings = {
      choice,
      providers: { mine: { kind: "openai" as const, baseUrl: `${server.url}/v1` } },
      streaming: false,
    };
    const photo = { media_type: "image/png" as const, base64: "aGk=" };
    const messages: Message[] = [{ role: "user", text: "Look.", images: [photo] }];
    const facts = { window: 50_000, output: 1234, images: false, cache_ms: 60_000 };
    const prices = { [choice]: { input: 1e6, output: 0 } };
    const told = createModel({ ...settings, models: { [choice]: facts }, prices }, recordingClock());
    const listed = createModel({ ...settings, models: { "mine/other": facts } }, recordingClock());
    expect([told.window, told.cache_ms]).toEqual([50_000, 60_000]);
    expect([listed.window, listed.cache_ms]).toEqual([128_000, 300_000]);
    const usage = await Promise.all(
      [told, listed].map(async (model) => (await finish(model, requestOf("", { messages }))).usage),
    );
    expect(usage.map(({ cost_usd }) => cost_usd)).toEqual([10, (10 * 2.5 + 2 * 10) / 1e6]);
    const limits = sent.map((body) => [body.max_tokens, JSON.stringify(body).includes("image_url")]);
    expect(limits.toSorted()).toEqual([
      [1234, false],
      [16_384, true],
    ]);
  });

  it.each([
    ["groq", "openai/gpt-oss-120b", undefined],
    ["together", "openai/gpt-oss-120b", 32_000],
    ["openrouter", "qwen/sunflower", undefined],
    ["ollama", "gpt-oss:120b", undefined],
  ] as const)("the model at %s limits the answers of %s to %s tokens", async (kind, model, limit) => {
    let sent: Record<string, unknown> = {};
    server = await startWireServer((wire, body) => {
      sent = body;
      sendJson(wire, completion({ content: "here" }));
    });
    const providers = { [kind]: { kind: "openai" as const, server: kind, baseUrl: `${server.url}/v1` } };
    const settings = { choice: `${kind}/${model}`, providers, streaming: false };
    await finish(createModel(settings, recordingClock()), requestOf("hello"));
    expect(sent.max_tokens).toBe(limit);
  });

  it.each([
    ["deepseek", "deepseek-flash", "none", "low"],
    ["deepseek", "deepseek-flash", "medium", "high"],
    ["together", "moonshotai/Kimi-K3", "high", undefined],
    ["openai", "sunflower", "max", "high"],
  ] as const)(
    "the model at %s asks %s for the effort it knows nearest to %s: %s",
    async (kind, model, effort, asked) => {
      let sent: Record<string, unknown> = {};
      server = await startWireServer((wire, body) => {
        sent = body;
        sendJson(wire, completion({ content: "here" }));
      });
      const providers = { [kind]: { kind: "openai" as const, server: kind, baseUrl: `${server.url}/v1` } };
      const settings = { choice: `${kind}/${model}`, providers, streaming: false };
      await finish(createModel(settings, recordingClock()), requestOf("hello", { effort }));
      expect(sent.reasoning_effort).toBe(asked);
    },
  );

  it.each([
    ["anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"],
    ["openai/gpt-6-luna", undefined],
    ["mine/anthropic/claude-opus-5.5", "mine/anthropic/claude-haiku-5.5"],
    ["proxy/gpt-6.1-sol", undefined],
  ])("the model for inner work next to %s is %s", (name, small) => {
    const providers = {
      mine: { kind: "openai" as const, baseUrl: "https://openrouter.ai/api/v1" },
      proxy: { kind: "openai" as const, server: "openai" as const, baseUrl: "http://127.0.0.1:9/v1" },
    };
    expect(new NamedModel(name, { providers }).small).toBe(small);
  });

  it("the model keeps what each of a list wrote for its return, and sends it to no other", async () => {
    const isDown = { first: false };
    const sent: Record<string, unknown>[] = [];
    server = await startWireServer((wire, body) => {
      sent.push(body);
      if (!("input" in body)) sendJson(wire, completion({ content: "b", reasoning_content: "of b" }));
      else if (isDown.first) sendJson(wire, { error: { message: "down" } }, 503);
      else sendJson(wire, response([thought("rs_1"), said("a")]));
    });
    const model = createModel(
      {
        choice: "a/gpt-6-luna",
        failover: ["b/llama"],
        providers: Object.fromEntries(
          ["a", "b"].map((name) => [name, { kind: "openai", baseUrl: `${server?.url}/v1` }]),
        ),
        streaming: false,
        retry: { attempts: 1 },
      },
      recordingClock(),
    );
    const messages: Message[] = [];
    for (const down of [false, true, false]) {
      isDown.first = down;
      messages.push({ role: "user", text: "go" });
      messages.push((await finish(model, requestOf("", { messages: [...messages] }))).message);
    }
    const [, , second, third] = sent;
    expect(second?.messages).toMatchObject([{}, {}, { role: "assistant", content: "a" }, {}]);
    expect(JSON.stringify(second)).not.toContain("sealed");
    const input = third?.input as unknown[];
    expect(input.slice(1, 3)).toEqual([thought("rs_1"), said("a")]);
    expect(input[4]).toEqual({ role: "assistant", content: "b" });
    expect(messages.map((each) => each.role === "assistant" && each.provider_blocks?.provider)).toEqual([
      ...[false, "a", false, "b", false, "a"],
    ]);
  });

  it("the offline model is not generative", () => {
    const model = createModel({ choice: "offline" }, recordingClock());
    expect(model).toMatchObject({ id: "offline", generative: false });
  });
});
