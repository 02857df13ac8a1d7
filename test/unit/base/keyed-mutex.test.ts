import { expect, test } from "vitest";
import { KeyedMutex } from "../../../src/base/keyed-mutex.ts";

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
