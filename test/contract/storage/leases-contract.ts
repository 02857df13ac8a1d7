import { describe, expect, test } from "vitest";
import type { Leases } from "../../../src/core/ports/storage.ts";

/** Leases of two processes on one store, whose time passes when told. */
export interface TwoHolders {
  one: Leases;
  two: Leases;
  pass(ms: number): void;
}

/** What all leases must do. `open` gives free ones. */
export function leasesContract(
  name: string,
  open: () => Promise<TwoHolders>,
  options: { skip?: boolean; meta?: object } = {},
): void {
  describe(name, options, () => {
    test("only one of two processes gets a lease, however they hurry, and taking it again is no error", async () => {
      const { one, two } = await open();
      const hurry = () => Promise.all([one.acquire("a", 100), two.acquire("a", 100)]);
      const got = await hurry();
      expect(got.toSorted()).toEqual([false, true]);
      expect(await hurry()).toEqual(got);
      expect(await two.acquire("b", 100)).toBe(true);
    });

    test("a renewed lease stays; an expired one passes on, and its old owner is told", async () => {
      const { one, two, pass } = await open();
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
      const { one, two, pass } = await open();
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
      const { one, two } = await open();
      await one.acquire("a", 100);
      await two.release("a");
      expect(await two.acquire("a", 100)).toBe(false);
      await one.release("a");
      expect(await two.acquire("a", 100)).toBe(true);
    });

    test("everybody sees which leases are held, in order, and no longer those that ended", async () => {
      const { one, two, pass } = await open();
      await two.acquire("room:b", 200);
      await one.acquire("room:a", 100);
      await one.acquire("other", 200);
      expect(await two.held("room:")).toEqual(["room:a", "room:b"]);
      pass(100);
      expect(await one.held("room:")).toEqual(["room:b"]);
      await two.release("room:b");
      expect(await one.held("room:")).toEqual([]);
    });
  });
}
