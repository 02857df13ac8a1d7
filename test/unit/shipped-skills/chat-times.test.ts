import { describe, expect, it } from "vitest";
import { timeIn } from "../../../skills/chat/message.ts";

/** Wednesday, 25 November 2026, 11:00 in Berlin. */
const here = { time_zone: "Europe/Berlin", now: () => Date.parse("2026-11-25T10:00Z") };
const at = (text: string) => new Date(timeIn(text, here) ?? 0).toISOString();

describe("since and until", () => {
  it.each([
    ["2026-11-23", "2026-11-22T23:00:00.000Z"],
    ["2026-11-23T09:00", "2026-11-23T08:00:00.000Z"],
    ["2026-11-23 09:00", "2026-11-23T08:00:00.000Z"],
    ["2026-11-23T09:00Z", "2026-11-23T09:00:00.000Z"],
    ["2026-11-23T09:00:01.500+01:00", "2026-11-23T08:00:01.500Z"],
  ])("since and until take the ISO time %s", (text, time) => {
    expect(at(text)).toBe(time);
  });

  it.each(["Monday", "yesterday at 9", "2 hours ago", "09:00", "2026", "2026-02-30", "2026-11-23 or so"])(
    "since and until refuse %s, with the form and the date",
    (text) => {
      const hint = "Give it as 2026-11-23 or 2026-11-23T09:00. It is Wed 2026-11-25 11:00 in Europe/Berlin.";
      expect(() => at(text)).toThrow(expect.objectContaining({ code: "invalid_time", hint }));
    },
  );
});
