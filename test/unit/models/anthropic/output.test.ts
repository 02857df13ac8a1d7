import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../../src/core/values/json.ts";
import { closedSchema } from "../../../../src/models/anthropic/request.ts";
import { finish, turnRequest } from "../collect.ts";
import { tool, useAnthropicServer } from "./server.ts";

const server = useAnthropicServer();

const city: JsonSchema = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 } },
  required: ["city"],
};
const closedCity = {
  type: "object",
  properties: { city: { type: "string", description: "minLength: 1" } },
  required: ["city"],
  additionalProperties: false,
};
const rome = '{"city":"Rome"}';
const answer = (text: string) => [{ type: "text", text }];

describe("structured output", () => {
  it("structured output is requested in a format where the model takes schemas, and never by a forced tool", async () => {
    const model = await server.model("claude-sonnet-5-5", () => answer(rome));
    const request = turnRequest("Which city?", {
      output_schema: city,
      tools: [tool("search")],
      effort: "none",
    });
    expect((await finish(model, request)).message.text).toBe(rome);
    expect(server.bodies()[0]).toMatchObject({
      output_config: { effort: "low", format: { type: "json_schema", schema: closedCity } },
      tool_choice: { type: "none" },
    });
  });

  it("structured output is wrapped when it is not an object, and unwrapped again", async () => {
    const model = await server.model("claude-sonnet-5-5", () => answer('{"value":["a"]}'));
    const output_schema: JsonSchema = { type: "array", items: { type: "string" } };
    const { message } = await finish(model, turnRequest("List.", { output_schema }));
    expect(message.text).toBe('["a"]');
    expect(server.bodies()[0]?.tool_choice).toBeUndefined();
  });

  it("structured output is requested with a tool where the model takes no schemas", async () => {
    const content = [{ type: "tool_use", id: "a", name: "answer", input: { city: "Rome" } }];
    const model = await server.model("llama", () => content);
    const { message } = await finish(model, turnRequest("Which city?", { output_schema: city }));
    expect(message.text).toBe(rome);
    expect(server.bodies()[0]).toMatchObject({
      tools: [{ name: "answer", input_schema: city }],
      tool_choice: { type: "tool", name: "answer" },
    });
  });

  it.each(["claude-sonnet-5-5", "claude-haiku-5-5"])(
    "structured output of a schema that cannot be closed is requested from %s by what it takes",
    async (name) => {
      const output_schema: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
      const isHaiku = name.includes("haiku");
      const called = [{ type: "tool_use", id: "a", name: "answer", input: { city: "Rome" } }];
      const model = await server.model(name, () => (isHaiku ? called : answer(rome)));
      const { message } = await finish(model, turnRequest("Which city?", { output_schema }));
      expect(message.text).toBe(rome);
      const [body] = server.bodies();
      expect(body?.output_config).toBeUndefined();
      if (isHaiku) expect(body?.tool_choice).toMatchObject({ type: "tool" });
      else expect(JSON.stringify(body?.system)).toContain("JSON Schema");
    },
  );

  it("structured output is requested in words when the server refuses the schema, without loss of anything else", async () => {
    const model = await server.model("claude-sonnet-5-5", ({ output_config }) =>
      JSON.stringify(output_config)?.includes("format")
        ? "output_config.format.schema: too many optional properties"
        : answer(rome),
    );
    const request = turnRequest("Which city?", { output_schema: city, effort: "high" });
    expect((await finish(model, request)).message.text).toBe(rome);
    expect(server.bodies().map(({ output_config }) => output_config)).toMatchObject([
      { effort: "high", format: {} },
      { effort: "high" },
    ]);
  });
});

it("a request to Anthropic that forbids calls keeps its tools", async () => {
  const model = await server.model("claude-sonnet-5-5");
  const request = turnRequest("Sum up.", { tools: [tool("search")] });
  await finish(model, request);
  await finish(model, { ...request, no_calls: true });
  const [first, second] = server.bodies();
  expect(second).toEqual({ ...first, tool_choice: { type: "none" } });
});

it.each([
  [undefined, 32_000],
  [500, 500],
])(
  "the output is limited to what is configured (%s), or to a roomy limit",
  async (maxOutputTokens, limit) => {
    const model = await server.model("claude-sonnet-5-5", undefined, { maxOutputTokens });
    await finish(model, turnRequest("hello"));
    expect(server.bodies()[0]?.max_tokens).toBe(limit);
    const keys = Object.keys(server.bodies()[0] ?? {});
    expect(keys.sort()).toEqual(["max_tokens", "messages", "model", "stream", "system", "thinking"]);
  },
);

describe("a schema for constrained decoding", () => {
  it("a schema for constrained decoding has every object closed and says other constraints in words", () => {
    const schema: JsonSchema = {
      type: "object",
      description: "A trip.",
      minProperties: 1,
      properties: {
        days: { type: "integer", minimum: 1, description: "How long." },
        when: { type: "string", format: "date" },
        phone: { type: "string", format: "phone" },
        type: { enum: [{ free: true }, null] },
        stops: { type: "array", items: { $ref: "#/$defs/stop" } },
        by: { oneOf: [{ type: "string" }, { type: ["object", "null"], properties: {} }] },
      },
      $defs: { stop: { type: "object", properties: { name: { type: "string" } } } },
    };
    expect(closedSchema(schema)).toEqual({
      type: "object",
      description: "A trip.\nminProperties: 1",
      properties: {
        days: { type: "integer", description: "How long.\nminimum: 1" },
        when: { type: "string", format: "date" },
        phone: { type: "string", description: 'format: "phone"' },
        type: { enum: [{ free: true }, null] },
        stops: { type: "array", items: { $ref: "#/$defs/stop" } },
        by: {
          anyOf: [
            { type: "string" },
            { type: ["object", "null"], properties: {}, additionalProperties: false },
          ],
        },
      },
      $defs: {
        stop: { type: "object", properties: { name: { type: "string" } }, additionalProperties: false },
      },
      additionalProperties: false,
    });
  });

  it.each<JsonSchema>([
    { type: "object" },
    { type: "object", properties: { a: { type: "object", additionalProperties: true } } },
    { type: "array", items: { type: "object", patternProperties: { x: {} } } },
    { type: "array", prefixItems: [{ type: "string" }] },
  ])("a schema for constrained decoding does not exist for %j", (schema) => {
    expect(closedSchema(schema)).toBeUndefined();
  });
});
