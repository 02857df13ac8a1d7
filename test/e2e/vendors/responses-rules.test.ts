import { describe, expect, it } from "vitest";
import { type Body, refusal, useVendors } from "./use-vendors.ts";

const { gpt, rule, vendors } = useVendors();

const [terra, astra, mini, legacy] = ["gpt-6.1-terra", "gpt-6-astra", "gpt-5.4-mini", "gpt-5-mini"];
const strictSchema = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const open = { type: "object", properties: { a: { type: "string" } } };
const tool = { type: "function", name: "lookup", description: "Looks up.", parameters: open, strict: false };
const hello = { role: "user", content: "Hello" };
const call = { type: "function_call", call_id: "call_a", name: "lookup", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_a", output: "found" };
const more = { type: "additional_tools", role: "developer", tools: [{ ...tool, name: "weather" }] };
const search = {
  type: "tool_search_call",
  call_id: "s",
  execution: "client",
  status: "completed",
  arguments: {},
};
const found = {
  type: "tool_search_output",
  call_id: "s",
  execution: "client",
  status: "completed",
  tools: [{ ...tool, name: "weather" }],
};
const update = { type: "configuration_update", reasoning: { effort: "low" } };
const format = (schema: object, strict = true) => ({
  text: { format: { type: "json_schema", name: "answer", schema, strict } },
});

interface Case {
  what: string;
  model?: string;
  body: Body;
  rule?: string;
}

const parameters: Case[] = [
  { what: "effort none, terra", body: { reasoning: { effort: "none" } } },
  { what: "effort max, terra", body: { reasoning: { effort: "max" } } },
  { what: "effort none, astra", model: astra, body: { reasoning: { effort: "none" } }, rule: "effort" },
  { what: "effort none, sol", model: "gpt-6.1-sol", body: { reasoning: { effort: "none" } }, rule: "effort" },
  { what: "effort minimal, 5-mini", model: legacy, body: { reasoning: { effort: "minimal" } } },
  { what: "effort minimal, terra", body: { reasoning: { effort: "minimal" } }, rule: "effort" },
  { what: "effort max, 5.4-mini", model: mini, body: { reasoning: { effort: "max" } }, rule: "effort" },
  { what: "temperature", body: { temperature: 0.2 }, rule: "sampling" },
  { what: "temperature without reasoning", body: { temperature: 0.2, reasoning: { effort: "none" } } },
  { what: "temperature, 5.4-mini's default", model: mini, body: { temperature: 0.2 } },
  { what: "context all_turns", body: { reasoning: { context: "all_turns" } } },
  {
    what: "context, 5.4-mini",
    model: mini,
    body: { reasoning: { context: "all_turns" } },
    rule: "reasoning_context",
  },
  { what: "retention, GPT-6", body: { prompt_cache_retention: "24h" }, rule: "cache_retention" },
  { what: "retention, 5-mini", model: legacy, body: { prompt_cache_retention: "24h" } },
  { what: "cache options", body: { prompt_cache_options: { ttl: "12h" } } },
  { what: "cache options, other time", body: { prompt_cache_options: { ttl: "1h" } }, rule: "cache_options" },
  { what: "cache options, 5.4-mini", model: mini, body: { prompt_cache_options: {} }, rule: "cache_options" },
  { what: "cache key", body: { prompt_cache_key: "k".repeat(64) } },
  { what: "long cache key", body: { prompt_cache_key: "k".repeat(65) }, rule: "cache_key" },
  { what: "few tokens", body: { max_output_tokens: 8 }, rule: "max_tokens" },
  { what: "a stored answer before", body: { previous_response_id: "resp_1" }, rule: "stateless" },
  { what: "unknown field", body: { messages: [] }, rule: "unknown_field" },
  { what: "unknown model", model: "gpt-7", body: {}, rule: "model" },
  { what: "strict tool", body: { tools: [{ ...tool, parameters: strictSchema, strict: true }] } },
  {
    what: "strict tool with an open schema",
    body: { tools: [{ ...tool, strict: true }] },
    rule: "tool_schema",
  },
  {
    what: "strict tool with an optional property",
    body: { tools: [{ ...tool, strict: true, parameters: { ...strictSchema, required: [] } }] },
    rule: "tool_schema",
  },
  { what: "tool name", body: { tools: [{ ...tool, name: "look up" }] }, rule: "tool_name" },
  { what: "tool twice", body: { tools: [tool, tool] }, rule: "tool_name" },
  { what: "format", body: format(strictSchema) },
  { what: "format with an open schema", body: format(open), rule: "output_schema" },
  { what: "format with an open schema, not strict", body: format(open, false) },
];

const inputs: Case[] = [
  { what: "call and output", body: { tools: [tool], input: [hello, call, output] } },
  { what: "call alone", body: { tools: [tool], input: [hello, call] }, rule: "tool_pair" },
  { what: "output alone", body: { input: [hello, output] }, rule: "tool_pair" },
  {
    what: "output before its call",
    body: { tools: [tool], input: [hello, output, call] },
    rule: "tool_pair",
  },
  { what: "call twice", body: { input: [hello, call, output, call, output] }, rule: "call_id" },
  {
    what: "arguments as an object",
    body: { input: [hello, { ...call, arguments: {} }, output] },
    rule: "arguments",
  },
  { what: "unknown role", body: { input: [{ role: "tool", content: "x" }] }, rule: "role" },
  {
    what: "input text of the assistant",
    body: { input: [hello, { role: "assistant", content: [{ type: "input_text", text: "x" }] }] },
    rule: "content_type",
  },
  { what: "text of the assistant", body: { input: [hello, { role: "assistant", content: "x" }, hello] } },
  {
    what: "id of another kind",
    body: { input: [hello, { ...call, id: "call_1" }, output] },
    rule: "item_id",
  },
  { what: "developer message", body: { input: [hello, { role: "developer", content: "It is Sunday." }] } },
  { what: "more tools", body: { tools: [tool], input: [more, hello] } },
  { what: "more tools, 5.4-mini", model: mini, body: { input: [more, hello] }, rule: "additional_tools" },
  {
    what: "more tools by a user",
    body: { input: [{ ...more, role: "user" }, hello] },
    rule: "additional_tools",
  },
  {
    what: "more tools in place of one of the list",
    body: { tools: [{ ...tool, name: "weather" }], input: [more, hello] },
    rule: "additional_tools",
  },
  { what: "more tools in place of earlier ones", body: { input: [more, hello, more] } },
  { what: "tool search, 5.4-mini", model: mini, body: { input: [hello, search, found] } },
  {
    what: "tool search, 5-mini",
    model: legacy,
    body: { input: [hello, search, found] },
    rule: "tool_search",
  },
  { what: "tool search without output", model: mini, body: { input: [hello, search] }, rule: "tool_search" },
  {
    what: "tool search of the server",
    model: mini,
    body: { input: [hello, { ...search, execution: "server" }, found] },
    rule: "tool_search",
  },
  { what: "effort in the middle", body: { input: [hello, update] } },
  {
    what: "effort in the middle, 5.4-mini",
    model: mini,
    body: { input: [hello, update] },
    rule: "configuration_update",
  },
  { what: "two updates in a row", body: { input: [hello, update, update] }, rule: "configuration_update" },
  {
    what: "unknown effort in the middle",
    model: astra,
    body: { input: [hello, { ...update, reasoning: { effort: "none" } }] },
    rule: "effort",
  },
];

describe.each([
  { of: "parameters", cases: parameters },
  { of: "input", cases: inputs },
])("the responses API's rules of $of", ({ cases }) => {
  it.each(cases)(
    "the responses API's rules, $what: $rule",
    async ({ model = terra, body, rule: expected }) => {
      const asked = gpt({ model, input: [hello], ...body });
      if (expected === undefined) await asked;
      else expect((await refusal(asked)).status).toBe(400);
      expect(rule()).toBe(expected);
    },
  );
});

it("a script is shown the tools that were added", async () => {
  const redefined = { ...more, tools: [{ ...tool, name: "weather", description: "New." }] };
  await gpt({
    model: terra,
    tools: [tool],
    instructions: "You help.",
    input: [more, hello, redefined, { role: "developer", content: "Use it." }],
  });
  const view = vendors().requests().at(-1)?.view;
  expect(view?.tools.map(({ name, description }) => [name, description])).toEqual([
    ["lookup", "Looks up."],
    ["weather", "New."],
  ]);
  expect(view?.instructions).toBe("You help.\n\nUse it.");
});
