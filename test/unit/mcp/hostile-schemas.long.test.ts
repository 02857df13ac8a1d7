import { setImmediate } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import type { Validation } from "../../../src/core/skill/tool.ts";
import type { JsonSchema } from "../../../src/core/values/json.ts";
import { createArgumentCheck } from "../../../src/mcp/argument-check.ts";

const check = createArgumentCheck();
afterAll(() => check.close());

/** How often others had their turn while arguments were checked. */
async function turnsDuring(checking: Validation | Promise<Validation>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const done = Promise.resolve(checking).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    turns += 1;
  }
  await done;
  return turns;
}

const endless = "^(a+)+$";
const long = `${"a".repeat(40)}!`;
/** Each definition asks the next one twice. */
const doubling = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, at === 59 ? { type: "object" } : { allOf: [next, next] }];
  }),
);
const hostile: [string, JsonSchema, unknown][] = [
  ["a pattern", { properties: { x: { type: "string", pattern: endless } } }, { x: long }],
  ["a pattern of names", { patternProperties: { [endless]: {} } }, { [long]: 1 }],
  ["what names are to be", { propertyNames: { pattern: endless } }, { [long]: 1 }],
  ["a pattern below others", { not: { properties: { x: { pattern: endless } } } }, { x: long }],
  ["references to references", { $ref: "#/$defs/d0", $defs: doubling }, {}],
  [
    "a list without equals",
    { properties: { x: { uniqueItems: true } } },
    { x: Array.from({ length: 15_000 }, (_, at) => ({ at })) },
  ],
];

it.each(hostile)(
  "a check that would take for ever holds up nobody, and is left to the server: %s [server-4]",
  async (_, schema, input) => {
    const validate = check.of("server", { type: "object", ...schema });
    expect(await turnsDuring(validate(input))).toBeGreaterThan(100);
    expect(await validate(input)).toEqual({ ok: true, value: input });
  },
);

it("other schemas are checked in between, patterns included", async () => {
  const schema = { type: "object", properties: { x: { type: "string", pattern: "^a+$" } }, required: ["x"] };
  const validate = check.of("server", schema);
  const [slow] = hostile;
  const [, ...answers] = await Promise.all([
    check.of("server", slow?.[1] ?? {})(slow?.[2]),
    validate({ x: "aa" }),
    validate({ x: "b" }),
    validate({}),
  ]);
  expect(answers.map(({ ok }) => ok)).toEqual([true, false, false]);
});

it("a schema that the validator cannot read lets everything pass", async () => {
  const schemas = [{ type: "nonsense" }, { properties: { x: { pattern: "(" } } }, { $ref: "#/nowhere" }];
  for (const schema of schemas)
    expect(await check.of("server", schema)({ x: 1 })).toMatchObject({ ok: true });
});
