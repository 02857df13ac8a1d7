import { expect, it } from "vitest";
import { followDatabaseClock } from "../../../src/storage/postgres/database-clock.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";

/** A machine whose clock is `aheadMs` ahead of a database, which answers after `answerMs`. */
async function follow(aheadMs: number, answerMs = 0) {
  const machine = createFakeClock();
  const world = { aheadMs, answerMs };
  const get = async () => {
    const now = machine.now() - world.aheadMs;
    machine.advance(world.answerMs);
    return { now };
  };
  const calm = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number) => {
    machine.advance(ms);
    await calm();
  };
  return { machine, world, pass, time: await followDatabaseClock({ get }, machine) };
}

it.each([3_600_000, -3_600_000, 5_000])(
  "a clock that is %d ms ahead follows the database",
  async (aheadMs) => {
    const { machine, time } = await follow(aheadMs);
    expect(time.clock.now()).toBe(machine.now() - aheadMs);
    expect(time.ahead()).toBe(aheadMs);
  },
);

it.each([0, 999, -999])("a clock that is %d ms ahead is left alone", async (aheadMs) => {
  const { machine, time } = await follow(aheadMs);
  expect(time.clock.now()).toBe(machine.now());
  expect(time.ahead()).toBe(0);
});

it("a slow answer moves no clock, and a clock that is set later is followed within a minute", async () => {
  const { machine, world, pass, time } = await follow(500, 2_000);
  expect(time.ahead()).toBe(0);
  Object.assign(world, { aheadMs: 60_000, answerMs: 0 });
  await pass(60_000);
  expect(time.clock.now()).toBe(machine.now() - 60_000);
  time.stop();
  world.aheadMs = 0;
  await pass(120_000);
  expect(time.ahead()).toBe(60_000);
});
