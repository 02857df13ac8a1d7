import { describe, expect, it } from "vitest";
import { cronProblem, minGap, nextTimes, readTime, shownTime } from "../../../../src/app/schedules/times.ts";

const berlin = "Europe/Berlin";
const at = (iso: string) => Date.parse(iso);
const iso = (times: readonly number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16));

describe("the next times of a pattern", () => {
  it.each([
    ["0 9 * * 1-5", "2026-11-25T10:00Z", ["2026-11-26T08:00", "2026-11-27T08:00", "2026-11-30T08:00"]],
    // The clock goes from 02:00 to 03:00: what it skips comes when it goes on.
    ["30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-31T00:30"]],
    ["30 2,14 * * *", "2026-03-28T14:00Z", ["2026-03-29T01:00", "2026-03-29T12:30", "2026-03-30T00:30"]],
    // 02:30 comes twice and runs once.
    ["30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30", "2026-10-27T01:30"]],
    ["0 9 29 2 *", "2026-03-01T00:00Z", ["2028-02-29T08:00", "2032-02-29T08:00", "2036-02-29T08:00"]],
    ["0 9 31 2 *", "2026-03-01T00:00Z", []],
    ["0 9 L * *", "2026-02-01T00:00Z", ["2026-02-28T08:00", "2026-03-31T07:00", "2026-04-30T07:00"]],
  ])("the next times are found of the pattern %s after %s", (cron, after, times) => {
    expect(iso(nextTimes({ cron: [cron] }, berlin, at(after), 3))).toEqual(times);
  });

  it("a single time has one next time, or none when it is over", () => {
    expect(nextTimes({ at: 5 }, berlin, 4, 3)).toEqual([5]);
    expect(nextTimes({ at: 5 }, berlin, 5, 3)).toEqual([]);
  });
});

describe("a pattern", () => {
  it.each(["0 9 * * *", "@daily", "*/5 * * * *", " 0 9 * * MON "])("the pattern %s can be used", (cron) => {
    expect(cronProblem(cron, berlin)).toBeUndefined();
  });

  it.each(["", "soon", "0 25 * * *", "0 9 * *", "0 9 * * funday", "x".repeat(90)])(
    "the pattern %s is rejected",
    (cron) => {
      expect(cronProblem(cron, berlin)).toMatch(/is not a valid cron pattern/);
    },
  );

  it("a pattern cannot have seconds", () => {
    expect(cronProblem("* * * * * *", berlin)).toMatch(/do not support seconds/);
  });

  it.each([
    ["* * * * *", 1],
    ["*/7 * * * *", 4],
    ["0,3 9 * * *", 3],
    ["0 * * * *", 60],
  ])("the pattern %s has runs %d minutes apart", (cron, minutes) => {
    expect(minGap({ cron: [cron] }, berlin, at("2026-11-25T10:00Z"))).toBe(minutes * 60_000);
  });
});

describe("a written time", () => {
  it.each([
    ["2026-11-26T09:00", "2026-11-26T08:00"],
    ["2026-11-26 09:00:00", "2026-11-26T08:00"],
    ["2026-07-26T09:00", "2026-07-26T07:00"],
    ["2026-11-26T09:00Z", "2026-11-26T09:00"],
    ["2026-11-26T09:00+05:30", "2026-11-26T03:30"],
    ["2026-03-29T02:30", "2026-03-29T01:30"],
    ["2026-10-25T02:30", "2026-10-25T00:30"],
  ])("the written time %s is read as Berlin time", (text, time) => {
    expect(iso([readTime(text, berlin) ?? 0])).toEqual([time]);
  });

  it.each(["", "tomorrow", "2026-02-30T09:00", "2026-13-01T09:00", "2026-11-26", "2026-11-26T24:61", "9:00"])(
    "the written time %s is rejected",
    (text) => {
      expect(readTime(text, berlin)).toBeUndefined();
    },
  );

  it("a time is shown as local wall-clock time", () => {
    expect(shownTime(at("2026-11-26T23:30Z"), berlin)).toBe("Fri 2026-11-27 00:30");
  });
});
