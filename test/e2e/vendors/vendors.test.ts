import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelPrices, price } from "../../support/vendors/model-prices.ts";
import { prefixDifference, prefixStable } from "../../support/vendors/prefix-stable.ts";
import { cachedShare, inputTokens } from "../../support/vendors/recording.ts";
import { leastValue } from "../../support/vendors/script.ts";
import { spawnVendors } from "../../support/vendors/spawn-vendors.ts";
import { hello, lookup, refusal, useVendors } from "./use-vendors.ts";

const { claude, gpt, chat, vendors, rule, anthropic, openai } = useVendors();

const model = "claude-sonnet-5-5";
const terra = "gpt-6.1-terra";

describe("faults", () => {
  it.each([400, 401, 429, 500, 529] as const)(
    "a fault fails the next request with %s, then answers",
    async (kind) => {
      vendors().fail({ kind, message: "As wanted." });
      const { status, message } = await refusal(claude({ model, messages: [hello] }));
      expect({ status, told: message.includes("As wanted.") }).toEqual({ status: kind, told: true });
      await claude({ model, messages: [hello] });
      expect(
        vendors()
          .requests()
          .map(({ outcome }) => outcome),
      ).toEqual(["faulted", "answered"]);
    },
  );

  it("a fault fails as many requests as wanted, of one model", async () => {
    vendors().fail({ kind: 429, times: 2, model: terra, retry_after: 7 });
    await claude({ model, messages: [hello] });
    for (const status of [429, 429])
      expect(await refusal(gpt({ model: terra, input: "Hi" }))).toMatchObject({ status });
    await gpt({ model: terra, input: "Hi" });
  });

  it("a fault cuts a stream halfway", async () => {
    const streams = [
      () =>
        anthropic()
          .messages.stream({ model, max_tokens: 900, messages: [hello] } as never)
          .finalMessage(),
      () =>
        openai(vendors().openAiUrl)
          .responses.stream({ model: terra, input: "Hi" } as never)
          .finalResponse(),
      () =>
        openai(vendors().compatibleUrl("plain"))
          .chat.completions.stream({ model: "qwen3", messages: [hello] } as never)
          .finalChatCompletion(),
    ];
    for (const stream of streams) {
      vendors().fail({ kind: "cut" });
      await expect(stream()).rejects.toThrow();
      await stream();
    }
  });
});

describe("features switched off", () => {
  it("switched-off features are refused by name, for one model or for all", async () => {
    const note = { role: "system", content: "It is Sunday." };
    vendors().refuse(model, "system_in_place");
    await refusal(claude({ model, messages: [hello, note] }));
    expect(rule()).toBe("system_in_place");
    await claude({ model: "claude-opus-5-5", messages: [hello, note] });
    vendors().refuse("*", "additional_tools");
    const item = { type: "additional_tools", role: "developer", tools: [] };
    await refusal(gpt({ model: terra, input: [item, hello] }));
    expect(rule()).toBe("additional_tools");
    vendors().reset();
    await gpt({ model: terra, input: [item, hello] });
  });

  it("a vendor has windows of any size", async () => {
    vendors().reset({ context: { [model]: 20, qwen3: 5 } });
    expect((await refusal(claude({ model, messages: [hello], tools: [lookup] }))).message).toContain(
      "prompt is too long",
    );
    expect((await refusal(chat({ model: "qwen3", messages: [hello] }))).message).toContain(
      "maximum context length",
    );
  });
});

describe("scripts", () => {
  it("scripts echo, or give the least value of a schema", async () => {
    const { content } = await claude({ model, messages: [hello] });
    expect(content.at(-1)).toMatchObject({ text: "You said: Hello" });
    const schema = {
      type: "object",
      properties: { to: { enum: ["a", "b"] }, list: { type: "array", items: { type: "string" } } },
      additionalProperties: false,
    };
    const answer = await claude({
      model,
      messages: [hello],
      output_config: { format: { type: "json_schema", schema } },
    });
    expect(answer.content.at(-1)).toMatchObject({ text: '{"to":"a","list":[]}' });
    expect(leastValue({ anyOf: [{ type: "null" }, { type: "string" }] })).toBeNull();
  });

  it("scripts may make one call at a time, and calls nobody offered", async () => {
    vendors().script(() => ({
      calls: ["a", "b"].map((query) => ({ name: "lookup", input: { query } })),
      parallel: false,
    }));
    expect((await claude({ model, messages: [hello], tools: [lookup] })).content).toHaveLength(2);
    vendors().script(() => ({ calls: [{ name: "unheard", input: {}, invented: true }] }));
    expect((await claude({ model, messages: [hello], tools: [lookup] })).stop_reason).toBe("tool_use");
    const { status } = await refusal(
      claude({ model, messages: [hello], tools: [lookup], tool_choice: { type: "none" } }),
    );
    expect(status).toBe(500);
  });
});

describe("comparing requests", () => {
  const note = { role: "system", content: [{ type: "text", text: "It is Sunday." }] };
  const next = { role: "user", content: "And now?" };
  const turn = ({ content }: Anthropic.Beta.BetaMessage) => ({ role: "assistant", content });
  const difference = () => {
    const [a, b] = vendors().requests().slice(-2);
    if (a === undefined || b === undefined) throw new Error("two requests are compared");
    expect(prefixStable(a, b)).toBe(prefixDifference(a, b) === undefined);
    return prefixDifference(a, b);
  };

  it("comparing requests ignores cache marks, and finds what changed", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const opening = { model, system: [{ type: "text", text: "You help.", ...mark }], tools: [lookup] };
    const first = await claude({ ...opening, messages: [hello] });
    await claude({ ...opening, tools: [{ ...lookup, ...mark }], messages: [hello, turn(first), next] });
    expect(difference()).toBeUndefined();
    await claude({ ...opening, system: "You help much.", messages: [hello, next] });
    expect(difference()).toContain("You help much.");
  });

  it("comparing requests lets a system message at the end move behind the next question, but not be lost", async () => {
    await claude({ model, messages: [hello, note] });
    await claude({ model, messages: [hello, next, note] });
    expect(difference()).toBeUndefined();
    await claude({ model, messages: [hello, next] });
    expect(difference()).toContain("missing: system");
  });

  it("comparing requests compares the items of OpenAI", async () => {
    const developer = { role: "developer", content: "It is Sunday." };
    const { output } = await gpt({ model: terra, input: [hello] });
    const messages = output.filter(({ type }) => type === "reasoning").length;
    expect(messages).toBe(1);
    await gpt({ model: terra, input: [hello, developer] });
    expect(difference()).toBeUndefined();
    await gpt({ model: terra, input: [developer, hello] });
    expect(difference()).toContain("was");
  });
});

describe("what requests cost", () => {
  it("the cost of requests is counted by the table: fresh, read, written and said", async () => {
    const long = "instruction ".repeat(1_000);
    const mark = { cache_control: { type: "ephemeral" } };
    const body = { model, system: [{ type: "text", text: long, ...mark }], messages: [hello] };
    await claude(body);
    await claude(body);
    const [first, second] = vendors().requests();
    if (first?.usage === undefined || second?.usage === undefined) throw new Error("no usage");
    expect(inputTokens(first.usage)).toBe(inputTokens(second.usage));
    const { fresh, cache_read, output } = second.usage;
    expect(price([second])).toBeCloseTo((fresh * 2 + cache_read * 0.1 + output * 10) / 1e6, 10);
    expect(price([first])).toBeGreaterThan(price([second]) * 2);
    expect(cachedShare([first, second])).toBeGreaterThan(0.48);
  });

  it("the cost of the hour and of long prompts is higher, and unknown models cost nothing", () => {
    const usage = { fresh: 0, cache_read: 0, cache_write: 0, cache_write_long: 1e6, output: 0, reasoning: 0 };
    const of = (named: string, more: object) =>
      price([{ model: named, usage: { ...usage, ...more } } as never]);
    expect(of(model, {})).toBe(4);
    expect(of(terra, { cache_write_long: 0, fresh: 300_000 })).toBeCloseTo(0.6);
    expect(of("claude-haiku-5-5", { cache_write_long: 0, fresh: 200_000 })).toBeCloseTo(0.1);
    expect(of("qwen3", {})).toBe(0);
    expect(price([], modelPrices)).toBe(0);
    expect(of(terra, { cache_write_long: 0, output: 1e6 })).toBe(modelPrices[terra]?.output);
  });
});

it("the vendors run in a process of their own", async () => {
  const spawned = await spawnVendors();
  onTestFinished(() => spawned.stop());
  await spawned.answers([{ said: "weather", reply: { text: "Sunny." } }]);
  const client = openai(spawned.openAiUrl);
  const ask = () => client.responses.create({ model: terra, input: "The weather?" });
  expect((await ask()).output_text).toBe("Sunny.");
  await spawned.fail({ kind: 500 });
  expect((await refusal(ask())).status).toBe(500);
  expect((await spawned.requests()).map(({ outcome }) => outcome)).toEqual(["answered", "faulted"]);
  await spawned.reset();
  expect(await spawned.requests()).toEqual([]);
  expect((await ask()).output_text).toBe("You said: The weather?");
});
