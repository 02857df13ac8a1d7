import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { betas } from "../../support/vendors/anthropic/anthropic-parameters.ts";
import { hello, lookup, refusal, useVendors } from "./use-vendors.ts";

const { claude, rule, vendors, anthropic } = useVendors();

const sonnet = "claude-sonnet-5-5";
const opening = { system: "You help.", tools: [lookup] };
const next = { role: "user", content: "And now?" };
const note = { role: "system", content: "It is Sunday." };
const turn = ({ content }: Anthropic.Beta.BetaMessage) => ({ role: "assistant", content });
const spoken = ({ content }: Anthropic.Beta.BetaMessage) => ({
  role: "assistant",
  content: content.filter(({ type }) => type !== "thinking"),
});
const drop = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };

/** A conversation of two answers. */
async function twoTurns(model = sonnet) {
  const first = await claude({ model, ...opening, messages: [hello] });
  const second = await claude({ model, ...opening, messages: [hello, turn(first), next] });
  return { first, second, all: [hello, turn(first), next, turn(second), next] };
}

describe("signed thinking", () => {
  it("signed thinking is first in every answer, with an empty text unless a summary is requested", async () => {
    const { content } = await claude({ model: sonnet, messages: [hello] });
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(content[0]).toMatchObject({ thinking: "" });
    const thinking = { type: "adaptive", display: "summarized" };
    const summarized = await claude({ model: sonnet, messages: [hello], thinking });
    expect(summarized.content[0]).not.toMatchObject({ thinking: "" });
  });

  it("signed thinking does not come from a model that was not asked to think", async () => {
    const { content } = await claude({ model: "claude-haiku-4-5", messages: [hello] });
    expect(content.map(({ type }) => type)).toEqual(["text"]);
  });

  it("signed thinking is accepted behind the same prefix, with or without cache marks", async () => {
    const { all } = await twoTurns();
    const mark = { cache_control: { type: "ephemeral" } };
    await claude({
      model: sonnet,
      system: [{ type: "text", text: "You help.", ...mark }],
      tools: [{ ...lookup, ...mark }],
      messages: all,
    });
    await claude({ model: sonnet, ...opening, messages: [...all.slice(0, -1), next, note] });
    expect(
      vendors()
        .requests()
        .map((one) => one.reasoning_lost + one.reasoning_omitted),
    ).toEqual([0, 0, 0, 0]);
  });

  const mismatches = [
    { what: "another system text", body: { system: "You help much." } },
    { what: "another tool", body: { tools: [lookup, { ...lookup, name: "weather" }] } },
    { what: "another question", body: {}, at: 0, message: { role: "user", content: "Hallo" } },
  ];
  it.each(mismatches)("signed thinking is refused behind $what", async ({ body, at, message }) => {
    const { all } = await twoTurns();
    const messages = all.map((one, index) => (index === at ? message : one));
    const { message: text } = await refusal(claude({ model: sonnet, ...opening, ...body, messages }));
    expect(text).toContain("messages.1.content.0: Invalid `signature` in `thinking` block.");
    expect(rule()).toBe("prefix_mismatch");
  });

  it("signed thinking is refused when a message was put before it", async () => {
    const { first } = await twoTurns();
    await refusal(claude({ model: sonnet, ...opening, messages: [hello, note, turn(first), next] }));
    expect(rule()).toBe("prefix_mismatch");
  });

  it("signed thinking is refused when an earlier block was left out, and accepted when all are: they count as omitted", async () => {
    const { first, second } = await twoTurns();
    const messages = [hello, spoken(first), next, turn(second), next];
    await refusal(claude({ model: sonnet, ...opening, messages }));
    expect(rule()).toBe("prefix_mismatch");
    await claude({ model: sonnet, ...opening, messages: [hello, spoken(first), next, spoken(second), next] });
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_omitted: 2, reasoning_lost: 0 });
  });

  it("signed thinking is refused when it was changed", async () => {
    const { first } = await twoTurns();
    const [block, ...rest] = first.content;
    const content = [{ ...block, thinking: "I think otherwise." }, ...rest];
    await refusal(
      claude({ model: sonnet, ...opening, messages: [hello, { role: "assistant", content }, next] }),
    );
    expect(rule()).toBe("signature");
  });

  it("signed thinking is dropped on request, and later thinking stays valid", async () => {
    const { all } = await twoTurns();
    const changed = { model: sonnet, system: "Changed.", tools: [lookup], thinking: drop };
    const third = await claude({ ...changed, messages: all }, [betas.binding]);
    expect(third.input_transformations).toHaveLength(2);
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 2 });
    await claude({ ...changed, messages: [...all, turn(third), next] }, [betas.binding]);
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 2, refused: [] });
  });

  it("signed thinking is dropped or only reported for an account that is set so", async () => {
    for (const prefix_mismatch of ["drop", "report"] as const) {
      vendors().reset({ prefix_mismatch });
      const { all } = await twoTurns();
      const { input_transformations } = await claude({ model: sonnet, tools: [lookup], messages: all }, [
        betas.binding,
      ]);
      const type = prefix_mismatch === "drop" ? "thinking_dropped" : "thinking_mismatch_allowed";
      expect(input_transformations?.map((one) => one.type)).toEqual([type, type]);
      expect(vendors().requests().at(-1)?.reasoning_lost).toBe(prefix_mismatch === "drop" ? 2 : 0);
    }
  });

  it("signed thinking of another model is dropped without an error, and is there for the return", async () => {
    const { all } = await twoTurns();
    const other = await claude({ model: "claude-opus-5-5", ...opening, messages: all });
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 0, refused: [] });
    expect(vendors().requests().at(-1)?.dropped).toHaveLength(2);
    await claude({ model: sonnet, ...opening, messages: [...all, turn(other), next] });
    expect(
      vendors()
        .requests()
        .at(-1)
        ?.dropped.map(({ reason }) => reason),
    ).toEqual(["model"]);
  });

  it("signed thinking is bound to the account with Sonnet, not with Opus", async () => {
    const { all } = await twoTurns();
    await claude({ model: sonnet, ...opening, messages: all }, [], "key-b");
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 2 });
    const opus = await twoTurns("claude-opus-5-5");
    await claude({ model: "claude-opus-5-5", ...opening, messages: opus.all }, [], "key-b");
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 0 });
  });

  it("signed thinking is not checked by an older model", async () => {
    const model = "claude-haiku-4-5";
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const first = await claude({ model, thinking, messages: [hello] });
    await claude({ model, thinking, system: "Changed.", messages: [hello, turn(first), next] });
    expect(rule()).toBeUndefined();
  });
});

describe("a streamed answer", () => {
  it("a streamed answer has thinking, text between tools within it, and calls", async () => {
    vendors().script(({ results }) =>
      results.length > 0
        ? { text: "Found." }
        : { text: "I look.", calls: [{ name: "lookup", input: { query: "x" } }] },
    );
    const body = {
      model: sonnet,
      max_tokens: 4_000,
      ...opening,
      thinking: { type: "adaptive", display: "summarized" },
    };
    const ask = (messages: object[]) =>
      anthropic()
        .beta.messages.stream({ ...body, messages } as never)
        .finalMessage();
    const first = await ask([hello]);
    expect(first.content).toMatchObject([
      { type: "thinking", thinking: expect.stringContaining("I look.") },
      { type: "tool_use", name: "lookup", input: { query: "x" } },
    ]);
    expect(first.stop_reason).toBe("tool_use");
    const [, use] = first.content;
    const id = use?.type === "tool_use" ? use.id : "";
    const content = [{ type: "tool_result", tool_use_id: id, content: "x is y" }];
    const second = await ask([hello, turn(first), { role: "user", content }]);
    expect(second.content.at(-1)).toMatchObject({ type: "text", text: "Found." });
    expect(vendors().requests().at(-1)).toMatchObject({ reasoning_lost: 0, reasoning_omitted: 0 });
  });

  it("a streamed answer is cut at max_tokens, thinking included", async () => {
    vendors().script(() => ({ text: "word ".repeat(400), reasoning_tokens: 90 }));
    const answer = await claude({ model: sonnet, max_tokens: 100, messages: [hello] });
    expect(answer.stop_reason).toBe("max_tokens");
    expect(answer.usage.output_tokens).toBe(100);
  });
});
