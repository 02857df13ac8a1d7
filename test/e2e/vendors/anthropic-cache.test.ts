import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { betas } from "../../support/vendors/anthropic/anthropic-parameters.ts";
import { cachedShare } from "../../support/vendors/recording.ts";
import { type Body, hello, lookup, refusal, useVendors } from "./use-vendors.ts";

const { claude, rule, vendors } = useVendors();

const model = "claude-sonnet-5-5";
const mark = { cache_control: { type: "ephemeral" } };
const hour = { cache_control: { type: "ephemeral", ttl: "1h" } };
const long = (word: string) => `${word} `.repeat(800);
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const opening = { tools: [lookup], system: [text(long("instruction"), mark)] };
const marked = (value: string) => ({ role: "user", content: [text(value, mark)] });
const minute = 60_000;

/** The counts of one request, in the order read, written, for an hour. */
async function counted(body: Body, sent: readonly string[] = []) {
  const { usage } = await claude({ model, messages: [hello], ...body }, sent);
  const written = usage.cache_creation;
  return {
    read: usage.cache_read_input_tokens,
    written: written?.ephemeral_5m_input_tokens,
    hour: written?.ephemeral_1h_input_tokens,
    fresh: usage.input_tokens,
  };
}

describe("Anthropic's cache", () => {
  it("Anthropic's cache reads what an earlier request wrote up to a mark", async () => {
    const first = await counted(opening);
    expect(first).toMatchObject({ read: 0, hour: 0 });
    expect(first.written).toBeGreaterThan(700);
    const second = await counted({ ...opening, messages: [{ role: "user", content: "Another question" }] });
    expect(second).toMatchObject({ read: first.written, written: 0 });
    expect(cachedShare(vendors().requests())).toBeGreaterThan(0.45);
  });

  it("Anthropic's cache keeps nothing without a mark, and nothing below 512 tokens", async () => {
    const bare = { system: long("instruction") };
    expect([await counted(bare), await counted(bare)]).toMatchObject([{ written: 0 }, { read: 0 }]);
    const short = { system: [text("Short.", mark)] };
    expect([await counted(short), await counted(short)]).toMatchObject([{ written: 0 }, { read: 0 }]);
  });

  it("Anthropic's cache lives five minutes after each use, or an hour", async () => {
    const { written } = await counted(opening);
    vendors().advance(4 * minute);
    expect(await counted(opening)).toMatchObject({ read: written });
    vendors().advance(4 * minute);
    expect(await counted(opening)).toMatchObject({ read: written });
    vendors().advance(5 * minute);
    expect(await counted(opening)).toMatchObject({ read: 0, written });
    const lasting = { system: [text(long("lasting"), hour)] };
    const first = await counted(lasting);
    expect(first).toMatchObject({ written: 0 });
    vendors().advance(59 * minute);
    expect(await counted(lasting)).toMatchObject({ read: first.hour, hour: 0 });
  });

  it("Anthropic's cache writes the hour's part before the rest", async () => {
    const messages = [marked(long("question"))];
    const usage = await counted({ system: [text(long("lasting"), hour)], messages });
    expect(usage.hour).toBeGreaterThan(700);
    expect(usage.written).toBeGreaterThan(700);
    expect(usage.fresh).toBe(0);
  });

  const changes: { what: string; body: Body }[] = [
    { what: "a tool more", body: { tools: [lookup, { ...lookup, name: "weather" }] } },
    { what: "another system text", body: { system: [text(long("instructions"), mark)] } },
    { what: "another model", body: { model: "claude-opus-5-5" } },
    {
      what: "an answer format",
      body: { output_config: { format: { type: "json_schema", schema: { type: "string" } } } },
    },
  ];
  it.each(changes)("Anthropic's cache misses everything after $what", async ({ body }) => {
    await counted(opening);
    expect(await counted({ ...opening, ...body })).toMatchObject({ read: 0 });
  });

  it("Anthropic's cache keeps the opening but not the messages when the effort changes", async () => {
    const body = { ...opening, messages: [marked(long("question"))] };
    const first = await counted(body);
    expect((await counted(body)).read).toBe(first.written);
    const other = await counted({ ...body, output_config: { effort: "low" } });
    expect(other.read).toBeGreaterThan(700);
    expect(other.read).toBeLessThan(first.written ?? 0);
  });

  it("Anthropic's cache looks back twenty blocks from a mark", async () => {
    const [first, ...others] = Array.from({ length: 22 }, (_, index) => text(`question ${index}`));
    const start = { ...text(long("start")), ...mark };
    const { written } = await counted({ messages: [{ role: "user", content: [start] }] });
    const reaching = [start, ...others.slice(0, 18), { ...first, ...mark }].map((block, index) =>
      index === 0 ? text(long("start")) : block,
    );
    expect(await counted({ messages: [{ role: "user", content: reaching }] })).toMatchObject({
      read: written,
    });
    const beyond = [text(long("start")), ...others, text("last", mark)];
    expect(await counted({ messages: [{ role: "user", content: beyond }] })).toMatchObject({ read: 0 });
    vendors().reset();
    await counted({ messages: [{ role: "user", content: [start] }] });
    const helped = [start, ...others, text("last", mark)];
    expect(await counted({ messages: [{ role: "user", content: helped }] })).toMatchObject({ read: written });
  });

  it("Anthropic's cache grows with a conversation", async () => {
    const first = await claude({ model, ...opening, messages: [marked("one")] });
    const turn = { role: "assistant", content: first.content };
    const messages = [{ role: "user", content: [text("one")] }, turn, marked("two")];
    const second = await claude({ model, ...opening, messages });
    const total = (usage: Anthropic.Beta.BetaUsage) =>
      (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
    expect(second.usage.cache_read_input_tokens).toBe(total(first.usage));
    expect(second.usage.cache_creation_input_tokens).toBeGreaterThan(0);
  });

  it("Anthropic's cache misses everything at the first inline tool, unless a deferred placeholder was there before", async () => {
    const addition = {
      type: "tool_addition",
      tool: { type: "tool_definition", definition: { ...lookup, name: "weather" } },
    };
    const messages = [hello, { role: "system", content: [addition] }];
    await counted(opening);
    expect(await counted({ ...opening, messages }, [betas.inlineTools])).toMatchObject({ read: 0 });
    const prepared = { ...opening, tools: [lookup, { ...lookup, name: "placeholder", defer_loading: true }] };
    vendors().reset();
    const { written } = await counted(prepared);
    expect(await counted({ ...prepared, messages }, [betas.inlineTools])).toMatchObject({ read: written });
  });
});

describe("marks of the cache", () => {
  const five = Array.from({ length: 5 }, () => text("a", mark));
  const cases = [
    { what: "four", content: five.slice(1), expected: undefined },
    { what: "five", content: five, expected: "cache_marks" },
    { what: "an hour before five minutes", content: [text("a", hour), text("b", mark)], expected: undefined },
    {
      what: "an hour after five minutes",
      content: [text("a", mark), text("b", hour)],
      expected: "cache_ttl_order",
    },
  ];
  it.each(cases)("cache marks, $what: $expected", async ({ content, expected }) => {
    const call = claude({ model, messages: [{ role: "user", content }] });
    if (expected === undefined) await call;
    else await refusal(call);
    expect(rule()).toBe(expected);
  });

  it("cache marks are refused on thinking and on a deferred tool", async () => {
    const { content } = await claude({ model, messages: [hello] });
    const [thinking, ...rest] = content;
    const turn = { role: "assistant", content: [{ ...thinking, ...mark }, ...rest] };
    await refusal(claude({ model, messages: [hello, turn, hello] }));
    expect(rule()).toBe("cache_marks");
    await refusal(
      claude({
        model,
        messages: [hello],
        tools: [lookup, { ...lookup, name: "x", defer_loading: true, ...mark }],
      }),
    );
    expect(rule()).toBe("deferred_mark");
  });
});
