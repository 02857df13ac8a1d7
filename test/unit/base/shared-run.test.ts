import { expect, test } from "vitest";
import { sharedRun } from "../../../src/base/shared-run.ts";

/** Work whose runs end when they are told to. */
function controlled() {
  const runs: PromiseWithResolvers<number>[] = [];
  const run = sharedRun(() => {
    const next = Promise.withResolvers<number>();
    runs.push(next);
    return next.promise;
  });
  return { run, runs };
}

test("callers during a run share one further run that starts after it", async () => {
  const { run, runs } = controlled();
  const first = run();
  const late = [run(), run()];
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve(2);
  expect(await Promise.all(late)).toEqual([2, 2]);
  expect(runs).toHaveLength(2);
});

test("a failed run rejects only for its callers", async () => {
  const { run, runs } = controlled();
  const first = run();
  const late = run();
  runs[0]?.reject(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve(2);
  expect(await late).toBe(2);
});

test("a call after a run starts another one", async () => {
  const { run, runs } = controlled();
  const first = run();
  runs[0]?.resolve(1);
  await first;
  const second = run();
  runs[1]?.resolve(2);
  expect(await second).toBe(2);
});
