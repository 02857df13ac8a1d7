import { expect, it } from "vitest";
import { destinationsIn } from "../../../src/core/call-binding.ts";
import type { Json } from "../../../src/core/json.ts";

it.each<[string, Json, Json | undefined]>([
  ["a recipient", { to: "ann", text: "hi" }, { to: "ann" }],
  [
    "names of several words",
    { channelId: "C1", webhook_url: "u", body: "b" },
    { channelId: "C1", webhook_url: "u" },
  ],
  ["nested ones, by their paths", { message: { cc: ["a"], subject: "s" } }, { "message.cc": ["a"] }],
  [
    "ones in lists",
    { items: [{ email: "a" }, { email: "b" }] },
    { "items.0.email": "a", "items.1.email": "b" },
  ],
  ["a command line", { skill_name: "s", command: "rm x" }, { command: "rm x" }],
  ["nothing where there is none", { text: "to ann", total: 3 }, {}],
  ["nothing of what is no object", "to", {}],
  ["not more than can be kept", { to: "x".repeat(5_000) }, undefined],
])("always here is bound to %s", (_what, input, expected) => {
  expect(destinationsIn(input)).toEqual(expected);
});

it("survives arguments that are nested as deeply as a model likes", () => {
  let input: Json = "end";
  for (let depth = 0; depth < 50_000; depth += 1) input = [input];
  expect(destinationsIn({ text: input })).toBeUndefined();
  expect(destinationsIn({ to: input })).toBeUndefined();
});
