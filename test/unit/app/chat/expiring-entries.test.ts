import { expect, test } from "vitest";
import { ExpiringEntries } from "../../../../src/app/chat/expiring-entries.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { sealKeyValue } from "../../../../src/storage/sealed-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

type Counted = { until: number; count: number };

function setUp({ groups = 4, most = 100 } = {}) {
  const store = createMemoryKeyValue();
  const clock = createFakeClock(1_000);
  const open = () => new ExpiringEntries<Counted>(store, clock, "counts", { groups, most });
  return { store, clock, open, entries: open() };
}

test("an entry is there until it expires, and is deleted with the next change of its group", async () => {
  const { store, clock, entries } = setUp({ groups: 1 });
  expect(await entries.change("a", () => ({ until: 2_000, count: 1 }))).toBeUndefined();
  expect(await entries.get("a")).toEqual({ until: 2_000, count: 1 });
  clock.advance(1_000);
  expect(await entries.get("a")).toBeUndefined();
  expect(await entries.all()).toEqual([]);
  await entries.change("b", () => ({ until: 9_000, count: 2 }));
  expect(Object.values((await store.get("counts")) ?? {})).toEqual([{ until: 9_000, count: 2 }]);
});

test("a change gets the entry as another process left it, returns it, and may delete it", async () => {
  const { open, entries } = setUp();
  await entries.change("a", () => ({ until: 2_000, count: 5 }));
  const take = (entry: Counted | undefined) => entry && { ...entry, count: entry.count - 1 };
  const before = await Promise.all([open(), open(), open()].map((each) => each.change("a", take)));
  expect(before.map((entry) => entry?.count).sort()).toEqual([3, 4, 5]);
  expect(await open().change("a", () => undefined)).toMatchObject({ count: 2 });
  expect(await entries.get("a")).toBeUndefined();
});

test("the entries unchanged for the longest time make room for new ones", async () => {
  const { entries } = setUp({ groups: 1, most: 2 });
  for (const id of ["a", "b"]) await entries.change(id, () => ({ until: 9_000, count: 0 }));
  await entries.change("a", (entry) => entry && { ...entry, count: 1 });
  await entries.change("c", () => ({ until: 9_000, count: 2 }));
  expect((await entries.all()).map(({ count }) => count)).toEqual([1, 2]);
});

test("entries are spread over groups, and their ids cannot be read in the store", async () => {
  const { store, entries } = setUp({ groups: 3 });
  for (let n = 0; n < 20; n += 1) await entries.change(`person-${n}`, () => ({ until: 9_000, count: n }));
  const keys = await Array.fromAsync(store.keys("counts"));
  expect(keys).toEqual(["counts:0", "counts:1", "counts:2"]);
  expect(JSON.stringify(await Promise.all(keys.map(store.get)))).not.toContain("person");
  expect(await entries.all()).toHaveLength(20);
});

test("entries encrypted with another key are replaced by the next change", async () => {
  const { store, clock } = setUp();
  const sealed = (byte: number) => sealKeyValue(store, async () => new Uint8Array(32).fill(byte));
  const open = (byte: number) => new ExpiringEntries<Counted>(sealed(byte), clock, "counts", { most: 5 });
  await open(1).change("a", () => ({ until: 9_000, count: 1 }));
  await expect(open(2).get("a")).rejects.toMatchObject({ code: "cannot_open" });
  await open(2).change("b", () => ({ until: 9_000, count: 2 }));
  expect((await open(2).all()).map(({ count }) => count)).toEqual([2]);
});
