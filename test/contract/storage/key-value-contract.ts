import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import { parseExactly } from "../../../src/base/exact-number.ts";
import { type KeyValue, scopeKeyValue } from "../../../src/core/ports/storage.ts";
import type { Json } from "../../../src/core/values/json.ts";

/**
 * What every key-value store must do. `openTwice` opens the same empty store as two processes do; it is left out for a store that only one
 * process may open.
 */
export function keyValueContract(
  name: string,
  open: () => Promise<KeyValue>,
  {
    options = {},
    openTwice,
  }: { options?: TestOptions; openTwice?: () => Promise<[KeyValue, KeyValue]> } = {},
): void {
  if (openTwice !== undefined) describe(name, options, () => sharedKeyValueContract(openTwice));
  describe(name, options, () => {
    let store: KeyValue;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test.each<[string, Json]>([
      ["a string", "text"],
      ["a string that looks like an encoding", ":base64:aGk="],
      ["an empty string", ""],
      ["zero", 0],
      ["false", false],
      ["null", null],
      ["nested values", { a: [1, { b: null }], "ключ 🎉": "漢字", "": {} }],
      ["a large value", "x".repeat(1_000_000)],
    ])("a key-value store keeps %s", async (_, value) => {
      await store.set("kind:key", value);
      expect(await store.get("kind:key")).toEqual(value);
    });

    test.each(["namespace:slack:T1:C1", "a'b\"c; DROP TABLE keyv", "../../etc", "ключ 🎉", "x".repeat(400)])(
      "a key-value store takes the key %j",
      async (key) => {
        await store.set(key, 1);
        await store.set(`${key}2`, 2);
        expect([await store.get(key), await store.get(`${key}2`)]).toEqual([1, 2]);
      },
    );

    test("a key-value store answers undefined for a missing key, and after a delete", async () => {
      expect(await store.get("none")).toBeUndefined();
      await store.delete("none");
      await store.set("key", 1);
      await store.delete("key");
      expect(await store.get("key")).toBeUndefined();
    });

    test("a key-value store hands out copies", async () => {
      const value = { list: [1] };
      await store.set("key", value);
      value.list.push(2);
      (await store.update<{ list: number[] }>("key", (stored) => ({ list: stored?.list ?? [] }))).list.push(
        3,
      );
      expect(await store.get("key")).toEqual({ list: [1] });
    });

    test("a key-value store loses none of 100 updates of one key at the same time", async () => {
      const add = () => store.update<number>("count", (count = 0) => count + 1);
      const answers = await Promise.all(Array.from({ length: 100 }, add));
      expect(await store.get("count")).toBe(100);
      expect(new Set(answers).size).toBe(100);
    });

    test("a key-value store does not let a set slip between the read and the write of an update", async () => {
      await store.set("key", ["first"]);
      const updated = store.update<string[]>("key", (list = []) => [...list, "updated"]);
      const set = store.set("key", ["set"]);
      await Promise.all([updated, set]);
      expect(await store.get("key")).toEqual(["set"]);
    });

    test("a key-value store writes nothing when a change throws, and continues to work", async () => {
      await store.set("key", 1);
      const failing = store.update("key", () => {
        throw new RangeError("no");
      });
      await expect(failing).rejects.toBeInstanceOf(RangeError);
      expect(await store.update<number>("key", (value = 0) => value + 1)).toBe(2);
    });

    test("a key-value store lists the keys that begin with a prefix, each once and in the order of their bytes", async () => {
      const names = ["b:1", "a:2", "a:10", "a:", "a", "A:1", "a;", "a:é", "a:🎉", "a:\uffee", "a%:1", "a_:1"];
      for (const name of names) await store.set(name, null);
      await store.set("a:gone", 1);
      await store.delete("a:gone");
      expect(await Array.fromAsync(store.keys("a:"))).toEqual([
        "a:",
        "a:10",
        "a:2",
        "a:é",
        "a:\uffee",
        "a:🎉",
      ]);
      expect(await Array.fromAsync(store.keys("a%"))).toEqual(["a%:1"]);
      expect(await Array.fromAsync(store.keys(""))).toHaveLength(names.length);
      expect(await Array.fromAsync(store.keys("none"))).toEqual([]);
    });

    test("a key-value store lists more keys than a page while they are changed and deleted", async () => {
      const all = Array.from({ length: 510 }, (_, at) => `n:${String(at).padStart(4, "0")}`);
      await Promise.all(all.map((key) => store.set(key, 1)));
      const seen: string[] = [];
      for await (const key of store.keys("n:")) {
        seen.push(key);
        if (seen.length % 2 === 0) await store.delete(key);
        else await store.set(key, 2);
      }
      expect(seen).toEqual(all);
      expect(await Array.fromAsync(store.keys("n:"))).toHaveLength(255);
    });

    test("a key-value store keeps its values when it is scrubbed, even those changed in the meantime", async () => {
      await store.set("kept", "a");
      await store.set("gone", "b");
      await store.delete("gone");
      await Promise.all([
        store.scrub(),
        store.set("later", "c"),
        store.update<string>("kept", (value) => `${value}!`),
      ]);
      expect(await Array.fromAsync(store.keys(""))).toEqual(["kept", "later"]);
      expect([await store.get("kept"), await store.get("later")]).toEqual(["a!", "c"]);
    });

    test("a key-value store keeps every digit of a number, and text with U+0000 and half a character", async () => {
      const text = '{"id":12345678901234567890,"price":0.1000000000000000055,"text":"a\\u0000b\\ud800"}';
      await store.set("key", parseExactly(text) as Json);
      expect(JSON.stringify(await store.get("key"))).toBe(text);
      await store.update<Json>("key", (value = null) => ({ kept: value }));
      expect(JSON.stringify(await store.get("key"))).toBe(`{"kept":${text}}`);
    });

    test("a key-value store shows a scope only its own keys", async () => {
      const scope = scopeKeyValue(store, "skill:a:");
      await store.set("key", "outside");
      expect(await scope.get("key")).toBeUndefined();
      await scope.set("key", "inside");
      await scope.update<string>("key", (value) => `${value}!`);
      expect(await store.get("skill:a:key")).toBe("inside!");
      expect(await Array.fromAsync(scope.keys("k"))).toEqual(["key"]);
      await scope.delete("key");
      await scope.close();
      expect(await store.get("skill:a:key")).toBeUndefined();
      expect(await store.get("key")).toBe("outside");
    });
  });
}

function sharedKeyValueContract(openTwice: () => Promise<[KeyValue, KeyValue]>): void {
  test("a key-value store loses none of 100 updates by two processes", async () => {
    const stores = await openTwice();
    const add = (each: KeyValue) => each.update<number>("count", (count = 0) => count + 1);
    const answers = await Promise.all(Array.from({ length: 50 }, () => stores.map(add)).flat());
    expect(await Promise.all(stores.map((each) => each.get("count")))).toEqual([100, 100]);
    expect(new Set(answers).size).toBe(100);
    for (const each of stores) await each.close();
  });

  test("a key-value store shows what another process set or deleted", async () => {
    const [here, there] = await openTwice();
    await here.set("key", 1);
    expect(await there.update<number>("key", (value = 0) => value + 1)).toBe(2);
    expect(await here.get("key")).toBe(2);
    await there.delete("key");
    expect(await here.get("key")).toBeUndefined();
    expect(await here.update<string>("key", (value = "new") => value)).toBe("new");
    expect(await Array.fromAsync(there.keys(""))).toEqual(["key"]);
    for (const each of [here, there]) await each.close();
  });
}
