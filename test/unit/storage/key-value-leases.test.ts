import { expect, test } from "vitest";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";

function twoOwners() {
  const store = createMemoryKeyValue();
  let now = 1_000;
  const clock = { steady: () => now };
  return {
    one: createKeyValueLeases(store, "one", clock),
    two: createKeyValueLeases(store, "two", clock),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("only one of two gets a lease, however they hurry, and taking it again is no error", async () => {
  const { one, two } = twoOwners();
  expect(await Promise.all([one.acquire("a", 100), two.acquire("a", 100)])).toEqual([true, false]);
  expect(await one.acquire("a", 100)).toBe(true);
  expect(await two.acquire("b", 100)).toBe(true);
});

test("a renewed lease stays; an expired one passes on, and its old owner is told", async () => {
  const { one, two, pass } = twoOwners();
  await one.acquire("a", 100);
  pass(60);
  expect(await one.renew("a", 100)).toBe(true);
  pass(60);
  expect(await two.acquire("a", 100)).toBe(false);
  pass(60);
  expect(await two.acquire("a", 100)).toBe(true);
  expect(await one.renew("a", 100)).toBe(false);
});

test("an expired lease is not renewed, even when nobody else took it", async () => {
  const { one, two, pass } = twoOwners();
  await one.acquire("a", 100);
  pass(100);
  expect(await one.renew("a", 100)).toBe(false);
  await one.acquire("a", 100);
  pass(99);
  expect(await two.acquire("a", 100)).toBe(false);
  pass(1);
  expect(await two.acquire("a", 100)).toBe(true);
});

test("a released lease is free, and nobody can release another's", async () => {
  const { one, two } = twoOwners();
  await one.acquire("a", 100);
  await two.release("a");
  expect(await two.acquire("a", 100)).toBe(false);
  await one.release("a");
  expect(await two.acquire("a", 100)).toBe(true);
});
