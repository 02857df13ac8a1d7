import { describe, expect, it } from "vitest";
import { hasWords, isEmojiOf, wordsProblem } from "../../../../src/app/schedules/trigger-words.ts";
import { cronInWords } from "../../../../src/core/ports/plan-times.ts";

describe("the words of a trigger", () => {
  it.each([
    ["deploy failed", "The deploy has FAILED again", true],
    ["deploy failed", "The deployment failed", false],
    ["deploy* failed", "The deployment failed", true],
    ['"deploy failed"', "deploy: failed!", true],
    ['"deploy failed"', "the deploy has failed", false],
    ["“deploy failed”", "deploy failed", true],
    ["*ment", "a deployment", true],
    ["*ploy*", "redeployed", true],
    ["cafe", "Das Café", true],
    ["(a+)+$", "aaaa", false],
    ["障害", "障害", true],
    ["deploy", "", false],
  ])("the trigger words %s are found in %s: %s", (pattern, text, found) => {
    expect(hasWords(pattern, text)).toBe(found);
  });

  it("trigger words take no longer for a text that would hang a regular expression", () => {
    const begun = performance.now();
    expect(hasWords("a* a* a* a* b", "a ".repeat(20_000))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it.each(["", "*", "a", "* *", '""', "?!"])(
    "the trigger words %s would fit anything or nothing",
    (pattern) => {
      expect(wordsProblem(pattern)).toMatch(/Name words/);
    },
  );

  it("trigger words are at most ten", () => {
    expect(wordsProblem("one two three four five six seven eight nine ten")).toBeUndefined();
    expect(wordsProblem("one two three four five six seven eight nine ten eleven")).toMatch(/ten/);
  });
});

describe("a reaction", () => {
  it.each([
    ["eyes 👀", "eyes", true],
    ["eyes 👀", "👀", true],
    [":eyes:", "eyes", true],
    ["thumbsup 👍", "thumbsup::skin-tone-3", true],
    ["👍", "👍🏽", true],
    ["❤️", "❤", true],
    ["eyes", "eye", false],
    ["eyes", "", false],
  ])("the emoji %s stands for %s: %s", (emoji, reaction, same) => {
    expect(isEmojiOf(emoji, reaction)).toBe(same);
  });
});

describe("a cron pattern in words", () => {
  it.each([
    ["0 9 * * 1-5", "every weekday at 09:00"],
    ["30 17 * * *", "every day at 17:30"],
    ["0 8,20 * * mon,4", "every Monday and Thursday at 08:00 and 20:00"],
    ["0 9 1 * *", "on day 1 of every month at 09:00"],
    ["0 9 L * *", "on the last day of every month at 09:00"],
    ["*/10 * * * *", "every 10 minutes"],
    ["0 * * * *", "every hour at minute 00"],
    ["0 9 1 1 *", undefined],
    ["0 9-17 * * *", undefined],
    ["*/45 * * * *", undefined],
    ["*/25 * * * *", undefined],
    ["*/60 * * * *", undefined],
    ["0 */3 * * *", undefined],
    ["30 */7 * * *", undefined],
    ["*/15 9 * * *", undefined],
    ["0 9 * * 1#1", undefined],
    ["@daily", undefined],
  ])("the cron pattern %s is put into words", (cron, words) => {
    expect(cronInWords(cron)).toBe(words);
  });
});
