import { expect, it } from "vitest";
import { madeOnce } from "../../../src/base/made-once.ts";

it("a value is made once for its key, even a falsy one", () => {
  const known = new Map<string, number>();
  let times = 0;
  const make = () => {
    times += 1;
    return 0;
  };
  expect([madeOnce(known, "a", make), madeOnce(known, "a", make), times]).toEqual([0, 0, 1]);
});
