import type { OpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { refusal, useVendors } from "./use-vendors.ts";

const { gpt, rule, vendors, openai } = useVendors();

const terra = "gpt-6.1-terra";
const include = ["reasoning.encrypted_content"];
const tools = [
  {
    type: "function",
    name: "lookup",
    description: "",
    parameters: { type: "object", properties: {} },
    strict: false,
  },
];
const hello = { role: "user", content: "Hello" };
const next = { role: "user", content: "And now?" };
const ask = (input: unknown[], more: object = {}) => gpt({ model: terra, include, tools, input, ...more });
const last = () => vendors().requests().at(-1);
const bare = ({ id: _, ...item }: OpenAI.Responses.ResponseOutputItem & { id?: string }) => item;

describe("encrypted reasoning", () => {
  it("encrypted reasoning comes when it is requested, and is accepted behind the same prefix", async () => {
    const { output } = await ask([hello]);
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    await ask([hello, ...output, next]);
    expect(last()).toMatchObject({ reasoning_lost: 0, reasoning_omitted: 0 });
    const without = await gpt({ model: terra, input: [hello] });
    expect(without.output[0]).not.toHaveProperty("encrypted_content");
  });

  const losses = [
    {
      what: "a changed question",
      input: (items: object[]) => [{ role: "user", content: "Hallo" }, ...items, next],
    },
    {
      what: "an inserted message",
      input: (items: object[]) => [{ role: "developer", content: "x" }, hello, ...items, next],
    },
    { what: "other tools", input: (items: object[]) => [hello, ...items, next], more: { tools: undefined } },
    {
      what: "other instructions",
      input: (items: object[]) => [hello, ...items, next],
      more: { instructions: "x" },
    },
  ];
  it.each(losses)("encrypted reasoning is lost silently behind $what", async ({ input, more = {} }) => {
    const { output } = await ask([hello]);
    await ask(input(output), more);
    expect(last()).toMatchObject({ outcome: "answered", reasoning_lost: 1 });
  });

  it("encrypted reasoning counts as omitted when it is left out, and an item with an id is then refused", async () => {
    const { output } = await ask([hello]);
    const message = output[1];
    if (message?.type !== "message") throw new Error("no message");
    await refusal(ask([hello, message, next]));
    expect(rule()).toBe("reasoning_pair");
    await ask([hello, bare(message), next]);
    expect(last()).toMatchObject({ reasoning_omitted: 1, reasoning_lost: 0 });
  });

  it("encrypted reasoning is refused without the item that followed it", async () => {
    const { output } = await ask([hello]);
    await refusal(ask([hello, ...output.slice(0, 1), next]));
    expect(rule()).toBe("reasoning_pair");
  });

  it("encrypted reasoning is refused when it was changed or has no content", async () => {
    const [reasoning, message] = (await ask([hello])).output;
    await refusal(ask([hello, { ...reasoning, encrypted_content: "not-yet-complete" }, message, next]));
    expect(rule()).toBe("encrypted_content");
    const { status } = await refusal(
      ask([hello, { ...reasoning, encrypted_content: undefined }, message, next]),
    );
    expect({ rule: rule(), status }).toEqual({ rule: "stateless", status: 404 });
  });

  it("encrypted reasoning of another model is refused with its ids and ignored without", async () => {
    const { output } = await ask([hello]);
    const model = "gpt-6-luna";
    await refusal(ask([hello, ...output, next], { model }));
    expect(rule()).toBe("item_id");
    await ask([hello, ...output.map(bare), next], { model });
    expect(last()).toMatchObject({ refused: [], dropped: [{ reason: "model" }], reasoning_lost: 0 });
  });

  it("encrypted reasoning is bound with calls and their outputs between, streamed", async () => {
    vendors().script(({ results }) =>
      results.length > 0
        ? { text: "Found.", thought: "Now I know." }
        : { calls: ["a", "b"].map((query) => ({ name: "lookup", input: { query } })) },
    );
    const sdk = openai(vendors().openAiUrl);
    const stream = (input: unknown[]) =>
      sdk.responses
        .stream({
          model: terra,
          store: false,
          include,
          tools,
          input,
          reasoning: { summary: "auto" },
        } as never)
        .finalResponse();
    const first = await stream([hello]);
    expect(first.output.map(({ type }) => type)).toEqual(["reasoning", "function_call", "function_call"]);
    const outputs = first.output
      .filter((item) => item.type === "function_call")
      .map(({ call_id }) => ({ type: "function_call_output", call_id, output: "found" }));
    const second = await stream([hello, ...first.output, ...outputs]);
    expect(second.output_text).toBe("Found.");
    expect(second.output[0]).toMatchObject({ summary: [{ text: "Now I know." }] });
    await stream([hello, ...first.output, ...outputs, ...second.output, next]);
    expect(
      vendors()
        .requests()
        .map((one) => one.reasoning_lost + one.reasoning_omitted),
    ).toEqual([0, 0, 0]);
    expect(last()?.view.messages.map(({ role, calls }) => [role, calls.length])).toEqual([
      ["user", 0],
      ["assistant", 2],
      ["tool", 0],
      ["assistant", 0],
      ["user", 0],
    ]);
  });

  it("encrypted reasoning of earlier turns is not shown to older models", async () => {
    const model = "gpt-5-mini";
    vendors().script(() => ({ text: "Hi.", reasoning_tokens: 1_000 }));
    const first = await gpt({ model, include, input: [hello] });
    const second = await gpt({ model, include, input: [hello, ...first.output, next] });
    expect(second.usage?.input_tokens).toBeLessThan(200);
    expect(last()).toMatchObject({ reasoning_lost: 0 });
  });
});

describe("the automatic cache", () => {
  const long = { role: "developer", content: "instruction ".repeat(2_000) };
  const cached = async (input: unknown[], more: object = {}) => {
    const { usage } = await ask(input, more);
    return {
      read: usage?.input_tokens_details.cached_tokens,
      written: usage?.input_tokens_details.cache_write_tokens,
    };
  };

  it("the automatic cache reads whole steps of what an earlier prompt began with", async () => {
    const first = await cached([long, hello]);
    expect(first.read).toBe(0);
    expect(first.written).toBeGreaterThan(1_900);
    const second = await cached([long, next], { prompt_cache_key: "other" });
    expect((second.read ?? 0) % 128).toBe(0);
    expect(second.read).toBeGreaterThan(1_700);
  });

  it("the automatic cache keeps nothing below 1,024 tokens, and nothing longer than its time", async () => {
    await cached([hello]);
    expect(await cached([hello])).toEqual({ read: 0, written: 0 });
    await cached([long, hello]);
    vendors().advance(31 * 60_000);
    expect((await cached([long, hello])).read).toBe(0);
  });

  it("the automatic cache costs nothing to write on older models", async () => {
    const older = { model: "gpt-5.4-mini" };
    expect((await cached([long, hello], older)).written).toBe(0);
    expect((await cached([long, hello], older)).read).toBeGreaterThan(1_700);
  });
});
