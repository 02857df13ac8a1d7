import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Model, ModelEvent, ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Message } from "../../../../src/core/values/message.ts";
import { createModel } from "../../../../src/models/create-models.ts";
import type { ServerKind } from "../../../../src/models/server-kind.ts";
import { startVendors, type Vendors } from "../../../support/vendors/vendors.ts";
import type { Script } from "../../../support/vendors/view.ts";
import { collect, finish, requestOf, shownText } from "../collect.ts";
import { recordingClock } from "../recording-clock.ts";

/** A provider as people set it up, at its stand-in. */
interface Preset {
  name: string;
  server?: ServerKind;
  model: string;
  url(vendors: Vendors): string;
  kind?: "anthropic";
  /** What its answers tell of the reasoning: nothing where the server keeps it to itself. */
  thinks: boolean;
  /** Whether its streams count tokens. */
  counts?: false;
  /** The rules by which it refuses the first requests, from which the form is learnt. */
  learns?: readonly string[];
  /** What a past message carries of the reasoning, in the request after it; undefined where it is not sent back. */
  back?: RegExp;
}

const at = (kind: Parameters<Vendors["compatibleUrl"]>[0]) => (vendors: Vendors) =>
  vendors.compatibleUrl(kind);

const providers: Preset[] = [
  {
    name: "openai",
    model: "gpt-6.1-terra",
    url: ({ openAiUrl }) => openAiUrl,
    thinks: true,
    back: /encrypted_content/,
  },
  {
    name: "anthropic",
    model: "claude-sonnet-5-5",
    url: ({ anthropicUrl }) => anthropicUrl,
    kind: "anthropic",
    thinks: false,
    back: /"signature"/,
  },
  { name: "azure", server: "azure", model: "my-deployment", url: at("azure"), thinks: false },
  {
    name: "openrouter",
    server: "openrouter",
    model: "z-ai/glm-5",
    url: at("openrouter"),
    thinks: true,
    back: /"signature":"signed:/,
  },
  {
    name: "ollama",
    server: "ollama",
    model: "qwen3:8b",
    url: at("ollama"),
    thinks: true,
    back: /"reasoning":"I plan/,
  },
  {
    name: "lmstudio",
    server: "lmstudio",
    model: "qwen3-8b",
    url: at("lmstudio"),
    thinks: true,
    counts: false,
  },
  {
    name: "vllm",
    server: "vllm",
    model: "Qwen/Qwen3-8B",
    url: at("vllm"),
    thinks: true,
    back: /"reasoning":"I plan/,
  },
  {
    name: "llamacpp",
    server: "llamacpp",
    model: "gpt-oss-20b",
    url: at("llamacpp"),
    thinks: true,
    back: /"reasoning_content":"I plan/,
  },
  {
    name: "groq",
    server: "groq",
    model: "openai/gpt-oss-120b",
    url: at("groq"),
    thinks: true,
    learns: ["back"],
  },
  {
    name: "together",
    server: "together",
    model: "moonshotai/Kimi-K2",
    url: at("together"),
    thinks: true,
    back: /"reasoning":"I plan/,
  },
  {
    name: "deepseek",
    server: "deepseek",
    model: "deepseek-v4-pro",
    url: at("deepseek"),
    thinks: true,
    back: /"reasoning_content":"I plan/,
  },
  {
    name: "mistral",
    server: "mistral",
    model: "magistral-medium",
    url: at("mistral"),
    thinks: true,
    learns: ["field:stream_options"],
  },
  {
    name: "xai",
    server: "xai",
    model: "grok-4.3",
    url: at("xai"),
    thinks: true,
    back: /"reasoning_content":"I plan/,
  },
  {
    name: "gemini",
    server: "gemini",
    model: "gemini-3.8-flash",
    url: at("gemini"),
    thinks: false,
    back: /thought_signature/,
  },
  { name: "other", model: "some-model", url: at("strict"), thinks: false },
];

const tools = ["weather", "time"].map((name) => ({
  name,
  description: "Tells of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}));

const input = { city: "Rome" };
const thought = "I plan what to do.";

/** What each model says: the turn is named by the question. */
const script: Script = ({ said, results, schema }) => {
  if (schema !== undefined) return { text: JSON.stringify({ city: "Rome" }) };
  if (results.length > 0) return { text: `It is ${results.map(({ text }) => text).join(" and ")}.`, thought };
  if (said.includes("both")) return { calls: tools.map(({ name }) => ({ name, input })), thought };
  if (said.includes("weather")) return { calls: [{ name: "weather", input }], thought };
  return { text: "Hello, person who asks.", thought };
};

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors({ script });
});
beforeEach(() => vendors.reset());
afterAll(() => vendors.stop());

function modelOf(preset: Preset, failover: Preset[] = [], clock = recordingClock()): Model {
  const named = [preset, ...failover].map(({ name, server, kind, url }) => {
    const provider = { kind: kind ?? ("openai" as const), server, baseUrl: url(vendors) };
    return [name, { ...provider, apiKey: "sk-test-0123456789" }] as const;
  });
  const [choice = "", ...others] = [preset, ...failover].map(({ name, model }) => `${name}/${model}`);
  return createModel(
    { choice, failover: others, providers: Object.fromEntries(named), retry: { attempts: 2 } },
    clock,
  );
}

const ask = (messages: readonly Message[], changes: Partial<ModelRequest> = {}) =>
  requestOf("", { messages, tools, max_output_tokens: 900, ...changes });
const user = (text: string): Message => ({ role: "user", text });

/** The conversation with the answer, its calls answered, and what the model makes of that. */
async function round(model: Model, messages: readonly Message[]) {
  const { message } = await finish(model, ask(messages));
  const results = message.tool_calls.map(({ id, name }): Message => {
    return { role: "tool", call_id: id, tool: name, text: `${name} of Rome`, is_error: false };
  });
  const asked = [...messages, message, ...results];
  const answer = await finish(model, ask(asked));
  return { message, asked, answer, all: [...asked, answer.message] };
}

function tokensOf(events: readonly ModelEvent[]): number {
  const last = events.at(-1);
  return last?.type === "finished" ? last.usage.input_tokens : 0;
}

const refusedOf = () => vendors.requests().filter(({ outcome }) => outcome === "refused");

/** The presets that differ most from each other. The others are asked for what is their own. */
const typical = ["openai", "anthropic", "deepseek", "gemini", "ollama"];

/** Two calls and their answer, with the reasoning where this server has it and wants it back. */
async function callsTwo(preset: Preset, question: string, names: readonly string[]) {
  const { message, answer } = await round(modelOf(preset), [user(question)]);
  expect(message.tool_calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual(
    names.map((name) => [name, input]),
  );
  expect(message.text).toBe("");
  expect(answer.message.text).toBe(`It is ${names.map((name) => `${name} of Rome`).join(" and ")}.`);
  const { messages, input: items } = vendors.requests().at(-1)?.body ?? {};
  const sent = JSON.stringify(messages ?? items);
  if (preset.back === undefined) expect(sent).not.toContain(thought);
  else expect(sent).toMatch(preset.back);
  expect(vendors.requests().flatMap(({ dropped }) => dropped)).toEqual([]);
}

it.each(providers.filter(({ name }) => !typical.includes(name)))(
  "the preset $name is called in its own form",
  async (preset) => {
    await callsTwo(preset, "both", ["weather", "time"]);
    expect(refusedOf().map(({ refused }) => refused[0]?.rule)).toEqual(preset.learns ?? []);
    const { events } = await collect(modelOf(preset), ask([user("hello")]));
    expect(shownText(events)).toBe("Hello, person who asks.");
    const thoughts = events.flatMap((event) => (event.type === "thought" ? [event.text] : [])).join("");
    expect(thoughts.includes(thought)).toBe(preset.thinks);
    expect(tokensOf(events) > 0).toBe(preset.counts ?? true);
  },
);

describe.each(providers.filter(({ name }) => typical.includes(name)))("the preset $name", (preset) => {
  it("a preset answers in words, with reasoning separate and never as an answer", async () => {
    const { events, error } = await collect(modelOf(preset), ask([user("hello")]));
    expect(error).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ message: { text: "Hello, person who asks." } });
    expect(shownText(events)).toBe("Hello, person who asks.");
    const thoughts = events.flatMap((event) => (event.type === "thought" ? [event.text] : [])).join("");
    expect(thoughts.includes(thought)).toBe(preset.thinks);
    expect(tokensOf(events)).toBeGreaterThan(0);
  });

  it.each([
    ["the weather", ["weather"]],
    ["both", ["weather", "time"]],
  ])("a preset calls tools: %s; the reasoning goes back as the server wants it", async (question, names) => {
    await callsTwo(preset, question, names);
  });

  it("a preset learns from a refusal once", async () => {
    const model = modelOf(preset);
    const { all } = await round(model, [user("both")]);
    const before = refusedOf().length;
    await finish(model, ask([...all, user("hello")], { effort: "low" }));
    const learnt = refusedOf().length;
    await finish(model, ask([...all, user("hello")], { effort: "low" }));
    expect(refusedOf().length).toBe(learnt);
    expect(before).toBeLessThanOrEqual(2);
  });

  it.each([true, false])("a preset takes pictures, or does without (refused: %s)", async (refused) => {
    if (refused) vendors.refuse("*", "images");
    const images = [{ media_type: "image/png" as const, base64: "iVBORw0KGgo=", name: "a.png" }];
    const { message } = await finish(modelOf(preset), ask([{ role: "user", text: "hello", images }]));
    expect(message.text).toBe("Hello, person who asks.");
  });

  it.each([true, false])("a preset answers in a schema (refused: %s)", async (refused) => {
    if (refused) vendors.refuse("*", "json_schema");
    if (refused) vendors.script(() => ({ text: 'Sure: {"city": "Rome"}' }));
    const output_schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };
    const { message } = await finish(modelOf(preset), requestOf("hello", { output_schema }));
    expect(JSON.parse(message.text)).toEqual({ city: "Rome" });
  });

  it("a preset is asked again after a cut stream, and nothing is shown twice", async () => {
    const model = modelOf(preset);
    await finish(model, ask([user("hello")]));
    vendors.fail({ kind: "cut" });
    const { events } = await collect(model, ask([user("hello")]));
    expect(shownText(events)).toBe("Hello, person who asks.");
    expect(events.map(({ type }) => type)).toContain("delayed");
  });

  it("a preset waits as long as a rate limit asks, and says so", async () => {
    vendors.fail({ kind: 429, retry_after: 12 });
    const clock = recordingClock();
    const { events } = await collect(modelOf(preset, [], clock), ask([user("hello")]));
    expect(clock.sleeps).toEqual([12_000]);
    const [first] = events;
    expect(first).toMatchObject({
      type: "delayed",
      text: "The model limits how often it is asked.",
    });
    expect(shownText(events)).toBe("Hello, person who asks.");
  });

  it("a preset may decline, which people are told in plain words while no other model is asked", async () => {
    vendors.script(() => ({ declined: true }));
    const other = providers[(providers.indexOf(preset) + 1) % providers.length] as Preset;
    const { events, error } = await collect(modelOf(preset, [other]), ask([user("hello")]));
    expect(error).toMatchObject({ code: "declined", message: expect.stringContaining("declined") });
    expect(shownText(events)).toBe("");
    expect(vendors.requests().every(({ model }) => model === preset.model)).toBe(true);
  });

  it("a preset gives its reason for a refused request to the operator", async () => {
    vendors.fail({ kind: 400, message: "The frobnicator is out of tune.", times: 3 });
    const { error } = await collect(modelOf(preset), ask([user("hello")]));
    expect(error).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("frobnicator is out of tune"),
    });
  });

  it("a preset hands a transcript over to another provider, and takes it back", async () => {
    const other = providers[(providers.indexOf(preset) + 1) % providers.length] as Preset;
    const model = modelOf(preset, [other]);
    const { all } = await round(model, [user("both")]);
    vendors.fail({ kind: 401, model: preset.model });
    const { events } = await collect(model, ask([...all, user("the weather")]));
    const last = events.at(-1);
    if (last?.type !== "finished") throw new Error("the other provider did not answer");
    expect(last.model).toBe(`${other.name}/${other.model}`);
    const [call] = last.message.tool_calls;
    const result: Message = {
      role: "tool",
      call_id: call?.id ?? "",
      tool: "weather",
      text: "sunny",
      is_error: false,
    };
    const back = await finish(model, ask([...all, user("the weather"), last.message, result]));
    expect(back).toMatchObject({
      model: `${preset.name}/${preset.model}`,
      message: { text: "It is sunny." },
    });
  });
});
