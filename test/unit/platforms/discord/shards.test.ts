import { describe, expect, test } from "vitest";
import { hears, partsOf } from "../../../../src/platforms/discord/connection/heard-shards.ts";
import { createIdentifyTurns } from "../../../../src/platforms/discord/connection/identify-turns.ts";
import { ShardHolder } from "../../../../src/platforms/discord/connection/shard-holder.ts";
import { createKeyValueLeases } from "../../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

/** Processes on one store. */
function setUp() {
  const store = createMemoryKeyValue();
  const clock = createFakeClock();
  const leases = (owner: string) => createKeyValueLeases(store, owner, clock);
  return {
    clock,
    leases,
    holder: (owner: string) => new ShardHolder(store, leases(owner), clock, false),
  };
}

describe("holding shards", () => {
  test("the only process holds all shards, and keeps them while it renews them", async () => {
    const { clock, holder } = setUp();
    const one = holder("one");
    expect(await one.take(3)).toEqual([0, 1, 2]);
    for (let seconds = 0; seconds < 60; seconds += 5) {
      clock.advance(5_000);
      expect([await one.refresh(3), one.isHeld()]).toEqual([false, true]);
    }
    expect(await holder("two").take(3)).toEqual([]);
  });

  test("a process with several shards gives half of them to one that waits", async () => {
    const { holder } = setUp();
    const [one, two, three] = ["one", "two", "three"].map(holder);
    await one?.take(4);
    expect(await two?.take(4)).toEqual([]);
    expect(await one?.refresh(4)).toBe(true);
    expect(await one?.take(4)).toEqual([0, 1]);
    expect(await two?.take(4)).toEqual([2, 3]);
    expect([await one?.refresh(4), await two?.refresh(4)]).toEqual([false, false]);
    expect(await three?.take(4)).toEqual([]);
    expect([await one?.take(4), await two?.take(4), await three?.take(4)]).toEqual([[0], [2], [1, 3]]);
  });

  test("the shards of a process that ended are taken over, at once if it could release them", async () => {
    const { clock, holder } = setUp();
    const [one, two] = ["one", "two"].map(holder);
    await one?.take(1);
    clock.advance(14_000);
    expect(await two?.take(1)).toEqual([]);
    clock.advance(1_000);
    expect(await two?.take(1)).toEqual([0]);
    expect(await one?.refresh(1)).toBe(true);
    await two?.release();
    expect(await one?.take(1)).toEqual([0]);
  });

  test("a process whose store fails or that was stopped counts its shards as lost before another can have them", async () => {
    const { clock, leases } = setUp();
    let isBroken = false;
    const of = leases("one");
    const acquire = (name: string, ms: number) =>
      isBroken ? Promise.reject(new Error("no store")) : of.acquire(name, ms);
    const one = new ShardHolder(createMemoryKeyValue(), { ...of, acquire }, clock, false);
    await one.take(1);
    isBroken = true;
    clock.advance(9_999);
    await expect(one.refresh(1)).rejects.toThrow("no store");
    expect(one.isHeld()).toBe(true);
    clock.advance(1);
    expect(one.isHeld()).toBe(false);
    expect(await leases("two").acquire("discord-shard:0/1", 1)).toBe(false);
  });

  test("a process that is alone on its store keeps its shards when its clock jumps, as after sleep", async () => {
    const { clock, leases } = setUp();
    const store = createMemoryKeyValue();
    const one = new ShardHolder(store, leases("one"), clock, true);
    await one.take(1);
    clock.advance(86_400_000);
    expect(one.isHeld()).toBe(true);
    expect(await one.refresh(1)).toBe(false);
  });
});

test("shards identify themselves five seconds apart in all processes, those with other keys at once", async () => {
  const { clock, leases } = setUp();
  const signal = new AbortController().signal;
  const [one, two] = ["one", "two"].map((owner) => createIdentifyTurns(leases(owner), clock));
  const begun = clock.now();
  const times: [number, number][] = [];
  const turns = [
    [one, 0],
    [one, 2],
    [two, 4],
    [one, 1],
  ] as const;
  const all = turns.map(async ([identify, shard]) => {
    await identify?.(shard, 2, signal);
    times.push([shard % 2, clock.now() - begun]);
  });
  await clock.advanceUntil(Promise.all(all), 100);
  const of = (key: number) => times.flatMap(([each, at]) => (each === key ? [at] : []));
  expect(of(1)).toHaveLength(1);
  expect(of(1)[0]).toBeLessThan(1_000);
  const [first = 0, second = 0, third = 0] = of(0);
  expect(second - first).toBeGreaterThanOrEqual(5_000);
  expect(third - second).toBeGreaterThanOrEqual(5_000);
});

test("a shard waits to identify itself while the store fails, until it is told to stop", async () => {
  const { clock, leases } = setUp();
  let failures = 3;
  const of = leases("one");
  const acquire = (name: string, ms: number) => {
    failures -= 1;
    return failures >= 0 ? Promise.reject(new Error("no store")) : of.acquire(name, ms);
  };
  const identify = createIdentifyTurns({ ...of, acquire }, clock);
  const begun = clock.now();
  await clock.advanceUntil(identify(0, 1, new AbortController().signal), 100);
  expect(clock.now() - begun).toBeGreaterThanOrEqual(1_500);
  await expect(identify(0, 1, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});

test("each server and the direct messages belong to one shard", () => {
  const guilds = Array.from({ length: 50 }, (_, n) => String((BigInt(n + 1_000_000_000) << 22n) + 7n));
  const shards = [0, 1, 2].map((id) => ({ ids: [id], count: 3 }));
  for (const guild of guilds) expect(shards.filter((each) => hears(each, guild))).toHaveLength(1);
  expect(shards.map((each) => hears(each, undefined))).toEqual([true, false, false]);
  expect(hears({ ids: [0], count: 1 }, guilds[0])).toBe(true);
  expect(partsOf({ ids: [0], count: 1 })).toEqual([]);
  expect(partsOf({ ids: [1, 2], count: 3 })).toEqual(["shard-1-of-3", "shard-2-of-3"]);
});
