import { expect, it } from "vitest";
import { type Allowance, destinationsIn, isAllowed } from "../../../src/core/allowance.ts";
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
  ["not more than an allowance keeps", { to: "x".repeat(5_000) }, undefined],
])("always here is bound to %s", (_what, input, expected) => {
  expect(destinationsIn(input)).toEqual(expected);
});

it("survives arguments that are nested as deeply as a model likes", () => {
  let input: Json = "end";
  for (let depth = 0; depth < 50_000; depth += 1) input = [input];
  expect(destinationsIn({ text: input })).toBeUndefined();
  expect(destinationsIn({ to: input })).toBeUndefined();
});

const binding = { skill_id: "mail", tool: "send", definition: "d1", values: {} };
const allowance = (more: Partial<Allowance> = {}): Allowance => ({
  ...{ id: 1, binding, approver: "asker", by: "ann", name: "Ann", at: 0 },
  ...more,
});

it.each<[string, Partial<Allowance>, { kind: "schedule" | "trigger"; id: string } | undefined, boolean]>([
  ["in the channel counts in turns of people", {}, undefined, true],
  ["in the channel counts in a schedule", {}, { kind: "schedule", id: "s1" }, true],
  ["in the channel does not count in a trigger", {}, { kind: "trigger", id: "t1" }, false],
  ["within a trigger counts there", { within: "t1" }, { kind: "trigger", id: "t1" }, true],
  ["within a trigger does not count in another", { within: "t1" }, { kind: "trigger", id: "t2" }, false],
  ["within a trigger does not count elsewhere", { within: "t1" }, undefined, false],
  ["of one person counts for nobody else", { only_for: "ann" }, undefined, false],
])("what is always allowed %s", (_what, more, cause, expected) => {
  expect(isAllowed([allowance(more)], binding, { approver: "asker", asker: "ben", cause })).toBe(expected);
});
