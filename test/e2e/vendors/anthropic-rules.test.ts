import { describe, expect, it } from "vitest";
import { betas } from "../../support/vendors/anthropic/anthropic-parameters.ts";
import { type Body, hello, lookup, refusal, useVendors } from "./use-vendors.ts";

const { claude, rule } = useVendors();

const [sonnet, opus, haiku] = ["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5"];
const [fable, older, sonnet5] = ["claude-fable-5-2", "claude-haiku-4-5", "claude-sonnet-5"];
const use = { type: "tool_use", id: "toolu_a", name: "lookup", input: {} };
const result = { type: "tool_result", tool_use_id: "toolu_a", content: "found" };
const asked = [hello, { role: "assistant", content: [use] }];
const strict = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
const effort = (value: string) => ({ output_config: { effort: value } });
const thinking = (type: string, more: object = {}) => ({ thinking: { type, ...more } });
const format = (schema: object) => ({ output_config: { format: { type: "json_schema", schema } } });
const text = (value: string) => ({ role: "user", content: [{ type: "text", text: value }] });

interface Case {
  what: string;
  model?: string;
  body: Body;
  betas?: string[];
  /** Absent when the request is answered. */
  rule?: string;
}

const parameters: Case[] = [
  { what: "forced tool, sonnet", body: { tool_choice: { type: "any" } }, rule: "forced_tool_choice" },
  {
    what: "forced tool, opus",
    model: opus,
    body: { tool_choice: { type: "tool", name: "lookup" } },
    rule: "forced_tool_choice",
  },
  {
    what: "forced tool, fable",
    model: fable,
    body: { tool_choice: { type: "any" } },
    rule: "forced_tool_choice",
  },
  { what: "forced tool, haiku", model: haiku, body: { tool_choice: { type: "any" } } },
  { what: "forced tool, 4.5", model: older, body: { tool_choice: { type: "any" } } },
  { what: "tool_choice none", body: { tool_choice: { type: "none" } } },
  {
    what: "tool_choice without tools",
    body: { tools: undefined, tool_choice: { type: "auto" } },
    rule: "tool_choice",
  },
  { what: "thinking disabled, sonnet", body: thinking("disabled"), rule: "thinking_disabled" },
  { what: "thinking disabled, opus", model: opus, body: thinking("disabled"), rule: "thinking_disabled" },
  { what: "thinking disabled, haiku", model: haiku, body: thinking("disabled") },
  {
    what: "thinking disabled, haiku at max",
    model: haiku,
    body: { ...thinking("disabled"), ...effort("max") },
    rule: "thinking_disabled",
  },
  { what: "between_tools, sonnet", body: { ...thinking("between_tools"), ...effort("high") } },
  {
    what: "between_tools at xhigh",
    body: { ...thinking("between_tools"), ...effort("xhigh") },
    rule: "between_tools",
  },
  {
    what: "between_tools with display",
    body: thinking("between_tools", { display: "summarized" }),
    rule: "thinking_field",
  },
  { what: "between_tools, opus", model: opus, body: thinking("between_tools"), rule: "between_tools" },
  { what: "between_tools, haiku", model: haiku, body: thinking("between_tools"), rule: "between_tools" },
  { what: "budget, sonnet", body: thinking("enabled", { budget_tokens: 2_000 }), rule: "thinking_enabled" },
  {
    what: "budget, haiku",
    model: haiku,
    body: thinking("enabled", { budget_tokens: 2_000 }),
    rule: "thinking_enabled",
  },
  { what: "budget, 4.5", model: older, body: thinking("enabled", { budget_tokens: 2_000 }) },
  {
    what: "budget above max_tokens",
    model: older,
    body: thinking("enabled", { budget_tokens: 9_000 }),
    rule: "budget",
  },
  { what: "adaptive", body: thinking("adaptive", { display: "summarized" }) },
  { what: "adaptive, 4.5", model: older, body: thinking("adaptive"), rule: "thinking_adaptive" },
  { what: "updates", body: thinking("adaptive", { display: "updates" }), betas: [betas.updates] },
  { what: "updates without beta", body: thinking("adaptive", { display: "updates" }), rule: "display_beta" },
  { what: "block_binding", body: thinking("adaptive", { block_binding: {} }), betas: [betas.binding] },
  {
    what: "block_binding without beta",
    body: thinking("adaptive", { block_binding: {} }),
    rule: "binding_beta",
  },
  { what: "temperature, sonnet", body: { temperature: 0.2 }, rule: "sampling" },
  { what: "default temperature", body: { temperature: 1 } },
  { what: "top_k, haiku", model: haiku, body: { top_k: 5 }, rule: "sampling" },
  { what: "temperature, 4.5", model: older, body: { temperature: 0.2 } },
  { what: "effort", body: effort("max") },
  { what: "effort none", body: effort("none"), rule: "effort" },
  { what: "effort, 4.5", model: older, body: effort("low"), rule: "effort" },
  { what: "no max_tokens", body: { max_tokens: undefined }, rule: "max_tokens" },
  { what: "max_tokens above the model's", body: { max_tokens: 200_000 }, rule: "max_tokens" },
  { what: "unknown field", body: { seed: 1 }, rule: "unknown_field" },
  { what: "schema", body: format(strict) },
  { what: "open schema", body: format({ type: "object", properties: {} }), rule: "output_schema" },
  {
    what: "schema with minimum",
    body: format({ ...strict, properties: { a: { type: "integer", minimum: 1 } } }),
    rule: "output_schema",
  },
];

const conversations: Case[] = [
  {
    what: "prefill, sonnet",
    body: { messages: [hello, { role: "assistant", content: "It is" }] },
    rule: "prefill",
  },
  {
    what: "prefill, haiku",
    model: haiku,
    body: { messages: [hello, { role: "assistant", content: "It is" }] },
    rule: "prefill",
  },
  {
    what: "prefill, 4.5",
    model: older,
    body: { messages: [hello, { role: "assistant", content: "It is" }] },
  },
  {
    what: "prefill with space, 4.5",
    model: older,
    body: { messages: [hello, { role: "assistant", content: "It is " }] },
    rule: "prefill",
  },
  { what: "no messages", body: { messages: [] }, rule: "no_messages" },
  {
    what: "assistant first",
    body: { messages: [{ role: "assistant", content: "Hi" }, hello] },
    rule: "first_user",
  },
  { what: "empty text", body: { messages: [text("")] }, rule: "empty_text" },
  { what: "white text", body: { messages: [text(" \n")] }, rule: "empty_text" },
  { what: "empty content", body: { messages: [{ role: "user", content: [] }] }, rule: "empty_content" },
  { what: "empty system", body: { system: [{ type: "text", text: "" }] }, rule: "empty_text" },
  { what: "answered call", body: { messages: [...asked, { role: "user", content: [result] }] } },
  {
    what: "answer and words",
    body: { messages: [...asked, { role: "user", content: [result, ...text("Well?").content] }] },
  },
  {
    what: "words before the answer",
    body: { messages: [...asked, { role: "user", content: [...text("Well?").content, result] }] },
    rule: "tool_pair",
  },
  { what: "unanswered call", body: { messages: [...asked, hello] }, rule: "tool_pair" },
  { what: "answer of nothing", body: { messages: [{ role: "user", content: [result] }] }, rule: "tool_pair" },
  {
    what: "the same id twice",
    body: {
      messages: [
        ...asked,
        { role: "user", content: [result] },
        { role: "assistant", content: [use] },
        { role: "user", content: [result] },
      ],
    },
    rule: "tool_id",
  },
  {
    what: "results in two messages",
    body: {
      messages: [
        hello,
        { role: "assistant", content: [use, { ...use, id: "b" }] },
        { role: "user", content: [result] },
        { role: "user", content: [{ ...result, tool_use_id: "b" }] },
      ],
    },
  },
  { what: "call by a user", body: { messages: [{ role: "user", content: [use] }] }, rule: "block_role" },
  {
    what: "call without tools",
    body: { tools: undefined, messages: [...asked, { role: "user", content: [result] }] },
    rule: "tools_missing",
  },
  { what: "tool name", body: { tools: [{ ...lookup, name: "look up" }] }, rule: "tool_name" },
  { what: "tool twice", body: { tools: [lookup, lookup] }, rule: "tool_name" },
  { what: "schema of a tool", body: { tools: [{ ...lookup, input_schema: {} }] }, rule: "input_schema" },
  {
    what: "choice at the root of a schema",
    body: { tools: [{ ...lookup, input_schema: { type: "object", anyOf: [{}] } }] },
    rule: "input_schema",
  },
  { what: "one deferred tool", body: { tools: [lookup, { ...lookup, name: "later", defer_loading: true }] } },
  { what: "all deferred", body: { tools: [{ ...lookup, defer_loading: true }] }, rule: "all_deferred" },
  { what: "unknown model", model: "claude-nova-9", body: {}, rule: "model" },
  { what: "sonnet 5 with a plain request", model: sonnet5, body: {} },
];

describe.each([
  { of: "parameters", cases: parameters },
  { of: "conversations", cases: conversations },
])("Anthropic's rules of $of", ({ cases }) => {
  it.each(cases)(
    "Anthropic's rules, $what: $rule",
    async ({ model = sonnet, body, betas: sent = [], rule: expected }) => {
      const call = claude({ model, messages: [hello], tools: [lookup], ...body }, sent);
      if (expected === undefined) {
        await call;
        expect(rule()).toBeUndefined();
      } else {
        const { status } = await refusal(call);
        expect({ status, rule: rule() }).toEqual({
          status: expected === "model" ? 404 : 400,
          rule: expected,
        });
      }
    },
  );
});

it("the fake says what it refuses in the vendor's shape", async () => {
  const call = claude({ model: sonnet, messages: [hello], temperature: 0 });
  expect((await refusal(call)).message).toContain('"type":"invalid_request_error"');
});

it("the fake wants a key", async () => {
  const call = claude({ model: sonnet, messages: [hello] }, [], "");
  await expect(call).rejects.toThrow();
});
