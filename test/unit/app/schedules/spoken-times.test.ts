import { describe, expect, it } from "vitest";
import { readSpokenWish } from "../../../../src/app/schedules/spoken-times.ts";

/** A Wednesday, 11:00 in Berlin. */
const now = Date.parse("2026-11-25T10:00Z");
const read = (words: string) => readSpokenWish(words, now, "Europe/Berlin");

describe("what people write after /agent schedule add", () => {
  it.each([
    ["tomorrow at 9 remind me to pay the invoice", "reminder", "2026-11-26T09:00:00", "pay the invoice"],
    ["remind me on Friday at 5pm of the review", "reminder", "2026-11-27T17:00:00", "the review"],
    ["remind me in 10 minutes to stretch", "reminder", "2026-11-25T11:10:00", "stretch"],
    ["tomorrow remind me to call", "reminder", "2026-11-26T09:00:00", "call"],
    ["erinnere mich morgen um 9 an die Abrechnung", "reminder", "2026-11-26T09:00:00", "die Abrechnung"],
    ["2026-12-24 18:00 post the wishes", "task", "2026-12-24T18:00:00", "post the wishes"],
  ])("%s", (words, what, at, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, at, text, time_zone: "Europe/Berlin" } });
  });

  it.each([
    ["every weekday at 9 post what is open", "task", "0 9 * * 1-5", "post what is open"],
    ["every day at 17:30 remind me to log my hours", "reminder", "30 17 * * *", "log my hours"],
    ["every monday and thursday at 8am check the build", "task", "0 8 * * 1,4", "check the build"],
    ["every Friday at 12 pm say that it is lunch", "task", "0 12 * * 5", "say that it is lunch"],
    ['cron "0 9 1 * *" remind me of the report', "reminder", "0 9 1 * *", "the report"],
    ["every hour look at the queue", "task", "0 * * * *", "look at the queue"],
    ["write the time every second", "task", "* * * * *", "write the time"],
    ["every 2 minutes say hi", "task", "*/2 * * * *", "say hi"],
  ])("%s", (words, what, cron, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, cron, text, time_zone: "Europe/Berlin" } });
  });

  it.each([
    ["remind me to pay", /no time/],
    ["tomorrow at 9", /but not what/],
    ["every day post it", /At what time/],
    ["every day at 25 post it", /no time of a day/],
    ["", /no time/],
  ])("%s says what is missing", (words, problem) => {
    const outcome = read(words);
    expect(outcome.ok ? "" : outcome.message).toMatch(problem);
  });
});
