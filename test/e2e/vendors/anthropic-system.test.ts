import { describe, expect, it } from "vitest";
import { betas } from "../../support/vendors/anthropic/anthropic-parameters.ts";
import { type Body, hello, lookup, refusal, useVendors } from "./use-vendors.ts";

const { claude, rule, vendors } = useVendors();

const sonnet = "claude-sonnet-5-5";
const inline = [betas.inlineTools];
const weather = { ...lookup, name: "weather" };
const add = (definition: object) => ({
  type: "tool_addition",
  tool: { type: "tool_definition", definition },
});
const byName = (type: string, name: string) => ({ type, tool: { type: "tool_reference", name } });
const system = (...content: object[]) => ({ role: "system", content });
const note = { role: "system", content: "It is Sunday." };
const answer = { role: "assistant", content: "Hi." };
const use = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "lookup", input: {} }] };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "found" }] };
const effort = { role: "system", content: [], output_config: { effort: "low" } };
const deferred = { ...weather, defer_loading: true };

interface Case {
  what: string;
  messages: object[];
  model?: string;
  betas?: readonly string[];
  more?: Body;
  rule?: string;
}

const cases: Case[] = [
  { what: "behind the question", messages: [hello, note] },
  { what: "between question and answer", messages: [hello, note, answer, hello] },
  { what: "several in a row", messages: [hello, note, note, answer, hello] },
  { what: "after results", messages: [hello, use, result, note] },
  { what: "between call and result", messages: [hello, use, note, result], rule: "tool_pair" },
  { what: "first", messages: [note, hello], rule: "system_place" },
  { what: "behind an answer", messages: [hello, answer, note, hello], rule: "system_place" },
  { what: "between two questions", messages: [hello, note, hello], rule: "system_place" },
  { what: "empty", messages: [hello, system()], rule: "empty_content" },
  { what: "empty text", messages: [hello, system({ type: "text", text: "" })], rule: "empty_text" },
  { what: "sonnet 5", model: "claude-sonnet-5", messages: [hello, note], rule: "system_in_place" },
  { what: "haiku 4.5", model: "claude-haiku-4-5", messages: [hello, note], rule: "system_in_place" },
  { what: "opus 4.8", model: "claude-opus-4-8", messages: [hello, note] },
  { what: "haiku 5.5", model: "claude-haiku-5-5", messages: [hello, note] },
  { what: "a new tool", betas: inline, messages: [hello, system(add(weather))] },
  { what: "a new tool without beta", messages: [hello, system(add(weather))], rule: "inline_tools_beta" },
  {
    what: "a new tool, other beta",
    betas: [betas.toolChanges],
    messages: [hello, system(add(weather))],
    rule: "inline_tools_beta",
  },
  {
    what: "a new tool by a user",
    betas: inline,
    messages: [{ role: "user", content: [add(weather)] }],
    rule: "block_role",
  },
  {
    what: "a bad new tool",
    betas: inline,
    messages: [hello, system(add({ ...weather, name: "a b" }))],
    rule: "tool_name",
  },
  {
    what: "removal",
    betas: [betas.toolChanges],
    messages: [hello, system(byName("tool_removal", "lookup"))],
  },
  {
    what: "removal of an inline tool",
    betas: inline,
    messages: [hello, system(add(weather)), answer, hello, system(byName("tool_removal", "weather"))],
  },
  {
    what: "removal of nothing",
    betas: inline,
    messages: [hello, system(byName("tool_removal", "weather"))],
    rule: "tool_reference",
  },
  {
    what: "a deferred tool by name",
    betas: [betas.toolChanges],
    more: { tools: [lookup, deferred] },
    messages: [hello, system(byName("tool_addition", "weather"))],
  },
  { what: "effort", betas: [betas.effort], messages: [hello, effort] },
  { what: "effort without beta", messages: [hello, effort], rule: "effort_beta" },
  {
    what: "effort, opus 4.8",
    model: "claude-opus-4-8",
    betas: [betas.effort],
    messages: [hello, effort],
    rule: "effort_in_place",
  },
  {
    what: "effort under between_tools",
    betas: [betas.effort],
    more: { thinking: { type: "between_tools" } },
    messages: [hello, effort],
    rule: "effort_in_place",
  },
];

describe("system messages among the others", () => {
  it.each(cases)(
    "system messages among the others, $what: $rule",
    async ({ model = sonnet, messages, betas: sent = [], more, rule: expected }) => {
      const call = claude({ model, messages, tools: [lookup], ...more }, sent);
      if (expected === undefined) await call;
      else await refusal(call);
      expect(rule()).toBe(expected);
    },
  );

  it("a script is shown the tools and instructions that apply at the end", async () => {
    const messages = [
      hello,
      system({ type: "text", text: "Now with weather." }, add(weather)),
      answer,
      hello,
      system(byName("tool_removal", "lookup")),
    ];
    await claude({ model: sonnet, system: "You help.", messages, tools: [lookup] }, inline);
    const view = vendors().requests().at(-1)?.view;
    expect(view?.tools.map(({ name }) => name)).toEqual(["weather"]);
    expect(view?.instructions).toBe("You help.\n\nNow with weather.");
    expect(view?.said).toBe("Hello");
  });

  it("a script that calls an unavailable tool is refused", async () => {
    vendors().script(() => ({ calls: [{ name: "weather", input: {} }] }));
    const { status } = await refusal(claude({ model: sonnet, messages: [hello], tools: [lookup] }));
    expect(status).toBe(500);
    expect(vendors().requests().at(-1)?.outcome).toBe("broken");
  });
});
