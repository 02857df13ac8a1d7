import { describe, expect, it } from "vitest";
import { timeIn } from "../../../skills/chat/message.ts";

/** Wednesday, 25 November 2026, 11:00 in Berlin. */
const here = { time_zone: "Europe/Berlin", now: () => Date.parse("2026-11-25T10:00Z") };
const at = async (words: string) => new Date((await timeIn(words, here)) ?? 0).toISOString();

describe("since and until in people's words", () => {
  it.each([
    ["2026-11-23", "2026-11-22T23:00:00.000Z"],
    ["2026-11-23T09:00", "2026-11-23T08:00:00.000Z"],
    ["2026-11-23T09:00Z", "2026-11-23T09:00:00.000Z"],
    ["Monday", "2026-11-22T23:00:00.000Z"],
    ["since Monday", "2026-11-22T23:00:00.000Z"],
    ["Friday", "2026-11-19T23:00:00.000Z"],
    ["yesterday", "2026-11-23T23:00:00.000Z"],
    ["yesterday at 9", "2026-11-24T08:00:00.000Z"],
    ["today", "2026-11-24T23:00:00.000Z"],
    ["this week", "2026-11-22T23:00:00.000Z"],
    ["2 hours ago", "2026-11-25T08:00:00.000Z"],
    ["gestern", "2026-11-23T23:00:00.000Z"],
  ])("a time in people's words is understood: %s", async (words, time) => {
    expect(await at(words)).toBe(time);
  });

  it.each(["soonish", "Monday or so", "the release"])(
    "a time in people's words is refused with what is possible: %s",
    async (words) => {
      await expect(at(words)).rejects.toThrow(/not a time the bot understands/);
    },
  );
});
