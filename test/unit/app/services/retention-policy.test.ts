import { describe, expect, it } from "vitest";
import {
  announce,
  deletesFrom,
  keptFor,
  limitOf,
  type RetentionPolicy,
} from "../../../../src/app/services/retention-policy.ts";

const day = 86_400_000;
const now = 100 * day;

/** Limits of conversations, details, files and audit. */
function policy(...days: (number | "never")[]): RetentionPolicy {
  const [conversation_days = 365, run_detail_days = 30, file_days = 30, audit_days = 400] = days;
  return { conversation_days, run_detail_days, file_days, audit_days };
}

describe("a policy of retention", () => {
  it.each([
    ["nothing was announced", policy(), undefined, false, now],
    ["the store is empty", policy(), undefined, true, 0],
    ["the same was announced", policy(), policy(), false, 50 * day],
    ["one limit is shorter", policy(365, 30, 29), policy(), false, now],
    [
      "a limit takes the place of never",
      policy(365, 30, 30, 9_999),
      policy(365, 30, 30, "never"),
      false,
      now,
    ],
    ["limits are longer", policy(366, 31, "never", 500), policy(), false, 50 * day],
    ["one is longer and one shorter", policy(400, 10), policy(), false, now],
    ["one is shorter and nothing is stored", policy(10), policy(), true, 0],
  ])("a retention policy is announced as of the right time when %s", (_when, next, before, isEmpty, at) => {
    const announced = before === undefined ? undefined : { policy: before, at: 50 * day };
    expect(announce(next, { before: announced, now, isEmpty })).toEqual({ policy: next, at });
  });

  it("a retention policy applies 14 days after it was announced", () => {
    expect(deletesFrom({ policy: policy(), at: now })).toBe(114 * day);
  });

  it.each([
    [1, 99 * day],
    [30, 70 * day],
    ["never", undefined],
  ] as const)("a retention limit of %s makes old what is before %s", (kept, before) => {
    expect(limitOf(kept, now)).toBe(before);
  });
});

describe("the words for people", () => {
  it.each([
    [365, "messages are deleted from it after 365 days"],
    ["never", "messages stay in it until search is switched off"],
  ] as const)(
    "the announcement of a channel's index ends with how long messages are kept: %s",
    (days, words) => {
      expect(keptFor(days)).toBe(words);
    },
  );
});
