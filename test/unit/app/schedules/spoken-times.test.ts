import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readSpokenTime, readSpokenWish } from "../../../../src/app/schedules/spoken/spoken-times.ts";
import { nextTimes, readTime } from "../../../../src/app/schedules/times.ts";

/** A Wednesday, 11:00 in Berlin. */
const now = Date.parse("2026-11-25T10:00Z");
const zone = "Europe/Berlin";
const read = (words: string) => readSpokenWish(words, now, zone);

type Row = [words: string, what: "reminder" | "task", when: string, text: string];

/** Tables of `WORDS => WHEN | TEXT` below their titles; of refusals a part of the answer. */
const table = readFileSync(new URL("spoken-times.txt", import.meta.url), "utf8");

function rows(title: string): Row[] {
  const part = table.split("# ").find((each) => each.startsWith(title)) ?? "";
  const read = part
    .trim()
    .split("\n")
    .slice(1)
    .map((line): Row => {
      const [words = "", when = "", text = ""] = line.split(/ => | \| /);
      return [words, /remind|erinnere/i.test(words) ? "reminder" : "task", when, text];
    });
  expect(read.length).toBeGreaterThan(50);
  return read;
}

describe("what people write after /agent schedule add", () => {
  it.each(rows("oneTimes"))("the words for one time are understood: %s", (words, what, at, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, at, text, time_zone: zone } });
  });

  it.each(rows("repeated"))("the words for a repetition are understood: %s", (words, what, cron, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, cron, text, time_zone: zone } });
    expect(nextTimes({ cron }, zone, now, 1)).toHaveLength(1);
  });

  it.each(rows("refusals"))("the words for a schedule are refused: %s", (words, _what, problem) => {
    const outcome = read(words);
    expect(outcome.ok ? JSON.stringify(outcome.value) : outcome.message).toContain(problem);
    expect(outcome.ok).toBe(false);
  });

  it.each([
    ['remind me tomorrow at 9 of "the meeting at 10"', "the meeting at 10"],
    [
      'every day at 9 post "until Friday: see the plan of Monday"',
      'post "until Friday: see the plan of Monday"',
    ],
    ['at 9 post "every full moon"', 'post "every full moon"'],
  ])("no time is read in quotation marks: %s", (words, text) => {
    expect(read(words)).toMatchObject({ ok: true, value: { text } });
  });

  it.each([
    ["every weekday at 9 America/New_York post it", { cron: "0 9 * * 1-5", time_zone: "America/New_York" }],
    ["tomorrow at 9 Asia/Tokyo post it", { at: "2026-11-26T09:00:00", time_zone: "Asia/Tokyo" }],
    ["every day at 9 UTC post it", { cron: "0 9 * * *", time_zone: "UTC" }],
  ])("a named time zone is used: %s", (words, value) => {
    expect(read(words)).toEqual({ ok: true, value: { what: "task", text: "post it", ...value } });
  });

  it("reading a time takes time in proportion to the text", () => {
    const words = `${"every monday at 9 and ".repeat(2_000)}post`;
    expect(read(words).ok).toBe(false);
  });
});

describe("around the change of the clock", () => {
  /** A Saturday, noon in Berlin; at night the clock goes on by an hour. */
  const before = Date.parse("2027-03-27T11:00Z");
  const first = (words: string) => {
    const outcome = readSpokenWish(words, before, zone);
    const wish = outcome.ok && outcome.value.what !== "trigger" ? outcome.value : undefined;
    const [next] =
      wish?.cron === undefined
        ? [readTime(wish?.at ?? "", zone)]
        : nextTimes({ cron: wish.cron }, zone, before, 1);
    return new Date(next ?? 0).toISOString();
  };

  it.each([
    ["tomorrow at 9 post", "2027-03-28T07:00:00.000Z"],
    ["today at 18 post", "2027-03-27T17:00:00.000Z"],
    ["tomorrow at 2:30 post", "2027-03-28T01:30:00.000Z"],
    ["in 2 hours post", "2027-03-27T13:00:00.000Z"],
    ["sundays at 9 post", "2027-03-28T07:00:00.000Z"],
    ["on the last day of the month at 9 post", "2027-03-31T07:00:00.000Z"],
  ])("around a clock change, %s comes at %s", (words, at) => {
    expect(first(words)).toBe(at);
  });
});

describe("a time that is given alone", () => {
  const time = (words: string) => readSpokenTime(words, now, zone);

  it.each([
    ["on Friday at 5pm, please", { at: "2026-11-27T17:00:00" }],
    ["remind me tomorrow in the morning", { at: "2026-11-26T09:00:00" }],
    ["morgen um 9 Uhr", { at: "2026-11-26T09:00:00" }],
    ["every weekday at 9", { cron: "0 9 * * 1-5" }],
    ["every weekday at 9 and 17", { cron: "0 9,17 * * 1-5" }],
    ["Mondays at 9", { cron: "0 9 * * 1" }],
    ["weekly on Monday at 9", { cron: "0 9 * * 1" }],
    ["every Friday at 16:00 Europe/Lisbon", { cron: "0 16 * * 5", time_zone: "Europe/Lisbon" }],
    ["2026-11-26T09:00+09:00", { at: "2026-11-26T09:00+09:00" }],
    ["0 9 L * *", { cron: "0 9 L * *" }],
    ["0 16 * jan-dec FRI", { cron: "0 16 * jan-dec FRI" }],
    ["0 9 * * 1#1", { cron: "0 9 * * 1#1" }],
  ])("a time given alone is read: %s", (words, value) => {
    expect(time(words)).toEqual({ ok: true, value });
  });

  it.each([
    ["tomorrow at 9 Tokyo time", /“Tokyo time”/],
    ["Friday 25:00", /“25:00”/],
    ["tomorrow at 9 to call", /“call”.*\+09:00/],
    ["soonish", /names no time/],
  ])("a time with a part that is not understood is refused: %s", (words, problem) => {
    const outcome = time(words);
    expect(outcome.ok ? "" : outcome.message).toMatch(problem);
  });
});
