import { expect, it } from "vitest";
import { Slots } from "../../../src/base/slots.ts";

const never = new AbortController().signal;

it("slots run as many works at a time as there are slots, in the order of arrival", async () => {
  const slots = new Slots(2);
  const started: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const works = gates.map(({ promise }, at) =>
    slots.run(never, async () => {
      started.push(at);
      await promise;
      return at;
    }),
  );
  expect(started).toEqual([0, 1]);
  gates[1]?.resolve();
  await works[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(works)).toEqual([0, 1, 2, 3]);
});

it("a slot is given back when a work fails, and the place of an aborted work goes to the next", async () => {
  const slots = new Slots(1);
  const gate = Promise.withResolvers<void>();
  const failing = slots.run(never, () => gate.promise);
  const stop = new AbortController();
  const aborted = slots.run(stop.signal, async () => "not run");
  const last = slots.run(never, async () => "run");
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  gate.reject(new Error("broken"));
  await expect(failing).rejects.toThrow("broken");
  expect(await last).toBe("run");
  await expect(slots.run(AbortSignal.abort(new Error("late")), async () => "not run")).rejects.toThrow(
    "late",
  );
});
