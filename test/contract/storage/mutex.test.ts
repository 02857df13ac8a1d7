import { describe, expect, it } from "vitest";
import { KeyedMutex } from "../../../src/base/keyed-mutex.ts";
import type { Leases } from "../../../src/core/ports/storage.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createSharedMutex } from "../../../src/storage/shared-mutex.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { mutexContract } from "./mutex-contract.ts";

mutexContract("a mutex of one process", async () => {
  const mutex = new KeyedMutex();
  return { one: mutex, two: mutex };
});

mutexContract("a mutex on leases in a key-value store", async () => {
  const store = createMemoryKeyValue();
  const open = (owner: string) => createSharedMutex(createKeyValueLeases(store, owner), systemClock);
  return { one: open("one"), two: open("two") };
});

describe("a mutex that processes share", () => {
  /** Two processes whose clocks move when told. `cut` cuts the first off from the store. */
  function twoProcesses() {
    const store = createMemoryKeyValue();
    const process = (owner: string) => {
      const clock = createFakeClock();
      const leases = createKeyValueLeases(store, owner, clock);
      const cut = { off: false };
      const reached = <T>(work: () => Promise<T>) =>
        cut.off ? Promise.reject(new Error("no connection")) : work();
      const cutLeases: Leases = {
        acquire: (...given) => reached(() => leases.acquire(...given)),
        renew: (...given) => reached(() => leases.renew(...given)),
        release: (...given) => reached(() => leases.release(...given)),
        held: (...given) => reached(() => leases.held(...given)),
      };
      return { clock, cut, mutex: createSharedMutex(cutLeases, clock, clock) };
    };
    const one = process("one");
    const two = process("two");
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    return {
      one,
      two,
      /** Time passes in steps for everybody who is not stopped. */
      async pass(ms: number, clocks = [one.clock, two.clock]) {
        for (let passed = 0; passed < ms; passed += 1_000) {
          for (const clock of clocks) clock.advance(1_000);
          await settle();
        }
      },
    };
  }

  /** Work that begins, and ends when told. */
  function longWork() {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    return {
      begun: begun.promise,
      end: gate.resolve,
      async run(ensureHeld: () => void) {
        begun.resolve();
        await gate.promise;
        ensureHeld();
      },
    };
  }

  it("work keeps its key for as long as it takes", async () => {
    const { one, two, pass } = twoProcesses();
    const work = longWork();
    const done = one.mutex.run("a", work.run);
    await work.begun;
    await pass(60_000);
    expect(await two.clock.advanceUntil(two.mutex.isBusy("a"), 10)).toBe(true);
    work.end();
    await done;
    expect(await two.mutex.isBusy("a")).toBe(false);
  });

  it("the key of a process that died is free after 15 seconds", async () => {
    const { one, two, pass } = twoProcesses();
    const work = longWork();
    void one.mutex.run("a", work.run);
    await work.begun;
    const next = longWork();
    void two.mutex.run("a", next.run);
    let hasBegun = false;
    void next.begun.then(() => {
      hasBegun = true;
    });
    await pass(14_000, [two.clock]);
    expect(hasBegun).toBe(false);
    await pass(2_000, [two.clock]);
    expect(hasBegun).toBe(true);
  });

  it("work of a process that was stopped while another one had the key does not go on", async () => {
    const { one, two, pass } = twoProcesses();
    const work = longWork();
    const done = one.mutex.run("a", work.run);
    await work.begun;
    await pass(20_000, [two.clock]);
    await two.mutex.run("a", async () => {});
    // It wakes up, and its timers find out.
    await pass(20_000, [one.clock]);
    work.end();
    await expect(done).rejects.toMatchObject({
      code: "locked",
      message: /another one may be working on "a"/,
    });
    expect(await two.mutex.isBusy("a")).toBe(false);
  });

  it("work of a process that wakes up does not go on although no timer has run yet", async () => {
    const { one } = twoProcesses();
    const done = one.mutex.run("a", async (ensureHeld) => {
      one.clock.advance(0);
      one.cut.off = true;
      ensureHeld();
      one.clock.advance(15_000);
      ensureHeld();
    });
    await expect(done).rejects.toMatchObject({ code: "locked" });
  });

  it("work survives a store that cannot be reached for less than 15 seconds, and stops after that", async () => {
    const { one, pass } = twoProcesses();
    const [short, long] = [longWork(), longWork()];
    const first = one.mutex.run("a", short.run);
    const second = one.mutex.run("b", long.run);
    await Promise.all([short.begun, long.begun]);
    one.cut.off = true;
    await pass(12_000);
    short.end();
    await first;
    await pass(4_000);
    long.end();
    await expect(second).rejects.toMatchObject({ code: "locked" });
  });

  it("work that has waited ten minutes for another process is not done, and says for what", async () => {
    const { one, two } = twoProcesses();
    const work = longWork();
    const done = one.mutex.run("packages", work.run);
    await work.begun;
    const waiting = two.mutex.run("packages", async () => {});
    waiting.catch(() => {});
    const keepAlive = (async () => {
      for (let passed = 0; passed < 620_000; passed += 250) {
        one.clock.advance(250);
        two.clock.advance(250);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await expect(waiting).rejects.toMatchObject({
      code: "locked",
      message: /working on "packages" for 10 minutes, so this was not done/,
    });
    await keepAlive;
    work.end();
    await done;
  });
});
