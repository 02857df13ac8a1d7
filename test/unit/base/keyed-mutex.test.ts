import { expect, test } from "vitest";
import { KeyedMutex } from "../../../src/base/keyed-mutex.ts";

test("work on one key is done in order, and other keys do not wait for it", async () => {
  const mutex = new KeyedMutex();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = mutex.run("a", async () => {
    await gate.promise;
    done.push("a1");
    return 1;
  });
  const second = mutex.run("a", async () => done.push("a2"));
  await mutex.run("b", async () => done.push("b"));
  gate.resolve();
  expect(await first).toBe(1);
  await second;
  expect(done).toEqual(["b", "a1", "a2"]);
});

test("work that fails rejects only for its caller", async () => {
  const mutex = new KeyedMutex();
  const failed = mutex.run("a", () => Promise.reject(new Error("broken")));
  const next = mutex.run("a", async () => "fine");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("fine");
});

test("`settled` waits for everything that was handed in, failures included", async () => {
  const mutex = new KeyedMutex();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  mutex
    .run("a", () => gate.promise.then(() => Promise.reject(new Error("broken"))))
    .catch(() => done.push("a"));
  void mutex.run("b", async () => {
    await gate.promise;
    done.push("b");
  });
  const settled = mutex.settled().then(() => done.length);
  gate.resolve();
  expect(await settled).toBe(2);
  await mutex.settled();
});
