import { describe, expect, it } from "vitest";
import { readSpokenTime, readSpokenWish } from "../../../../src/app/schedules/spoken/spoken-times.ts";
import { nextTimes, readTime } from "../../../../src/app/schedules/times.ts";

/** A Wednesday, 11:00 in Berlin. */
const now = Date.parse("2026-11-25T10:00Z");
const zone = "Europe/Berlin";
const read = (words: string) => readSpokenWish(words, now, zone);

type Row = [words: string, what: "reminder" | "task", when: string, text: string];

/** `WORDS => WHEN | TEXT`, one a line; reminders where the words ask to be reminded. */
function rows(table: string): Row[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [words = "", when = "", text = ""] = line.trim().split(/ => | \| /);
      return [words, /remind/i.test(words) || /erinnere/.test(words) ? "reminder" : "task", when, text];
    });
}

const oneTimes = rows(`
    next month on the 15th at 8 remind me x => 2026-12-15T08:00:00 | x
    tomorrow at 9 to call the bank => 2026-11-26T09:00:00 | call the bank
    remind me in 20 minutes to stretch => 2026-11-25T11:20:00 | stretch
    remind me tonight to lock up => 2026-11-25T22:00:00 | lock up
    remind me at noon to eat => 2026-11-25T12:00:00 | eat
    remind me at half past 8 to call => 2026-11-26T08:30:00 | call
    remind me at 8pm to call => 2026-11-25T20:00:00 | call
    remind me at 17h to call => 2026-11-25T17:00:00 | call
    remind me to call the bank tomorrow at 9 => 2026-11-26T09:00:00 | call the bank
    tomorrow at 9 write the report for Monday => 2026-11-26T09:00:00 | write the report for Monday
    remind me at 9:45 about the meeting at 10 => 2026-11-26T09:45:00 | the meeting at 10
    remind me tomorrow to call the bank at 9 => 2026-11-26T09:00:00 | call the bank
    remind me tomorrow to join the meeting at 10 => 2026-11-26T09:00:00 | join the meeting at 10
    tomorrow at 9 post the sum of every invoice => 2026-11-26T09:00:00 | post the sum of every invoice
    Friday at 5pm remind me of the review => 2026-11-27T17:00:00 | the review
    next Friday at 5 remind me to go => 2026-12-04T05:00:00 | go
    next week on monday at 9 remind me to go => 2026-11-30T09:00:00 | go
    on the 15th at 8 remind me to pay => 2026-12-15T08:00:00 | pay
    remind me on the 15th to pay => 2026-12-15T09:00:00 | pay
    in 2 days at 9 remind me to go => 2026-11-27T09:00:00 | go
    in a week remind me to go => 2026-12-02T09:00:00 | go
    in an hour and 30 minutes remind me to go => 2026-11-25T12:30:00 | go
    in half an hour remind me to go => 2026-11-25T11:30:00 | go
    the day after tomorrow at 9 remind me to go => 2026-11-27T09:00:00 | go
    12/24 at 6pm post => 2026-12-24T18:00:00 | post
    24.12. at 18:00 post => 2026-12-24T18:00:00 | post
    24 December at 18:00 post the wishes => 2026-12-24T18:00:00 | post the wishes
    Dec 24th 2027 at 9:30am post the wishes => 2027-12-24T09:30:00 | post the wishes
    2026-12-24 post the wishes => 2026-12-24T09:00:00 | post the wishes
    2026-12-24 18:00 post the wishes => 2026-12-24T18:00:00 | post the wishes
    Thursday 26 November at 9 post => 2026-11-26T09:00:00 | post
    wed at 9 post => 2026-12-02T09:00:00 | post
    Wednesday at 9 post => 2026-12-02T09:00:00 | post
    Wednesday at 14:00 post => 2026-11-25T14:00:00 | post
    at 9 post the plan => 2026-11-26T09:00:00 | post the plan
    at 14 post the plan => 2026-11-25T14:00:00 | post the plan
    remind me tomorrow 9 to call => 2026-11-26T09:00:00 | call
    remind me to look at 3 invoices tomorrow at 9 => 2026-11-26T09:00:00 | look at 3 invoices
    please remind me tomorrow at 9 to call => 2026-11-26T09:00:00 | call
    can you remind me tomorrow at 9 to call => 2026-11-26T09:00:00 | call
    set a reminder for tomorrow at 9 to call the bank => 2026-11-26T09:00:00 | call the bank
    schedule the report for monday at 9 => 2026-11-30T09:00:00 | schedule the report
    remind me tomorrow morning to call => 2026-11-26T09:00:00 | call
    remind me tomorrow in the morning to call => 2026-11-26T09:00:00 | call
    remind me friday evening to call => 2026-11-27T20:00:00 | call
    remind me this evening at 8 to call => 2026-11-25T20:00:00 | call
    tomorrow at 9 remind me to send the report by Friday => 2026-11-26T09:00:00 | send the report by Friday
    tomorrow at 9 post that I am away for 2 weeks => 2026-11-26T09:00:00 | post that I am away for 2 weeks
    remind me on monday of the numbers at midnight => 2026-11-30T00:00:00 | the numbers
    on the 1st at 9 post => 2026-12-01T09:00:00 | post
    erinnere mich morgen um 9 an die Abrechnung => 2026-11-26T09:00:00 | die Abrechnung
    morgen um 9 die Abrechnung posten => 2026-11-26T09:00:00 | die Abrechnung posten
    demain à 9h appeler la banque => 2026-11-26T09:00:00 | appeler la banque
    remind me to buy milk on my way home at 6 pm => 2026-11-25T18:00:00 | buy milk on my way home
    remind me at 9 tomorrow morning to take the bins out => 2026-11-26T09:00:00 | take the bins out
    remind me in 90 minutes to go => 2026-11-25T12:30:00 | go
    remind me in 2h to go => 2026-11-25T13:00:00 | go
    quarter past nine tomorrow post => 2026-11-26T09:15:00 | post
    at a quarter to 5 pm tomorrow post => 2026-11-26T16:45:00 | post
    remind me at five to call mom => 2026-11-26T05:00:00 | call mom
    tomorrow at noon post the news => 2026-11-26T12:00:00 | post the news
    on the 5th of december at 9 post => 2026-12-05T09:00:00 | post
    tomorrow at 0900 post => 2026-11-26T09:00:00 | post
    tomorrow at 9 ask to take a month off => 2026-11-26T09:00:00 | ask to take a month off
    tomorrow at 9 post the cost per month => 2026-11-26T09:00:00 | post the cost per month
    3.4.2027 at 18:00 post => 2027-04-03T18:00:00 | post
    tomorrow at 9 PST post => 2026-11-26T09:00:00-08:00 | post
    tomorrow at 9 BST post => 2026-11-26T09:00:00+01:00 | post
    tomorrow at 9am PST remind me to call => 2026-11-26T09:00:00-08:00 | call
    tomorrow at 9 look at the first draft => 2026-11-26T09:00:00 | look at the first draft
    tomorrow at 9 the second draft is due => 2026-11-26T09:00:00 | the second draft is due
    remind me tomorrow at 9: meeting at 10 with Bob => 2026-11-26T09:00:00 | meeting at 10 with Bob
    post https://x.com/monday/9:00 tomorrow at 9 => 2026-11-26T09:00:00 | post https://x.com/monday/9:00
    tomorrow at 9 post 24/7 support numbers => 2026-11-26T09:00:00 | post 24/7 support numbers
    tomorrow night at 9 post => 2026-11-26T21:00:00 | post
    remind me on May 3rd at 10 of mums birthday => 2027-05-03T10:00:00 | mums birthday
    may 3 10:00 remind me of x => 2027-05-03T10:00:00 | x
    remind me Sunday to rest => 2026-11-29T09:00:00 | rest
    remind me sun at 9 to rest => 2026-11-29T09:00:00 | rest
    remind me at 9 p.m. to rest => 2026-11-25T21:00:00 | rest
    remind me at 12am to rest => 2026-11-26T00:00:00 | rest
    tomorrow post the plan for today => 2026-11-26T09:00:00 | post the plan for today
    today at 18:00 post the plan => 2026-11-25T18:00:00 | post the plan
    today post the plan => 2026-11-25T09:00:00 | post the plan
    am Montag um 9 den Plan posten => 2026-11-30T09:00:00 | den Plan posten
    el lunes a las 9 publicar => 2026-11-30T09:00:00 | publicar
    remind me on Friday at 5pm of the review => 2026-11-27T17:00:00 | the review
    remind me in 10 minutes to stretch => 2026-11-25T11:10:00 | stretch
    tomorrow remind me to call => 2026-11-26T09:00:00 | call
    remind me tomorrow afternoon to call => 2026-11-26T15:00:00 | call
    tomorrow at 9 remind me to pay the invoice => 2026-11-26T09:00:00 | pay the invoice
`);

const repeated = rows(`
    on weekdays at 9 post the standup => 0 9 * * 1-5 | post the standup
    mondays at 9 post the plan => 0 9 * * 1 | post the plan
    on mondays and thursdays at 9 post the plan => 0 9 * * 1,4 | post the plan
    at 9 daily post the weather => 0 9 * * * | post the weather
    on the 1st of each month at 9 remind me to send the invoice => 0 9 1 * * | send the invoice
    mon, wed and fri at 8:30 check the build => 30 8 * * 1,3,5 | check the build
    every tuesday at 10 say hi => 0 10 * * 2 | say hi
    every mon and thu at 9 say hi => 0 9 * * 1,4 | say hi
    the 15th at 8 every month pay rent => 0 8 15 * * | pay rent
    on the last day of the month at 17:00 close the books => 0 17 L * * | close the books
    on the last day of each month at 17:00 close the books => 0 17 L * * | close the books
    every last friday of the month at 16 demo => 0 16 * * 5#L | demo
    the first Monday of the month at 9 post the plan => 0 9 * * 1#1 | post the plan
    every first monday at 9 post the plan => 0 9 * * 1#1 | post the plan
    on the second tuesday of every month at 9 post the plan => 0 9 * * 2#2 | post the plan
    at 9 and 17:00 every day post the queue => 0 9,17 * * * | post the queue
    twice a day at 9 and 17 post the queue => 0 9,17 * * * | post the queue
    hourly check the queue => 0 * * * * | check the queue
    every 30 minutes check the queue => */30 * * * * | check the queue
    every half hour check the queue => */30 * * * * | check the queue
    quarterly on the 1st at 9 send the report => 0 9 1 1,4,7,10 * | send the report
    every quarter on the 15th at 9 send the report => 0 9 15 1,4,7,10 * | send the report
    every 24 December at 18:00 post the wishes => 0 18 24 12 * | post the wishes
    yearly on December 24th at 18:00 post the wishes => 0 18 24 12 * | post the wishes
    every year on 24 December at 9 post wishes => 0 9 24 12 * | post wishes
    annually on the 1st of March at 9 post => 0 9 1 3 * | post
    post the plan mondays at 9 => 0 9 * * 1 | post the plan
    every monday post the plan at 9 => 0 9 * * 1 | post the plan
    post the weekly report mondays at 9 => 0 9 * * 1 | post the weekly report
    weekly on Monday at 9 post => 0 9 * * 1 | post
    every evening at 8 post who is on duty tomorrow => 0 20 * * * | post who is on duty tomorrow
    every morning at 8 post the news => 0 8 * * * | post the news
    every night at 11 lock => 0 23 * * * | lock
    at 8 in the evening every day post => 0 20 * * * | post
    weekends at 10 post the fun => 0 10 * * 0,6 | post the fun
    every weekend at 10 post => 0 10 * * 0,6 | post
    mon-fri at 9 post => 0 9 * * 1-5 | post
    monday to friday at 9 post => 0 9 * * 1-5 | post
    every hour on weekdays check the queue => 0 * * * 1-5 | check the queue
    every day at 9:00 and 17:00 post => 0 9,17 * * * | post
    mondays 9:00 post the plan => 0 9 * * 1 | post the plan
    every day at 9 look at the queue => 0 9 * * * | look at the queue
    every weekday at 9, Europe/Berlin: post what is open => 0 9 * * 1-5 | post what is open
    remind me every monday and wednesday at 9 to water => 0 9 * * 1,3 | water
    remind us every day at 9:30 of the standup => 30 9 * * * | the standup
    on the first working day of the month at 9 post => 0 9 1W * * | post
    every last weekday of the month at 9 post => 0 9 LW * * | post
    on the 1st and 15th of each month at 9 pay => 0 9 1,15 * * | pay
    every 1st and 15th at 9 pay => 0 9 1,15 * * | pay
    every 3 months on the 15th at 9 pay => 0 9 15 3,6,9,12 * | pay
    every 2 months on the 30th at 9 pay => 0 9 30 1,3,5,7,9,11 * | pay
    once a week on friday at 9 post => 0 9 * * 5 | post
    once a month on the 1st at 9 post => 0 9 1 * * | post
    every friday at 9 remind me of the 10:30 call => 0 9 * * 5 | the 10:30 call
    remind me every friday at 9 of the Monday meeting => 0 9 * * 5 | the Monday meeting
    every monday at 9 summarise last week => 0 9 * * 1 | summarise last week
    every month on the 31st at 9 post => 0 9 31 * * | post
    remind me to pay on the 1st of every month at 9am => 0 9 1 * * | pay
    every week on tuesday and thursday at 14:30 post => 30 14 * * 2,4 | post
    each weekday at 08:00 summarise #general => 0 8 * * 1-5 | summarise #general
    remind me on the 3rd Thursday of each month at 15:00 to meet => 0 15 * * 4#3 | meet
    first of the month at 9 post => 0 9 1 * * | post
    every day at 9am and 5pm post => 0 9,17 * * * | post
    every day at 9 or 17 post => 0 9,17 * * * | post
    remind me to submit hours every Friday 4pm => 0 16 * * 5 | submit hours
    remind me every 1st of the month at 9 to pay => 0 9 1 * * | pay
    Every Monday, 9 AM: post the plan => 0 9 * * 1 | post the plan
    remind me Mondays, Wednesdays, and Fridays at 6am to run => 0 6 * * 1,3,5 | run
    every single day at 7 post => 0 7 * * * | post
    on the 2nd and 4th Friday of the month at 9 post => 0 9 * * 5#2,5#4 | post
    every day at noon post the news => 0 12 * * * | post the news
    at midnight every day post the news => 0 0 * * * | post the news
    every december on the 24th at 9 post => 0 9 24 12 * | post
    every monday at 9 and friday post => 0 9 * * 1,5 | post
    remind me every day to take pills at 9 and 21 => 0 9,21 * * * | take pills
    at 9 in the morning every weekday post => 0 9 * * 1-5 | post
    Mon-Fri 9am post => 0 9 * * 1-5 | post
    every day at 0900 post => 0 9 * * * | post
    every day at 9 sharp post => 0 9 * * * | post
    every half hour check => */30 * * * * | check
    every quarter of an hour check => */15 * * * * | check
    every monday at 9 post the may numbers => 0 9 * * 1 | post the may numbers
    every monday at 9 post "every tuesday we meet at 10" => 0 9 * * 1 | post "every tuesday we meet at 10"
    daily 9am post => 0 9 * * * | post
    at 9 on mondays post => 0 9 * * 1 | post
    9am every monday post => 0 9 * * 1 | post
    post at 9 on weekdays the plan => 0 9 * * 1-5 | post the plan
    post the plan, every weekday, at 9 => 0 9 * * 1-5 | post the plan
    every weekday morning at 9 post => 0 9 * * 1-5 | post
    every Monday morning at 9 post => 0 9 * * 1 | post
    every Monday evening at 7 post => 0 19 * * 1 | post
    remind me weekly on fridays at noon to call => 0 12 * * 5 | call
    remind me each year on May 3 at 10 of mums birthday => 0 10 3 5 * | mums birthday
    every january and july on the 1st at 9 post => 0 9 1 1,7 * | post
    first and third monday of the month at 9 post => 0 9 * * 1#1,1#3 | post
    last working day of the quarter at 9 post => 0 9 LW 3,6,9,12 * | post
    last day of each quarter at 9 post => 0 9 L 3,6,9,12 * | post
    first monday of each quarter at 9 post => 0 9 * 1,4,7,10 1#1 | post
    every 6 months on the 1st at 9 post => 0 9 1 6,12 * | post
    every 1 week on monday at 9 post => 0 9 * * 1 | post
    every minute check => * * * * * | check
    once a day at 9 post => 0 9 * * * | post
    once daily at 9 post => 0 9 * * * | post
    once every 2 hours check => 0 */2 * * * | check
    thrice a day at 8, 12 and 18 post => 0 8,12,18 * * * | post
    three times a day at 8, 12 and 18 post => 0 8,12,18 * * * | post
    at 8, 12 and 18 every day post => 0 8,12,18 * * * | post
    at 8:15, 12:15 and 18:15 every day post => 15 8,12,18 * * * | post
    every day at 8 and 12 and 18 post => 0 8,12,18 * * * | post
    every hour look at the queue => 0 * * * * | look at the queue
    write the time every second => * * * * * | write the time
    every 2 minutes say hi => */2 * * * * | say hi
    every 2 hours say hi => 0 */2 * * * | say hi
    cron "0 9 1 * *" remind me of the report => 0 9 1 * * | the report
    every day at 17:30 remind me to log my hours => 30 17 * * * | log my hours
    every monday and thursday at 8am check the build => 0 8 * * 1,4 | check the build
    every Friday at 12 pm say that it is lunch => 0 12 * * 5 | say that it is lunch
    every weekday at 9 post what is open => 0 9 * * 1-5 | post what is open
    every month on the 1st at 9 post the report => 0 9 1 * * | post the report
`);

/** With a part of the answer. */
const refusals = rows(`
    every second tuesday at 9 post the plan => know this repetition
    twice a day post the queue => Name each
    every other week on monday at 9 post => know this repetition
    every 2 weeks on monday at 9 post => know this repetition
    every day at 9 until friday post the plan => do not understand
    every monday at 9 starting next week post the plan => do not understand
    write the report for Monday => no time in that
    remind me tomorrow at 9 about the meeting on Friday => beside it
    every full moon at 9 post => beside it
    send weekly report mondays at 9 => beside it
    post daily numbers at 9 => beside it
    weekly post the plan => On which day
    monthly at 9 post => On which day
    every month at 9 post the plan => On which day
    every morning post the news => At what time
    on the weekend at 10 post => do not understand
    every hour from 9 to 17 check => do not understand
    every 45 minutes check => divides an hour
    every monday and friday at 9:00 and 17:30 post => share their minute
    on Monday and Thursday at 9 post => do not understand
    next week remind me to go => On which day
    next month remind me to pay => On which day
    the 31st at 8 remind me to pay => no day 31
    on 3/4 at 9 post => do not understand
    Friday 26 November at 9 post => no such weekday
    mondays 9 post the plan => Write “at 9”
    remind me 9 tomorrow to call => beside it
    every day at 9 PST post => do not understand
    tomorrow at 9 Tokyo time post => beside it
    every 5 months on the 15th at 9 pay => know this repetition
    every 10 days at 9 water => know this repetition
    every other day at 9 water => know this repetition
    3 times a week at 9 post => On which day
    every day at 25 post => no time of a day
    every monday at 9 remind me by friday => beside it
    every day at 9 for 2 weeks post => do not understand
    post the plan every sprint at 9 => beside it
    every 15 minutes between 9 and 17 check => do not understand
    biweekly on monday at 9 post => do not understand
    every february 30 at 9 post => no day of a year
    end of the month at 9 post => do not understand
    every day except sunday at 9 post => do not understand
    remind me at 9 => but not what
    every 2nd day at 9 post => know this repetition
    every fortnight on monday at 9 post => know this repetition
    jeden Montag um 9 die Abrechnung posten => know this repetition
    montags um 9 posten => know this repetition
    tomorrow remind me every hour to drink => beside it
    remind me about the 3pm meeting at 2:30pm => no time in that
    remind me about the 3pm meeting => no time in that
    remind me on Monday and Tuesday at 9 to go => do not understand
    remind me tomorrow at 9 and 17 to go => do not understand
    at 9 pm every second day post => know this repetition
    every monday at 9 from next month on post => beside it
    next year on 1 May at 9 remind me => do not understand
    in december at 9 post => do not understand
    every monday at 9 and friday at 10 post => plans of their own
    weekdays at 9 and weekends at 11 post => plans of their own
    mondays at 9 and tuesdays at 9 post => plans of their own
    every other friday at 9 post => know this repetition
    every hour at minute 5 check => beside it
    hourly at :15 check => beside it
    the 1st monday at 9 post => do not understand
    first Monday of December at 9 post => do not understand
    tomorrow at 9:5 post => beside it
    tomorrow at 9.5 post => beside it
    every third day at 9 post => know this repetition
    every day 9 post => Write “at 9”
    remind me tomorrow to water the plants every week => beside it
    remind me in the morning to call => no time in that
    remind me later to call => no time in that
    remind me next weekend to call => do not understand
    remind me on christmas to call => no time in that
    remind me in a few hours to call => no time in that
    remind me in 3 to call => no time in that
    remind me every week to call => On which day
    remind me on the 29th of february at 9 to x => do not understand
    remind me at 13pm to rest => no time of a day
    every 4 weeks on monday at 9 post => know this repetition
    every 90 minutes check => divides an hour
    every 24 hours check => divides an hour
    now post the plan => no time in that
    remind me in 5 to call => no time in that
    wöchentlich am Montag um 9 posten => know this repetition
    morgen um 9 und um 17 posten => beside it
    cada lunes a las 9 publicar => know this repetition
    until tomorrow at 9 post => do not understand
    after tomorrow at 9 post => no time in that
    remind me to pay => no time
    tomorrow at 9 => but not what
    every day post it => At what time
    remind me every other day at 9 to water it => do not know this repetition
    erinnere mich jeden Freitag um 16 Uhr an den Bericht => do not know this repetition
    tous les lundis à 9h postez le rapport => do not know this repetition
    every 5 hours say hi => divides an hour
`);

describe("what people write after /agent schedule add", () => {
  it.each(oneTimes)("%s", (words, what, at, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, at, text, time_zone: zone } });
  });

  it.each(repeated)("%s", (words, what, cron, text) => {
    expect(read(words)).toEqual({ ok: true, value: { what, cron, text, time_zone: zone } });
    expect(nextTimes({ cron }, zone, now, 1)).toHaveLength(1);
  });

  it.each(refusals)("%s is refused", (words, _what, problem) => {
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
  ])("reads no time in quotation marks: %s", (words, text) => {
    expect(read(words)).toMatchObject({ ok: true, value: { text } });
  });

  it.each([
    ["every weekday at 9 America/New_York post it", { cron: "0 9 * * 1-5", time_zone: "America/New_York" }],
    ["tomorrow at 9 Asia/Tokyo post it", { at: "2026-11-26T09:00:00", time_zone: "Asia/Tokyo" }],
    ["every day at 9 UTC post it", { cron: "0 9 * * *", time_zone: "UTC" }],
  ])("takes the zone that is named: %s", (words, value) => {
    expect(read(words)).toEqual({ ok: true, value: { what: "task", text: "post it", ...value } });
  });

  it("takes time in proportion to the text", () => {
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
  ])("%s comes at %s", (words, at) => {
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
  ])("is read: %s", (words, value) => {
    expect(time(words)).toEqual({ ok: true, value });
  });

  it.each([
    ["tomorrow at 9 Tokyo time", /“Tokyo time”/],
    ["Friday 25:00", /“25:00”/],
    ["tomorrow at 9 to call", /“call”.*\+09:00/],
    ["soonish", /names no time/],
  ])("is refused where a part of it is not understood: %s", (words, problem) => {
    const outcome = time(words);
    expect(outcome.ok ? "" : outcome.message).toMatch(problem);
  });
});
