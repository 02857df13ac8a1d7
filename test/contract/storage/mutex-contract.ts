import { describe, expect, test } from "vitest";
import type { Mutex } from "../../../src/core/ports/storage.ts";

/** A mutex as two processes have it; the same one if only one process can have it. */
export interface TwoUsers {
  one: Mutex;
  two: Mutex;
}

/** What every mutex does. `open` gives one whose keys are free. */
export function mutexContract(
  name: string,
  open: () => Promise<TwoUsers>,
  options: { skip?: boolean; meta?: object } = {},
): void {
  describe(name, options, () => {
    test("work on one key runs one after another, and work on other keys does not wait for it", async () => {
      const { one, two } = await open();
      const done: string[] = [];
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const first = one.run("a", async () => {
        begun.resolve();
        await gate.promise;
        done.push("first");
        return 1;
      });
      await begun.promise;
      const others = [one, two, two].map((mutex, at) => mutex.run("a", async () => done.push(`other ${at}`)));
      await two.run("b", async () => done.push("b"));
      await one.run("c", async () => done.push("c"));
      gate.resolve();
      expect(await first).toBe(1);
      await Promise.all(others);
      expect(done.slice(0, 3)).toEqual(["b", "c", "first"]);
      expect(done.toSorted()).toEqual(["b", "c", "first", "other 0", "other 1", "other 2"]);
    });

    test("work is never done twice at the same time, however many want the key", async () => {
      const { one, two } = await open();
      let running = 0;
      let most = 0;
      const work = async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      };
      await Promise.all(Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? one : two).run("a", work)));
      expect(most).toBe(1);
    });

    test("work that fails rejects for its caller alone and frees the key", async () => {
      const { one, two } = await open();
      await expect(one.run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
      expect(await two.run("a", async () => "fine")).toBe("fine");
    });

    test("a key is busy for everybody while work on it runs, and only then", async () => {
      const { one, two } = await open();
      const busy = () => Promise.all([one.isBusy("a"), two.isBusy("a"), two.isBusy("b")]);
      expect(await busy()).toEqual([false, false, false]);
      await one.run("a", async (ensureHeld) => {
        ensureHeld();
        expect(await busy()).toEqual([true, true, false]);
      });
      expect(await busy()).toEqual([false, false, false]);
      // Asking takes nothing away.
      await Promise.all([
        one.isBusy("a"),
        one.run("a", async () => expect(await two.isBusy("a")).toBe(true)),
      ]);
    });
  });
}
