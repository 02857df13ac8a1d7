import { describe, expect, it } from "vitest";
import { readSpokenTime, readSpokenWish } from "../../../../src/app/schedules/spoken/spoken-times.ts";

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
    ["remind me tomorrow afternoon to call", "reminder", "2026-11-26T15:00:00", "call"],
    ["remind me tonight to lock up", "reminder", "2026-11-25T22:00:00", "lock up"],
    ["tomorrow at 9am PST remind me to call", "reminder", "2026-11-26T09:00:00-08:00", "call"],
    [
      "tomorrow at 9 post the sum of every invoice",
      "task",
      "2026-11-26T09:00:00",
      "post the sum of every invoice",
    ],
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
    ["every 2 hours say hi", "task", "0 */2 * * *", "say hi"],
  ])("%s", (words, what, cron, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, cron, text, time_zone: "Europe/Berlin" } });
  });

  it.each([
    ["remind me to pay", /no time/],
    ["tomorrow at 9", /but not what/],
    ["every day post it", /At what time/],
    ["every day at 25 post it", /no time of a day/],
    ["", /no time/],
    ["every month on the 1st at 9 post the report", /do not know this repetition/],
    ["remind me every other day at 9 to water it", /do not know this repetition/],
    ["erinnere mich jeden Freitag um 16 Uhr an den Bericht", /do not know this repetition/],
    ["tous les lundis à 9h postez le rapport", /do not know this repetition/],
    ["daily at 9 post the report", /do not know this repetition/],
    ["every 45 minutes say hi", /divides an hour/],
    ["every 5 hours say hi", /divides an hour/],
  ])("%s says what is missing", (words, problem) => {
    const outcome = read(words);
    expect(outcome.ok ? "" : outcome.message).toMatch(problem);
  });
});

describe("a time that is given alone", () => {
  const time = (words: string) => readSpokenTime(words, now, "Europe/Berlin");

  it.each([
    ["on Friday at 5pm, please", { at: "2026-11-27T17:00:00" }],
    ["remind me tomorrow in the morning", { at: "2026-11-26T09:00:00" }],
    ["morgen um 9 Uhr", { at: "2026-11-26T09:00:00" }],
    ["every weekday at 9", { cron: "0 9 * * 1-5" }],
  ])("is read: %s", (words, value) => {
    expect(time(words)).toEqual({ ok: true, value });
  });

  it.each([
    ["tomorrow at 9 Tokyo time", /“Tokyo time”.*\+09:00/],
    ["every weekday at 9 and 17", /“and 17”/],
    ["Friday 25:00", /“25:00”/],
    ["Mondays at 9", /“Mondays”/],
    ["weekly on Monday at 9", /repetition/],
    ["soonish", /names no time/],
  ])("is refused where a part of it is not understood: %s", (words, problem) => {
    const outcome = time(words);
    expect(outcome.ok ? "" : outcome.message).toMatch(problem);
  });
});
