import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Message } from "../../../src/core/values/message.ts";
import { withFitting } from "../../../src/models/around/fitting-model.ts";
import { createRequestSize } from "../../../src/models/count-tokens.ts";
import { askedModel } from "./asked-model.ts";
import { collect, finish, requestOf } from "./collect.ts";
import { call, openingTools, result } from "./prefixes.ts";

const sizeOf = createRequestSize();

/** About a thousand tokens. */
const long = "lorem ipsum dolor sit amet ".repeat(150);

/** Turns of about two thousand tokens each. */
function conversationOf(turns: number): Message[] {
  return Array.from({ length: turns }, (_, turn): Message[] => [
    { role: "user", text: `Question ${turn}. ${long}` },
    { role: "assistant", text: "", tool_calls: [call(`call_${turn}`, "weather")] },
    result(`call_${turn}`, "weather", long),
    {
      role: "assistant",
      text: `Answer ${turn}.`,
      tool_calls: [],
      provider_blocks: { provider: "a", model: "m", blocks: ["reasoning"] },
    },
  ]).flat();
}

/** A model that refuses what is larger, tokens. */
const modelOf = (most: number, facts: { window?: number } = {}) =>
  askedModel((request) => (sizeOf(request) > most ? "context_too_long" : undefined), facts);

const last: Message = { role: "user", text: "And now?" };
const change: Message = { role: "system", text: "It is Monday.", remove: ["time"] };

describe("a conversation that fits", () => {
  it("a conversation that fits is sent unchanged", async () => {
    const model = modelOf(100_000, { window: 100_000 });
    const request = requestOf("", { messages: [...conversationOf(3), change, last] });
    const { message } = await finish(withFitting(model, 1000), request);
    expect(model.asked).toEqual([request]);
    expect(message.provider_blocks).toBeDefined();
  });
});

describe("a conversation larger than the window", () => {
  const request = requestOf("", {
    messages: [...conversationOf(20), change, last],
    tools: openingTools,
    no_calls: true,
  });

  it("a conversation larger than the window is sent folded, from a person's message on, and says what is missing", async () => {
    const model = modelOf(9000, { window: 10_000 });
    const { message } = await finish(withFitting(model, 1000), request);
    expect(model.asked).toHaveLength(1);
    const [sent] = model.asked;
    expect(sent?.system).toBe("Be brief.\n\nIt is Monday.");
    expect(sent?.tools.map(({ name }) => name)).toEqual(["weather"]);
    expect(sent?.no_calls).toBe(true);
    expect(sent?.messages[0]?.role).toBe("user");
    expect(sent?.messages[0]?.text).toMatch(
      /^\[Earlier messages of this conversation are left out[^\n]*\]\n\nQuestion 1\d\./,
    );
    expect(sent?.messages.at(-1)).toEqual(last);
    expect(
      sent?.messages.some((each) => each.role === "assistant" && each.provider_blocks !== undefined),
    ).toBe(false);
    expect(message.provider_blocks).toBeUndefined();
  });

  it("a conversation larger than the window keeps its beginning for a while as it grows", async () => {
    const model = modelOf(20_000, { window: 20_000 });
    const fitting = withFitting(model, 1000);
    for (const turns of [20, 21, 22, 23]) {
      await finish(fitting, requestOf("", { messages: [...conversationOf(turns), last] }));
    }
    const begins = model.asked.map(({ messages }) => messages[0]?.text);
    expect(new Set(begins).size).toBeLessThanOrEqual(3);
    expect(model.asked.every((sent) => sizeOf(sent) > 8000)).toBe(true);
  });

  it("a conversation larger than the window has the long texts of its last turn shortened to their ends", async () => {
    const model = modelOf(4000, { window: 4000 });
    const text = `Begin. ${long.repeat(10)} End.`;
    await finish(
      withFitting(model, 500),
      requestOf("", { messages: [...conversationOf(2), { role: "user", text }] }),
    );
    const sent = model.asked[0]?.messages ?? [];
    expect(sent).toHaveLength(1);
    expect(sent[0]?.text).toMatch(/Begin\.[\s\S]*… shortened to fit this model …[\s\S]*End\.$/u);
  });

  it("a conversation larger than the window loses the first rounds of its last turn when nothing else helps", async () => {
    const rounds = Array.from({ length: 30 }, (_, round): Message[] => [
      { role: "assistant", text: long, tool_calls: [call(`call_${round}`, "weather")] },
      result(`call_${round}`, "weather", long),
    ]);
    const model = modelOf(10_000, { window: 10_000 });
    await finish(withFitting(model, 1000), requestOf("", { messages: [last, ...rounds.flat()] }));
    const sent = model.asked[0]?.messages ?? [];
    expect(sent[0]?.text).toContain("And now?");
    expect(sent[1]?.role).toBe("assistant");
    expect(sent.at(-1)).toMatchObject({ call_id: "call_29" });
  });
});

describe("a model whose window is not known", () => {
  const request = (): ModelRequest => requestOf("", { messages: [...conversationOf(40), last] });

  it("a model of unknown window is sent less and less until it takes it, and no more from then on", async () => {
    const model = modelOf(12_000);
    const fitting = withFitting(model, 1000);
    await finish(fitting, request());
    const tries = model.asked.length;
    expect(tries).toBeGreaterThan(2);
    await finish(fitting, request());
    expect(model.asked).toHaveLength(tries + 1);
  });

  it("a model of unknown window is asked a bounded number of times", async () => {
    const model = modelOf(1);
    const { error } = await collect(withFitting(model, 1000), request());
    expect(error).toMatchObject({ code: "context_too_long" });
    expect(model.asked.length).toBeLessThan(9);
  });

  it("a model of unknown window reports all other failures at once", async () => {
    const model = askedModel(() => "unauthorized");
    const { error } = await collect(withFitting(model, 1000), request());
    expect(error).toMatchObject({ code: "unauthorized" });
    expect(model.asked).toHaveLength(1);
  });
});

describe("a refusal without a reason", () => {
  const small = requestOf("", { messages: [...conversationOf(2), last] });
  const large = requestOf("", { messages: [...conversationOf(40), last] });

  it("a refusal without a reason of a request much larger than any accepted one is tried once, shortened", async () => {
    const model = askedModel((request) => (sizeOf(request) > 50_000 ? "invalid_request" : undefined));
    const fitting = withFitting(model, 1000);
    await finish(fitting, small);
    await finish(fitting, large);
    expect(model.asked.map((request) => sizeOf(request) > 50_000)).toEqual([false, true, false]);
  });

  it("a refusal without a reason of more than half the known window is tried once, shortened", async () => {
    const model = askedModel((request) => (sizeOf(request) > 50_000 ? "invalid_request" : undefined), {
      window: 100_000,
    });
    await finish(withFitting(model, 1000), large);
    expect(model.asked).toHaveLength(2);
  });

  it("a refusal without a reason of an ordinary request is reported at once", async () => {
    const model = askedModel((request) => (request.messages.length === 0 ? undefined : "invalid_request"));
    const { error } = await collect(withFitting(model, 1000), requestOf("hello"));
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(model.asked).toHaveLength(1);
  });

  it("a refusal without a reason that repeats for the shortened request is reported as it was", async () => {
    const model = askedModel(() => "invalid_request");
    const { error } = await collect(withFitting(model, 1000), large);
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(model.asked).toHaveLength(2);
  });
});
