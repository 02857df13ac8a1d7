import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { betas } from "../../support/vendors/anthropic/anthropic-parameters.ts";
import { prefixDifference } from "../../support/vendors/prefix-stable.ts";
import { type Body, hello, lookup, refusal, useVendors } from "./use-vendors.ts";

// Tests of the product rely on the stand-ins to refuse, lose and miss what the vendors would. What they accept is proved by those tests.

const { claude, gpt, chat, rule, vendors } = useVendors();

const [sonnet, older, terra, mini] = [
  "claude-sonnet-5-5",
  "claude-haiku-4-5",
  "gpt-6.1-terra",
  "gpt-5.4-mini",
];
const next = { role: "user", content: "And now?" };
const note = { role: "system", content: "It is Sunday." };
const mark = { cache_control: { type: "ephemeral" } };
const last = () => vendors().requests().at(-1);
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const system = (...content: object[]) => ({ role: "system", content });
const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const turn = ({ content }: Anthropic.Beta.BetaMessage) => ({ role: "assistant", content });
const format = (schema: object) => ({ output_config: { format: { type: "json_schema", schema } } });
const effort = (value: string) => ({ output_config: { effort: value } });

const use = { type: "tool_use", id: "toolu_a", name: "lookup", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_a", content: "found" };
const addition = {
  type: "tool_addition",
  tool: { type: "tool_definition", definition: { ...lookup, name: "x" } },
};
const removal = { type: "tool_removal", tool: { type: "tool_reference", name: "weather" } };

describe("the stand-in for Anthropic", () => {
  it.each<[string, Body, model?: string]>([
    ["forced_tool_choice", { tool_choice: { type: "any" } }],
    ["tool_choice", { tools: undefined, tool_choice: { type: "auto" } }],
    ["thinking_disabled", { thinking: { type: "disabled" } }],
    ["between_tools", { thinking: { type: "between_tools" }, ...effort("xhigh") }],
    ["thinking_field", { thinking: { type: "between_tools", display: "summarized" } }],
    ["thinking_enabled", { thinking: { type: "enabled", budget_tokens: 2_000 } }],
    ["budget", { thinking: { type: "enabled", budget_tokens: 9_000 } }, older],
    ["thinking_adaptive", { thinking: { type: "adaptive" } }, older],
    ["display_beta", { thinking: { type: "adaptive", display: "updates" } }],
    ["binding_beta", { thinking: { type: "adaptive", block_binding: {} } }],
    ["sampling", { temperature: 0.2 }],
    ["effort", effort("none")],
    ["effort", effort("low"), older],
    ["max_tokens", { max_tokens: 200_000 }],
    ["unknown_field", { seed: 1 }],
    ["output_schema", format({ type: "object", properties: {} })],
    ["prefill", { messages: [hello, assistant(text("It is"))] }],
    ["no_messages", { messages: [] }],
    ["first_user", { messages: [assistant(text("Hi")), hello] }],
    ["empty_text", { messages: [user(text(" \n"))] }],
    ["empty_content", { messages: [user()] }],
    ["tool_pair", { messages: [hello, assistant(use), user(text("Well?"), result)] }],
    ["tool_pair", { messages: [hello, assistant(use), hello] }],
    ["tool_pair", { messages: [user(result)] }],
    ["tool_id", { messages: [hello, assistant(use), user(result), assistant(use), user(result)] }],
    ["block_role", { messages: [user(use)] }],
    ["tools_missing", { tools: undefined, messages: [hello, assistant(use), user(result)] }],
    ["tool_name", { tools: [{ ...lookup, name: "look up" }] }],
    ["tool_name", { tools: [lookup, lookup] }],
    ["input_schema", { tools: [{ ...lookup, input_schema: { type: "object", anyOf: [{}] } }] }],
    ["all_deferred", { tools: [{ ...lookup, defer_loading: true }] }],
    ["deferred_mark", { tools: [lookup, { ...lookup, name: "x", defer_loading: true, ...mark }] }],
    ["cache_marks", { messages: [user(...Array.from({ length: 5 }, () => text("a", mark)))] }],
    [
      "cache_ttl_order",
      { messages: [user(text("a", mark), text("b", { cache_control: { type: "ephemeral", ttl: "1h" } }))] },
    ],
    ["system_place", { messages: [hello, assistant(text("Hi.")), note, hello] }],
    ["system_in_place", { messages: [hello, note] }, older],
    ["inline_tools_beta", { messages: [hello, system(addition)] }],
    ["effort_beta", { messages: [hello, { ...system(), ...effort("low") }] }],
    ["model", {}, "claude-nova-9"],
  ])("refuses by the rule %s: %j", async (expected, body, model = sonnet) => {
    const { status, message } = await refusal(claude({ model, messages: [hello], tools: [lookup], ...body }));
    expect(rule()).toBe(expected);
    expect(status).toBe(expected === "model" ? 404 : 400);
    expect(message).toContain('"type":"error"');
  });

  it("refuses the removal of a tool that is not there", async () => {
    await refusal(
      claude({ model: sonnet, messages: [hello, system(removal)], tools: [lookup] }, [betas.inlineTools]),
    );
    expect(rule()).toBe("tool_reference");
  });

  const opening = { model: sonnet, system: "You help.", tools: [lookup] };

  it.each([
    ["another system text", { system: "You help much." }, []],
    ["another tool", { tools: [lookup, { ...lookup, name: "weather" }] }, []],
    ["a message put before it", {}, [note]],
  ])("refuses signed thinking behind %s", async (_, body, before) => {
    const first = await claude({ ...opening, messages: [hello] });
    await refusal(claude({ ...opening, ...body, messages: [hello, ...before, turn(first), next] }));
    expect(rule()).toBe("prefix_mismatch");
  });

  it("counts the thinking that is dropped for a changed prefix, and that left out", async () => {
    const first = await claude({ ...opening, messages: [hello] });
    const drop = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
    await claude({ ...opening, system: "Changed.", thinking: drop, messages: [hello, turn(first), next] }, [
      betas.binding,
    ]);
    expect(last()).toMatchObject({ reasoning_lost: 1, reasoning_omitted: 0 });
    const spoken = assistant(...first.content.filter(({ type }) => type !== "thinking"));
    await claude({ ...opening, messages: [hello, spoken, next] });
    expect(last()).toMatchObject({ reasoning_lost: 0, reasoning_omitted: 1 });
  });

  it.each<[string, Body, cached: boolean]>([
    ["another question", { messages: [next] }, true],
    ["a tool more", { tools: [lookup, { ...lookup, name: "weather" }] }, false],
    ["another system text", { system: [text("instructions ".repeat(800), mark)] }, false],
    ["another model", { model: "claude-opus-5-5" }, false],
    ["an answer format", format({ type: "string" }), false],
  ])("reads its cache after %s: %s", async (_, body, cached) => {
    const cacheable = { ...opening, system: [text("instruction ".repeat(800), mark)], messages: [hello] };
    await claude(cacheable);
    const { usage } = await claude({ ...cacheable, ...body });
    expect((usage.cache_read_input_tokens ?? 0) > 0).toBe(cached);
  });

  it("Anthropic keeps its cache for five minutes after each use", async () => {
    const cacheable = { ...opening, system: [text("instruction ".repeat(800), mark)], messages: [hello] };
    const reads: boolean[] = [];
    for (const minutes of [0, 4, 4, 6]) {
      vendors().advance(minutes * 60_000);
      reads.push(((await claude(cacheable)).usage.cache_read_input_tokens ?? 0) > 0);
    }
    expect(reads).toEqual([false, true, true, false]);
  });
});

const tool = {
  type: "function",
  name: "lookup",
  parameters: { type: "object", properties: {} },
  strict: false,
};
const call = { type: "function_call", call_id: "call_a", name: "lookup", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_a", output: "found" };
const more = { type: "additional_tools", role: "developer", tools: [{ ...tool, name: "weather" }] };
const update = { type: "configuration_update", reasoning: { effort: "low" } };
const search = {
  type: "tool_search_call",
  call_id: "s",
  execution: "client",
  status: "completed",
  arguments: {},
};

describe("the stand-in for OpenAI's responses", () => {
  it.each<[string, Body, model?: string]>([
    ["effort", { reasoning: { effort: "minimal" } }],
    ["sampling", { temperature: 0.2 }],
    ["reasoning_context", { reasoning: { context: "all_turns" } }, mini],
    ["cache_retention", { prompt_cache_retention: "24h" }],
    ["cache_options", { prompt_cache_options: { ttl: "1h" } }],
    ["cache_key", { prompt_cache_key: "k".repeat(65) }],
    ["max_tokens", { max_output_tokens: 8 }],
    ["stateless", { previous_response_id: "resp_1" }],
    ["unknown_field", { messages: [] }],
    ["model", {}, "gpt-7"],
    ["tool_schema", { tools: [{ ...tool, strict: true }] }],
    ["tool_name", { tools: [tool, tool] }],
    [
      "output_schema",
      { text: { format: { type: "json_schema", name: "a", schema: tool.parameters, strict: true } } },
    ],
    ["tool_pair", { input: [hello, call] }],
    ["tool_pair", { input: [hello, output, call] }],
    ["call_id", { input: [hello, call, output, call, output] }],
    ["arguments", { input: [hello, { ...call, arguments: {} }, output] }],
    ["role", { input: [{ role: "tool", content: "x" }] }],
    ["content_type", { input: [hello, assistant({ type: "input_text", text: "x" })] }],
    ["item_id", { input: [hello, { ...call, id: "call_1" }, output] }],
    ["additional_tools", { input: [more, hello] }, mini],
    ["additional_tools", { tools: [{ ...tool, name: "weather" }], input: [more, hello] }],
    ["tool_search", { input: [hello, search] }, mini],
    ["configuration_update", { input: [hello, update, update] }],
  ])("refuses by the rule %s: %j", async (expected, body, model = terra) => {
    expect((await refusal(gpt({ model, input: [hello], ...body }))).status).toBe(400);
    expect(rule()).toBe(expected);
  });

  const include = ["reasoning.encrypted_content"];
  const ask = (input: unknown[], changes: object = {}) =>
    gpt({ model: terra, include, tools: [tool], input, ...changes });

  it.each([
    ["a changed question", [next], {}],
    ["an inserted message", [{ role: "developer", content: "x" }, hello], {}],
    ["other tools", [hello], { tools: undefined }],
    ["other instructions", [hello], { instructions: "x" }],
  ])("loses encrypted reasoning in silence behind %s", async (_, before, changes) => {
    const { output: items } = await ask([hello]);
    await ask([...before, ...items, next], changes);
    expect(last()).toMatchObject({ outcome: "answered", reasoning_lost: 1 });
  });

  it("counts reasoning that is left out, and refuses half of a pair", async () => {
    const { output: items } = await ask([hello]);
    const [reasoning, { id: _, ...message } = { id: "" }] = items;
    await ask([hello, message, next]);
    expect(last()).toMatchObject({ reasoning_omitted: 1, reasoning_lost: 0 });
    await refusal(ask([hello, reasoning, next]));
    expect(rule()).toBe("reasoning_pair");
    await refusal(ask([hello, { ...reasoning, encrypted_content: "changed" }, items[1], next]));
    expect(rule()).toBe("encrypted_content");
  });

  it("reads its cache behind the same beginning only", async () => {
    const long = { role: "developer", content: "instruction ".repeat(2_000) };
    const cached = async (input: unknown[]) =>
      (await ask(input)).usage?.input_tokens_details.cached_tokens ?? 0;
    expect(await cached([long, hello])).toBe(0);
    expect(await cached([long, next])).toBeGreaterThan(1_700);
    expect(await cached([hello, long])).toBe(0);
  });
});

const asked = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } }],
};
const told = { role: "tool", tool_call_id: "call_1", content: "found" };
const chatTool = { type: "function", function: { name: "lookup", parameters: tool.parameters } };

describe("the stand-in for chat completions", () => {
  it.each<[string, "openai" | "deepseek" | "gemini" | "strict" | "plain", Body]>([
    ["tools_with_reasoning", "openai", { tools: [chatTool] }],
    ["max_tokens", "openai", { max_tokens: 50 }],
    ["sampling", "openai", { temperature: 0 }],
    ["unknown_field", "strict", { max_completion_tokens: 50 }],
    ["role", "deepseek", { messages: [{ role: "developer", content: "You help." }, hello] }],
    ["system_place", "strict", { messages: [hello, note] }],
    ["reasoning_content", "deepseek", { messages: [hello, asked, told] }],
    ["thought_signature", "gemini", { messages: [hello, asked, told] }],
    ["tool_pair", "plain", { messages: [hello, asked, hello] }],
    ["tool_pair", "plain", { messages: [hello, told] }],
    ["empty_content", "plain", { messages: [{ role: "user", content: null }] }],
    ["tools_empty", "plain", { tools: [] }],
  ])("refuses by the rule %s, as %s: %j", async (expected, kind, body) => {
    const [model, served] = kind === "openai" ? [terra, undefined] : [`${kind}-chat`, kind];
    expect((await refusal(chat({ model, messages: [hello], ...body }, served))).status).toBe(400);
    expect(rule()).toBe(expected);
  });
});

it("a request is compared with the one before it but for cache marks", async () => {
  const difference = () => {
    const [a, b] = vendors().requests().slice(-2);
    return a === undefined || b === undefined ? "two requests are compared" : prefixDifference(a, b);
  };
  const opening = { model: sonnet, system: [text("You help.", mark)], tools: [lookup] };
  const first = await claude({ ...opening, messages: [hello] });
  await claude({ ...opening, tools: [{ ...lookup, ...mark }], messages: [hello, turn(first), next] });
  expect(difference()).toBeUndefined();
  await claude({ ...opening, system: "You help much.", messages: [hello, next] });
  expect(difference()).toContain("You help much.");
});
