import { expect, it } from "vitest";
import { destinationsIn, readArguments } from "../../../../src/core/values/call-arguments.ts";
import { keptValues } from "../../../../src/core/values/call-binding.ts";
import type { Json } from "../../../../src/core/values/json.ts";

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
])("a never is bound to %s", (_what, input, expected) => {
  expect(destinationsIn(input)).toEqual(expected);
});

/** Names of arguments that tools of servers have for where a call goes and what it does. */
const names = (
  "iban payee id customer_id issue ticket sql query code handle wallet dest topic namespace name database table branch who key args " +
  "empfaenger destinataire Empfänger 收件人 text_收件人 textTo content_type reply_to amount command"
).split(" ");

it.each(names)("an always is bound to %s [always-1]", (name) => {
  for (const value of ["DE01-LANDLORD", 7, ["a", { text: "b" }], { text: "b" }])
    expect(readArguments({ [name]: value, text: "hello" })).toMatchObject({ free: { text: "hello" } });
  expect(Object.keys(readArguments({ [name]: "x" }).bound)).toEqual([name]);
});

it.each<[string, Json, Json, Json]>([
  [
    "what holds others is looked into",
    { data: { iban: "x", body: "b" } },
    { "data.iban": "x" },
    { "data.body": "b" },
  ],
  [
    "lists are, too",
    { blocks: [{ type: "p", text: "b" }] },
    { "blocks.0.type": "p" },
    { "blocks.0.text": "b" },
  ],
  [
    "all else is bound as a whole",
    { where: { text: "b" }, text: ["a"] },
    { where: { text: "b" }, text: ["a"] },
    {},
  ],
  [
    "an id in the place of a message is bound",
    { message: "m1", comment: "well said" },
    { message: "m1" },
    { comment: "well said" },
  ],
  [
    "no two paths are written alike",
    { "data.to": "ann", data: { to: "eve" } },
    { '"data.to"': "ann", "data.to": "eve" },
    {},
  ],
  [
    "nothing is the name of a prototype",
    JSON.parse('{"__proto__":{"to":"ann"}}'),
    { '"__proto__"': { to: "ann" } },
    {},
  ],
  ["a list alone is bound", ["to"], { "0": "to" }, {}],
  ["a text alone is bound", "to", { "": "to" }, {}],
  ["none are none", {}, {}, {}],
])("arguments are read into bound and free ones: %s", (_what, input, bound, free) => {
  expect(readArguments(input)).toEqual({ bound, free });
});

it("long values, and many of them, are bound by their hash", async () => {
  const sql = "select 1 ".repeat(1_000);
  const kept = (await keptValues({ sql, db: "main" })) ?? {};
  expect(kept).toEqual({ db: "main", "sql (9002 characters)": expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await keptValues({ sql: `${sql}.`, db: "main" })).not.toEqual(kept);
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, "x".repeat(20)]));
  expect(Object.keys((await keptValues(many)) ?? {})).toEqual([expect.stringMatching(/^all but free text/)]);
  expect(await keptValues({ ...many, a7: "y" })).not.toEqual(await keptValues(many));
});

it("arguments that a tool declares open are bound no more than free text, at the top level only", () => {
  const input = { url: "u", search: "words", data: { search: "words", body: "b" } };
  const { bound, free } = readArguments(input, ["search"]);
  expect(bound).toEqual({ url: "u", "data.search": "words" });
  expect(Object.keys(free)).toEqual(["search", "data.body"]);
});

it("arguments nested as deeply as a model likes are survived", async () => {
  let input: Json = "end";
  for (let depth = 0; depth < 50_000; depth += 1) input = [input];
  expect(destinationsIn({ text: input })).toBeUndefined();
  expect(destinationsIn({ to: input })).toBeUndefined();
  const deep = readArguments({ data: input, to: input });
  expect(Object.keys(deep.bound)).toHaveLength(2);
  expect(await keptValues(deep.bound)).toBeUndefined();
});
