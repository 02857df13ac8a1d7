import { LRUCache } from "lru-cache";
import { expect, it } from "vitest";
import { growingTo } from "../../../src/base/growing-cache.ts";

it("a growing cache keeps the entries that were used last, and no more than its maximum", () => {
  const cache = new LRUCache<string, number>(growingTo(2));
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([...cache.keys()].sort()).toEqual(["a", "c"]);
});
