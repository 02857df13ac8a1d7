import { expect, test } from "vitest";
import { backoff } from "../../../src/base/backoff.ts";

test.each([
  [1, 500],
  [2, 1_000],
  [3, 2_000],
  [5, 8_000],
  [6, 10_000],
  [5_000, 10_000],
])("the backoff after %i failures is %i ms", (failures, wait) => {
  expect(backoff(failures, { minMs: 500, maxMs: 10_000 })).toBe(wait);
});

test.each([
  [1, 0.5, 250],
  [1, 1.25, 625],
  [9, 1.25, 12_500],
])("the backoff after %i failures with jitter %d is %i ms", (failures, jitter, wait) => {
  expect(backoff(failures, { minMs: 500, maxMs: 10_000, jitter })).toBe(wait);
});
