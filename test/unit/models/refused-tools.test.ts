import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/core/ports/model.ts";
import { type Json, type JsonSchema, objectOf } from "../../../src/core/values/json.ts";
import type { Message, ToolDefinition } from "../../../src/core/values/message.ts";
import { toolRefusal } from "../../../src/models/tools/tool-refusal.ts";
import { type SentBody, tool, useAnthropicServer, user } from "./anthropic/server.ts";
import { collect, finish, requestOf } from "./collect.ts";

const server = useAnthropicServer();
const ok = [{ type: "text", text: "ok" }];
const timeoutMs = 20_000;
const names = ({ tools = [] }: SentBody) =>
  tools.map(({ name }) => name).filter((name) => name !== "reserved_placeholder");
const all = (body: SentBody) => JSON.stringify(body.tools) + JSON.stringify(body.messages);

const propertiesOf = (schema: unknown) => objectOf(objectOf(schema as Json).properties);

describe("the names of properties", () => {
  const text = { type: "string" };
  const item: JsonSchema = { type: "object", properties: { "a b": text, a_b: text } };
  const parameters: JsonSchema = {
    oneOf: [
      { type: "object", properties: { $filter: text, "ids[]": { type: "array", items: item } } },
      { type: "object", properties: { größe: { type: "object", additionalProperties: item } } },
    ],
  };
  const odd: ToolDefinition = { ...tool("srv__odd"), parameters };
  /** The properties of the tool as they are sent. */
  const sent = () => propertiesOf(server.bodies()[0]?.tools?.[0]?.input_schema);

  it("property names are the vendor's on the way out and the tool's own in its calls, nested and in lists", async () => {
    const model = await server.model(
      "claude-sonnet-5-5",
      (body, count) => {
        if (count > 1) return ok;
        const properties = propertiesOf(body.tools?.[0]?.input_schema);
        const [filter = "", ids = "", size = ""] = Object.keys(properties);
        const { items = null } = objectOf(properties[ids]);
        const [inner = ""] = Object.keys(propertiesOf(items));
        const input = {
          [filter]: "x",
          [ids]: [{ [inner]: "1", a_b: "2" }],
          [size]: { free: { [inner]: "3" }, filter: { a_b: "4" } },
        };
        return [{ type: "tool_use", id: "t1", name: "srv__odd", input }];
      },
      { timeoutMs },
    );
    const { message } = await finish(model, requestOf("hello", { tools: [odd] }));
    for (const name of Object.keys(sent())) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(JSON.parse(message.tool_calls[0]?.arguments ?? "")).toEqual({
      $filter: "x",
      "ids[]": [{ "a b": "1", a_b: "2" }],
      größe: { free: { "a b": "3" }, filter: { a_b: "4" } },
    });
    const result: Message = { role: "tool", call_id: "t1", tool: "srv__odd", text: "done", is_error: false };
    await finish(model, requestOf("", { tools: [odd], messages: [user("hello"), message, result] }));
    const [, second] = server.bodies();
    const [use] = second?.messages[1]?.content ?? [];
    expect(Object.keys(use?.input as object)).toEqual(Object.keys(sent()));
  });

  it("property names leave every other character of the arguments unchanged, and come from another vendor's call", async () => {
    const model = await server.model("claude-sonnet-5-5", () => ok, { timeoutMs });
    const call = (args: string): Message[] => [
      user("hello"),
      { role: "assistant", text: "", tool_calls: [{ id: "t1", name: "srv__odd", arguments: args }] },
      { role: "tool", call_id: "t1", tool: "srv__odd", text: "done", is_error: false },
    ];
    const own = '{"$filter":"$filter","ids[]":[{"a b":"ids[]"}]}';
    await finish(model, requestOf("", { tools: [odd], messages: call(own) }));
    const [use] = server.bodies()[0]?.messages[1]?.content ?? [];
    const [filter = "", ids = ""] = Object.keys(sent());
    expect(use?.input).toMatchObject({ [filter]: "$filter", [ids]: [expect.anything()] });
    expect(JSON.stringify(use?.input)).not.toContain('"a b":');
  });
});

/** Refuses every request that has one of these tools, as Anthropic does: by place. */
function byPlace(bad: readonly string[]) {
  return (body: SentBody) => {
    const at = (body.tools ?? []).findIndex(({ name }) => bad.includes(String(name)));
    if (at >= 0) return `tools.${at}.custom.input_schema: JSON schema is invalid.`;
    const messages = body.messages.flatMap(({ content }, m) =>
      content.map((block, c) => ({ block, place: `messages.${m}.content.${c}` })),
    );
    const added = messages.find(({ block }) =>
      bad.some((name) => JSON.stringify(block).includes(`"name":"${name}"`)),
    );
    return added === undefined
      ? ok
      : `${added.place}.tool_addition.tool.definition.input_schema: JSON schema is invalid.`;
  };
}

describe("a tool that a vendor refuses all the same", () => {
  const tools = [tool("own"), tool("a__x"), tool("a__y"), tool("b__z")];

  it("a refused tool is left out at its place, with others, in the same request and in later ones", async () => {
    const model = await server.model("claude-sonnet-5-5", byPlace(["a__x", "b__z", "c__late"]), {
      timeoutMs,
    });
    const messages: Message[] = [
      user("hi"),
      { role: "system", text: "More.", add: [tool("c__late"), tool("c__fine")] },
    ];
    const { events } = await collect(model, requestOf("", { tools, messages }));
    expect(events.at(-1)).toMatchObject({ type: "finished" });
    expect(events.findLast(({ type }) => type === "left_out")).toMatchObject({
      model: "anthropic/claude-sonnet-5-5",
      tools: [{ name: "a__x" }, { name: "b__z" }, { name: "c__late" }],
    });
    expect(names(server.bodies().at(-1) as SentBody)).toEqual(["own", "a__y"]);
    const count = server.bodies().length;
    await finish(model, requestOf("again", { tools }));
    expect(server.bodies()).toHaveLength(count + 1);
    // Another definition of the same name is another tool.
    await finish(model, requestOf("again", { tools: [{ ...tool("own"), description: "New." }] }));
    expect(names(server.bodies().at(-1) as SentBody)).toEqual(["own"]);
  });

  it("a refused tool is found where the vendor names none, and nothing else is lost", async () => {
    const text = "Provider returned error";
    const model = await server.model(
      "claude-sonnet-5-5",
      (body) => (all(body).includes("a__y") ? text : ok),
      { timeoutMs },
    );
    const { events } = await collect(model, requestOf("hi", { tools }));
    expect(events.find(({ type }) => type === "left_out")).toMatchObject({ tools: [{ name: "a__y" }] });
    expect(names(server.bodies().at(-1) as SentBody)).toEqual(["own", "a__x", "b__z"]);
  });

  it("a refused tool is looked for within a bound, once, and the failure names servers and the cure", async () => {
    const model = await server.model("claude-sonnet-5-5", () => "Bad request", { timeoutMs });
    const { error } = await collect(model, requestOf("hi", { tools }));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      code: "invalid_request",
      seen: expect.stringContaining("/skill disable mcp_a, /skill disable mcp_b"),
    });
    const count = server.bodies().length;
    expect(count).toBeLessThan(8);
    await collect(model, requestOf("hi", { tools }));
    expect(server.bodies()).toHaveLength(count + 1);
  });

  it("a request whose every tool is refused still completes", async () => {
    const model = await server.model("claude-sonnet-5-5", byPlace(tools.map(({ name }) => name)), {
      timeoutMs,
    });
    await finish(model, requestOf("hi", { tools }));
    expect(server.bodies()).toHaveLength(tools.length + 1);
  });
});

const fn = (name: string) => ({ type: "function", function: { name, parameters: {} } });
const flat = (name: string) => ({ type: "function", name, parameters: {} });

it.each<[what: string, text: string, body: object, named: string[]]>([
  [
    "OpenAI, chat",
    "Invalid schema for function 'b': array schema missing items.",
    { tools: [fn("a"), fn("b")] },
    ["b"],
  ],
  [
    "OpenAI, by param",
    "400 tools[0].function.parameters: schema is wrong",
    { tools: [fn("a"), fn("b")] },
    ["a"],
  ],
  [
    "OpenAI, added tools",
    "Invalid schema: input[1].tools[0].parameters",
    { input: [{}, { tools: [flat("late")] }] },
    ["late"],
  ],
  [
    "Gemini",
    "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field.",
    { tools: [fn("a"), fn("b")] },
    ["b"],
  ],
  ["a name of a tool in other words", "The reasoning_effort of 'a' is not known", { tools: [fn("a")] }, []],
  ["an ability", "tools.1.defer_loading: Extra inputs are not permitted", { tools: [fn("a"), fn("b")] }, []],
])("the refused tool is read from the error: %s", (_vendor, text, body, named) => {
  const error = Object.assign(new Error(text), { status: 400, error: { message: text } });
  expect([...(toolRefusal(error, body)?.names ?? [])]).toEqual(named);
});
