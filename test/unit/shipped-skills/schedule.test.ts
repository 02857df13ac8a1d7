import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/schedule/skill.ts";
import type { PlannedView, Proposal, Wish } from "../../../src/core/ports/schedules.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const view: PlannedView = {
  ...{ id: "a7", what: "task", text: "post what is open", when: "every weekday at 09:00 (Europe/Berlin)" },
  ...{ next: ["Thu 09:00", "Fri 09:00", "Mon 09:00"], next_at: [1, 2, 3], tools: [], by: "Ann" },
};

/** The skill in a channel where plans ask, or do not, and people agree, or do not. */
function createChannel({ asks = true, agrees = true, by = "ann", here = true } = {}) {
  const wishes: Wish[] = [];
  const asked: string[] = [];
  const added: Proposal[] = [];
  const plan = (wish: Wish) => {
    wishes.push(wish);
    const text = wish.what === "change" ? "" : wish.text;
    if (text === "bad") return { ok: false, status: 400, message: "That is over." };
    return { ok: true, value: { value: { text }, question: "Do it?", shown: {}, asks } };
  };
  const schedules = {
    plan: async (wish: Wish) => plan(wish),
    add: async (given: Proposal) => {
      added.push(given);
      return { ok: true, value: view };
    },
    list: async () => [view],
    change: async (id: string) =>
      id === "a7"
        ? { ok: true, value: view }
        : { ok: false, status: 404, message: "Nothing here has the id." },
  };
  const context = {
    ...(here ? { schedules } : {}),
    user: { id: "ann", name: "Ann", trust: "member" },
    step: async <T extends Json>(_name: string, work: () => Promise<T> | T) => await work(),
    approve: async ({ question }: { question: string }) => {
      asked.push(question);
      return { approved: agrees, by };
    },
  } as unknown as ToolContext;
  const use = async (part: string, input: Record<string, Json>) => {
    const definition = skill.kind === "parts" ? skill.parts[part] : undefined;
    if (definition === undefined) throw new Error(`no part ${part}`);
    const output = await definition.run(definition.parameters.parse(input), context);
    return definition.output.parse(output) as { summary: string };
  };
  return { use, wishes, asked, added };
}

const daily = { what: "task", text: "post what is open", cron: "0 9 * * 1-5" };

describe("the schedule skill", () => {
  it("the schedule skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/schedule")).toEqual({ valid: true, errors: [] });
  });

  it("the schedule skill asks where the plan does, and states the next three times", async () => {
    const { use, asked, added } = createChannel();
    expect((await use("add", daily)).summary).toMatch(/every weekday.*Next: Thu 09:00, Fri 09:00, Mon 09:00/);
    expect([asked, added]).toMatchObject([["Do it?"], [{ value: { text: "post what is open" } }]]);
  });

  it("the schedule skill asks nobody where the plan does not", async () => {
    const { use, asked, added } = createChannel({ asks: false });
    await use("add", { what: "reminder", text: "the invoice", at: "2026-11-26T09:00" });
    expect([asked, added.length]).toEqual([[], 1]);
  });

  it.each([
    ["ann", "refused", /^"ann" refused it.*nothing was planned/, /not try it again/],
    ["", "approval_expired", /^Nobody approved it in time.*nothing was planned/, /can ask for it again/],
  ])("the schedule skill plans nothing without a yes (by %j): %s", async (by, code, message, hint) => {
    const { use, added } = createChannel({ agrees: false, by });
    const [says, next] = [expect.stringMatching(message), expect.stringMatching(hint)];
    await expect(use("add", daily)).rejects.toMatchObject({ code, message: says, hint: next });
    expect(added).toEqual([]);
  });

  it("the schedule skill says what is wrong with a wish", async () => {
    await expect(createChannel().use("add", { ...daily, text: "bad" })).rejects.toThrow("That is over.");
    await expect(createChannel({ here: false }).use("list", {})).rejects.toThrow(/cannot schedule anything/);
  });

  it.each([
    [
      { on: "message", words: "deploy failed" },
      { on: "message", words: "deploy failed" },
    ],
    [
      { on: "reaction", emoji: "eyes 👀", by_me: true },
      { on: "reaction", emoji: "eyes 👀", by: "ann" },
    ],
    [
      { on: "quiet", hours: 2, here: true },
      { on: "quiet", hours: 2, here: true },
    ],
    [{ on: "webhook" }, { on: "webhook" }],
  ])("the schedule skill sets the trigger %j", async (input, condition) => {
    const { use, wishes } = createChannel();
    await use("add_trigger", { ...input, text: "say it" });
    expect(wishes).toEqual([{ what: "trigger", text: "say it", condition }]);
  });

  it.each([
    [{ on: "message" }, /needs `words`/],
    [{ on: "reaction", emoji: " " }, /needs `emoji`/],
    [{ on: "quiet" }, /needs `hours`/],
  ])("the schedule skill says what %j lacks", async (input, message) => {
    await expect(createChannel().use("add_trigger", { ...input, text: "x" })).rejects.toThrow(message);
  });

  it("the schedule skill lists and changes", async () => {
    const { use } = createChannel();
    expect(await use("list", {})).toMatchObject({ summary: "1 planned here.", planned: [{ id: "a7" }] });
    expect((await use("change", { id: "a7", to: "remove" })).summary).toBe("Removed: post what is open.");
    await expect(use("change", { id: "zz", to: "pause" })).rejects.toThrow(/Nothing here/);
  });
});

describe("one tool for reminders and tasks", () => {
  /** Wednesday, 25 November 2026, 10:00 in UTC. */
  const bench = () =>
    createSkillBench({ clock: createFakeClock(Date.UTC(2026, 10, 25, 10)), max_duration_ms: 1e12 });
  const next = (output: Json) => (output as { planned: PlannedView }).planned;

  const nine = "2026-11-26T09:00";

  it.each<[string, object, RegExp]>([
    ["a time", { at: "2026-11-27T08:30" }, /^Fri 2026-11-27 08:30 UTC$/],
    ["a time with an offset", { at: "2026-11-27T08:30+09:00" }, /^Thu 2026-11-26 23:30 UTC$/],
    ["a time in a zone", { at: nine, zone: "Asia/Tokyo" }, /^Thu 2026-11-26 00:00 UTC$/],
    ["a duration", { in: "PT90M" }, /^Wed 2026-11-25 11:30 UTC$/],
    ["a day of the calendar", { in: "P1M" }, /^Fri 2026-12-25 10:00 UTC$/],
    ["a pattern", { cron: ["0 16 * * 5"] }, /^Fri 2026-11-27 16:00 UTC,Fri 2026-12-04.*,Fri 2026-12-11/],
    ["a pattern as text", { cron: "0 16 * * FRI" }, /^Fri 2026-11-27 16:00/],
    ["several patterns", { cron: "0 9 * * 1; 30 14 * * 4" }, /^Thu 2026-11-26 14:30.*,Mon 2026-11-30 09:00/],
    ["the last day of months", { cron: ["0 9 L * *"] }, /2026-11-30.*2026-12-31.*2027-01-31/],
    ["a first day", { cron: ["0 9 * * 1"], from: "2027-01-01" }, /^Mon 2027-01-04 09:00/],
    ["a last day", { cron: ["0 9 * * *"], until: "2026-11-27" }, /^Thu 2026-11-26[^,]*,Fri 2026-11-27[^,]*$/],
    ["a last time", { cron: ["0 9 * * *"], until: "2026-11-27T08:59" }, /^Thu 2026-11-26 09:00 UTC$/],
    ["a number of times", { cron: ["0 9 * * *"], times: 2 }, /^Thu 2026-11-26[^,]*,Fri 2026-11-27[^,]*$/],
  ])("the schedule tool takes %s, and tells the next times", async (_name, when, times) => {
    const run = await bench().run("schedule#add", { text: "Pay the invoice!", ...when });
    expect(next(run.output).next.join(",")).toMatch(times);
    expect(next(run.output)).toMatchObject({ what: "reminder", text: "Pay the invoice!" });
  });

  it.each<[string, object, RegExp]>([
    ["no time", {}, /exactly one of `at` \(2026-11-26T09:00\), `in` \(PT20M\) and `cron`/],
    ["two times", { at: nine, in: "PT1H" }, /exactly one of/],
    [
      "words as a time",
      { at: "tomorrow at 9" },
      /Write the date and the time as in 2026-11-26T09:00.*UTC: it is Wed/,
    ],
    ["a day without a time", { at: "2026-11-26" }, /Write the date and the time/],
    ["words as a duration", { in: "20 minutes" }, /Write it as PT20M/],
    ["words as a pattern", { cron: "every weekday at 9" }, /not a valid cron pattern.*five fields/],
    [
      "words in a field that there is not",
      { when: "tomorrow at 9" },
      /unknown parameter when.*known: text, what, at, in, cron/,
    ],
    ["six fields", { cron: ["0 0 9 * * 1"] }, /do not support seconds: a pattern has five fields/],
    [
      "six patterns",
      { cron: ["1 9 * * *", "2 9 * * *", "3 9 * * *", "4 9 * * *", "5 9 * * *", "6 9 * * *"] },
      /cron/,
    ],
    ["a day that never comes", { cron: ["0 9 * * 1", "0 9 31 2 *"] }, /0 9 31 2 \*` never runs/],
    ["a time that is over", { at: "2020-01-01T09:00" }, /has passed: it is Wed 2026-11-25 10:00 in UTC/],
    ["a duration that is over", { in: "-PT1H" }, /has passed/],
    ["a duration without end", { in: "P999999Y" }, /more than ten years/],
    ["a day that is none", { at: "2026-02-30T09:00" }, /is not a valid time/],
    ["every 5 seconds", { cron: ["* * * * *"] }, /at least 5 minutes apart/],
    ["patterns that come close", { cron: ["0 9 * * *", "2 9 * * 1"] }, /at least 5 minutes apart.*2 minutes/],
    ["a zone that does not exist", { at: nine, zone: "Mars/Olympus" }, /not a time zone.*Europe\/Berlin/],
    ["no times at all", { cron: ["0 9 * * *"], times: 0 }, /times/],
    ["bounds of a single time", { at: nine, times: 2 }, /`times` are for a repetition/],
    ["words as a bound", { cron: ["0 9 * * *"], until: "Christmas" }, /2026-12-31 or 2026-12-31T18:00/],
    [
      "an end before the first",
      { cron: ["0 9 * * *"], from: "2027-01-02", until: "2027-01-01" },
      /No run is left/,
    ],
  ])("the schedule tool refuses %s, and says what to write", async (_name, when, words) => {
    const run = await bench().run("schedule#add", { text: "x", ...when });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the schedule tool moves a time that the clock skips behind the gap, and says so", async () => {
    const run = await bench().run("schedule#add", {
      ...{ text: "x", at: "2027-03-28T02:30", zone: "Europe/Berlin" },
    });
    expect(next(run.output)).toMatchObject({
      when: "on Sun 2027-03-28 03:30 (Europe/Berlin)",
      next: ["Sun 2027-03-28 01:30 UTC"],
    });
  });

  it.each<[string, object, object, RegExp]>([
    [
      "a time",
      { at: nine },
      { at: "2026-11-28T09:00" },
      /on Sat 2026-11-28 09:00.*Next: Sat 2026-11-28 09:00/,
    ],
    ["a repetition instead of a time", { at: nine }, { cron: ["0 9 * * 1"] }, /every Monday at 09:00/],
    [
      "only the end of a repetition",
      { cron: ["0 9 * * *"], zone: "Asia/Tokyo" },
      { times: 1 },
      /every day at 09:00, until Thu 2026-11-26 09:00 \(Asia\/Tokyo\)/,
    ],
    [
      "other patterns without the former end",
      { cron: ["0 9 * * *"], times: 1 },
      { cron: ["0 8 * * *"] },
      /every day at 08:00 \(UTC\)/,
    ],
  ])("the schedule tool changes %s", async (_name, was, when, words) => {
    const own = bench();
    const { id } = next((await own.run("schedule#add", { text: "x", ...was })).output);
    expect(JSON.stringify((await own.run("schedule#change", { id, ...when })).output)).toMatch(words);
    const listed = await own.run("schedule#list", {});
    expect((listed.output as never as { planned: object[] }).planned).toMatchObject([{ id }]);
  });

  it.each<[string, object, RegExp]>([
    ["nothing", {}, /Give either `to`, or new times/],
    ["both", { to: "pause", at: nine }, /Give either/],
    ["bounds of a single time", { until: "2027-01-01" }, /exactly one of/],
    ["words", { at: "noon" }, /not a valid time/],
    ["an id that there is not", { id: "zz", at: nine }, /no schedule or trigger zz/],
  ])("the schedule tool changes nothing for %s", async (_name, change, words) => {
    const own = bench();
    const { id } = next((await own.run("schedule#add", { text: "x", at: nine })).output);
    const run = await own.run("schedule#change", { id, ...change });
    expect([run.status, JSON.stringify(run.output)]).toEqual(["error", expect.stringMatching(words)]);
  });

  it("the schedule tool replaces the skill reminder", async () => {
    const run = await bench().run("reminder", { text: "Pay the invoice!", at: nine });
    expect(run.output).toMatchObject({
      summary: expect.stringMatching(/^I remind on Thu 2026-11-26 09:00/),
      planned: { what: "reminder" },
    });
  });

  it("the schedule skill costs what its example costs", async () => {
    const own = bench();
    await own.run("schedule#add", { text: "Think of the invoice.", at: nine });
    expect(await own.cost("schedule")).toEqual({ tools: 700, guide: 280, calls: 0, asked: 0, answered: 0 });
  });
});
