import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import { type Json, type JsonSchema, objectOf } from "../../../src/core/values/json.ts";
import type { ToolDefinition } from "../../../src/core/values/message.ts";
import { createAnthropicModel } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiModel } from "../../../src/models/openai/openai.ts";
import { startVendors, type Vendors } from "../../support/vendors/vendors.ts";
import { collect, finish, requestOf } from "./collect.ts";

let vendors: Vendors;
beforeAll(async () => {
  vendors = await startVendors();
});
afterAll(() => vendors.stop());
beforeEach(() => vendors.reset());

const text = { type: "string" };
const object = (properties: Json, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const either: JsonSchema = {
  type: "object",
  anyOf: [
    object({ content: text }, { required: ["content"] }),
    object({ source_url: text }, { required: ["source_url"] }),
  ],
};

/** Schemas of tool servers, each legal in some draft, or nearly. */
const foreign: Record<string, Json> = {
  "a choice at the root": either,
  "a rule of required properties": object(
    { video_id: text, url: text },
    { oneOf: [{ required: ["video_id"] }, { required: ["url"] }] },
  ),
  "allOf of references": {
    allOf: [{ $ref: "#/$defs/a" }, object({ b: text })],
    $defs: { a: object({ a: text }, { required: ["a"] }) },
  },
  "a reference at the root": { $ref: "#/definitions/Args", definitions: { Args: object({ a: text }) } },
  "enum and not at the root": object({ a: text }, { enum: [{ a: "1" }], not: { required: ["b"] } }),
  "property names": object({
    $filter: text,
    "ids[]": { type: "array", items: text },
    "StartTime<": text,
    größe: text,
    "": text,
    [`${"x".repeat(80)}`]: text,
  }),
  "names within": object({
    list: { type: "array", items: object({ "a b": text }, { required: ["a b"] }) },
    map: { type: "object", additionalProperties: object({ "@id": text }) },
  }),
  "names within choices": {
    oneOf: [object({ $a: object({ $b: text }) }), object({ c: { anyOf: [object({ "d e": text }), text] } })],
  },
  "a list of anything": object({ ids: { type: "array" }, maybe: { type: ["array", "null"] } }),
  "draft 4 bounds": object({
    n: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
  }),
  "a tuple": object({ pair: { type: "array", items: [text, { type: "number" }], additionalItems: false } }),
  "a tuple that refers to itself": object({
    query: {
      type: "array",
      items: [object({ k: text })],
      additionalItems: { $ref: "#/properties/query/items/0" },
    },
  }),
  "pattern properties": { type: "object", patternProperties: { "^(.*)$": {} } },
  "draft 3": object({ a: { type: "string", required: true }, b: { type: "any" } }),
  nulls: { type: "object", properties: null, required: null },
  "no schema": null,
  "an empty schema": {},
  "a list": { type: "array", items: text },
  "properties that are no schemas": object({ a: true, b: false, c: "string", d: null }),
  "odd types": object({ a: { type: "String" }, b: { type: ["string", "string", "file"] }, c: { type: [] } }),
  nullable: object({ a: { type: "string", nullable: true, enum: ["x", "x"] } }),
  "null among values": object({ a: { type: "string", enum: ["x", null] }, b: { enum: [] } }),
  "remote references": object({
    a: { $ref: "https://example.com/schema.json" },
    b: { $ref: "#/nowhere" },
    c: { $ref: 5 },
  }),
  "a schema that contains itself": object({
    next: { $ref: "#" },
    "bad name": { $ref: "#/properties/bad%20name" },
  }),
  "a choice that contains itself": { anyOf: [{ $ref: "#" }, { $ref: "#" }, object({ a: text })] },
  "legacy identifiers": {
    id: "http://example.com/x",
    $schema: "http://json-schema.org/draft-04/schema#",
    ...object({ a: { id: "#a", type: "string", format: "made-up", pattern: "(?i)x" } }),
  },
  "bounds that are texts": object({
    a: { type: "string", maxLength: "10", minimum: "1" },
    b: { type: "array", items: text, uniqueItems: "yes" },
  }),
  "required twice": object({ a: text }, { required: ["a", "a", 5] }),
  dependencies: object(
    { a: text, "b c": text },
    { dependencies: { a: ["b c"], "b c": object({ d: text }) } },
  ),
  "names of every object": object({ __proto__: text, constructor: text, toString: { type: "array" } }),
  "a deep schema": Array.from({ length: 300 }).reduce<JsonSchema>(
    (inner) => object({ "in side": inner }),
    text,
  ),
};

const kinds: Record<string, () => Model> = {
  "anthropic messages": () =>
    createAnthropicModel({
      model: "claude-sonnet-5-5",
      apiKey: "key",
      baseUrl: vendors.anthropicUrl,
      timeoutMs: 30_000,
    }),
  "openai responses": () =>
    createOpenAiModel({
      model: "gpt-6.1-terra",
      api: "responses",
      apiKey: "key",
      baseUrl: vendors.openAiUrl,
      timeoutMs: 30_000,
    }),
  "chat completions": () =>
    createOpenAiModel({
      model: "any",
      api: "chat",
      apiKey: "key",
      baseUrl: vendors.compatibleUrl("plain"),
      timeoutMs: 30_000,
    }),
};

const toolOf = (parameters: Json): ToolDefinition => ({
  name: "srv__odd",
  description: "Odd.",
  parameters: parameters as JsonSchema,
});

/** The definitions a request has, wherever its vendor wants them. */
function sentTools(body: Json): JsonSchema[] {
  const { tools, input } = objectOf(body);
  const listed = Array.isArray(tools) ? tools : [];
  const items = Array.isArray(input) ? input.flatMap((item) => objectOf(item).tools ?? []) : [];
  return [...listed, ...items]
    .map((tool) => objectOf(objectOf(tool).function ?? tool))
    .filter(({ name }) => name !== "reserved_placeholder");
}

describe.each(Object.entries(kinds))("%s", (_kind, make) => {
  it.each(Object.entries(foreign))("a tool schema is accepted: %s", async (_what, parameters) => {
    const { events, error } = await collect(make(), requestOf("hello", { tools: [toolOf(parameters)] }));
    expect(error).toBeUndefined();
    expect(events.filter(({ type }) => type === "left_out")).toEqual([]);
    expect(vendors.requests()).toHaveLength(1);
  });

  it("a plain tool schema is sent byte for byte", async () => {
    const parameters = object(
      {
        a: { type: "string", enum: ["x"], default: "x" },
        list: { type: "array", items: { $ref: "#/$defs/i" } },
      },
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        additionalProperties: false,
        required: ["a"],
        $defs: { i: text },
      },
    );
    await finish(make(), requestOf("hello", { tools: [toolOf(parameters)] }));
    const [tool = {}] = sentTools(vendors.requests()[0]?.body ?? null);
    expect(JSON.stringify(tool.input_schema ?? tool.parameters)).toBe(JSON.stringify(parameters));
    expect(tool.description).toBe("Odd.");
  });

  it("a tool schema's rule of a root choice is put into words", async () => {
    await finish(make(), requestOf("hello", { tools: [toolOf(either)] }));
    const [tool = {}] = sentTools(vendors.requests()[0]?.body ?? null);
    expect(tool.description).toBe(
      'Odd.\nThe arguments must match: {"anyOf":[{"type":"object","properties":["content"],"required":["content"]},{"type":"object","properties":["source_url"],"required":["source_url"]}]}',
    );
    expect(tool.input_schema ?? tool.parameters).toEqual({
      type: "object",
      properties: { content: text, source_url: text },
    });
  });
});
