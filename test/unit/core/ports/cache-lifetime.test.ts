import { describe, expect, it } from "vitest";
import { lifetimeAfter, type PartUses, usedAgain } from "../../../../src/core/ports/model.ts";

const minute = 60_000;

/** The uses of a part with pauses of so many minutes. */
function uses(pauses: readonly number[]): PartUses {
  let at = 0;
  let part = usedAgain(undefined, at);
  for (const pause of pauses) {
    at += pause * minute;
    part = usedAgain(part, at);
  }
  return part;
}

const times = (count: number, ...pauses: readonly number[]) =>
  Array.from({ length: count }, () => pauses).flat();

describe("the lifetime of a part of prompts", () => {
  it.each([
    { what: "never used before", pauses: [], lifetime: "short" },
    { what: "used all the time", pauses: times(50, 1), lifetime: "short" },
    { what: "used at the very end of five minutes", pauses: times(50, 5), lifetime: "short" },
    { what: "missed once within an hour", pauses: [6], lifetime: "hour" },
    { what: "missed at the very end of an hour", pauses: [60], lifetime: "hour" },
    { what: "used every two hours", pauses: times(20, 120), lifetime: "short" },
    { what: "used by two turns every two hours", pauses: times(10, 20, 120), lifetime: "hour" },
    { what: "missed within an hour every other morning", pauses: times(10, 900, 900, 20), lifetime: "short" },
    { what: "used in office hours, then not for a night", pauses: [...times(9, 20), 900], lifetime: "hour" },
    {
      what: "no longer missed within an hour",
      pauses: [...times(9, 20), ...times(20, 120)],
      lifetime: "short",
    },
    { what: "used by a long turn between pauses", pauses: [20, ...times(50, 0.1)], lifetime: "hour" },
  ] as const)("a part that is $what is kept: $lifetime", ({ pauses, lifetime }) => {
    expect(lifetimeAfter(uses(pauses))).toBe(lifetime);
  });

  it.each([
    { saved: 8, lifetime: "short" },
    { saved: 9, lifetime: "hour" },
  ] as const)("an hour pays from 0.63 saved writes per write on: $saved of 20", ({ saved, lifetime }) => {
    expect(lifetimeAfter(uses([...times(20 - saved, 120), ...times(saved, 20)]))).toBe(lifetime);
  });

  it("a clock that was set back counts as no pause", () => {
    const part = usedAgain(usedAgain(undefined, 100 * minute), 40 * minute);
    expect(part).toEqual({ last: 100 * minute, pauses: [] });
  });

  it("at most 20 pauses are remembered", () => {
    expect(uses(times(100, 20)).pauses).toHaveLength(20);
  });
});
