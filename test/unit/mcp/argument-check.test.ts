import { afterAll, expect, it } from "vitest";
import { createArgumentCheck } from "../../../src/mcp/argument-check.ts";

const check = createArgumentCheck();
afterAll(() => check.close());

const endless = { type: "object", properties: { x: { type: "string", pattern: "^(a+)+$" } } };
const hostile = Array.from({ length: 2 }, (_, at) => ({ ...endless, title: `Schema ${at}` }));
const input = { x: `${"a".repeat(40)}!` };

it("argument checks of one server do not wait for the hostile schemas of another [server-4]", async () => {
  const done: string[] = [];
  const validate = check.of("honest", { type: "object", required: ["y"] });
  await Promise.all([
    ...hostile.map(async (schema) => {
      expect(await check.of("hostile", schema)(input)).toEqual({ ok: true, value: input });
      done.push("hostile");
    }),
    (async () => {
      expect(await validate({})).toMatchObject({ ok: false });
      expect(await validate({ y: 1 })).toMatchObject({ ok: true });
      done.push("honest");
    })(),
  ]);
  expect(done).toEqual(["honest", "hostile", "hostile"]);
});
