import { describe, expect, it } from "vitest";
import { z } from "zod";
import { skill } from "../../../skills/schedule/skill.ts";
import type { PlannedView } from "../../../src/core/ports/schedule.ts";
import type { Plan, Wish } from "../../../src/core/ports/schedules.ts";
import { toJsonSchema } from "../../../src/core/skill/define-skill.ts";
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
  const added: Plan[] = [];
  const plan = (wish: Wish) => {
    wishes.push(wish);
    if (wish.text === "bad") return { ok: false, status: 400, message: "That is over." };
    return { ok: true, value: { value: { text: wish.text }, question: "Do it?", shown: {}, asks } };
  };
  const schedules = {
    plan: async (wish: Wish) => plan(wish),
    add: async (given: Plan) => {
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
    ["ann", "refused", /^ann refused it.*nothing was planned/, /not try it again/],
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

  it.each([
    ["words of time", "tomorrow at 9", /2026-11-26 09:00/],
    ["an ISO time", "2026-11-27T08:30", /2026-11-27 08:30/],
    ["again and again", "every weekday at 9", /09:00.*09:00.*09:00/],
    ["the last day of the month", "on the last day of the month at 9", /2026-11-30.*2026-12-31.*2027-01-31/],
    ["a cron pattern", "0 16 * * 5", /16:00/],
    ["a cron pattern with names", "0 16 * jan-dec FRI", /16:00.*16:00.*16:00/],
  ])("the schedule tool understands a time and tells the next ones: %s", async (_name, when, times) => {
    const run = await bench().run("schedule#add", { text: "Pay the invoice!", when });
    expect(run.status).toBe("ok");
    expect(next(run.output).next.join(" ")).toMatch(times);
    expect(next(run.output)).toMatchObject({ what: "reminder", text: "Pay the invoice!" });
  });

  it.each([
    ["no time at all", "soonish maybe", /names no time/],
    ["a time that is over", "2020-01-01T09:00", /has passed/],
    ["a day that is none", "2026-02-30T09:00", /is not a valid time/],
    ["every 5 seconds", "* * * * *", /at least 5 minutes apart/],
    ["a zone in words", "tomorrow at 9 Tokyo time", /“Tokyo time”/],
    ["every other week", "every other week on Monday at 9", /do not understand this repetition/],
  ])("the schedule tool says what is wrong: %s", async (_name, when, words) => {
    const run = await bench().run("schedule#add", { text: "x", when });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the schedule tool reads the words in the requested zone", async () => {
    const run = await bench().run("schedule#add", {
      text: "x",
      when: "tomorrow at 9",
      time_zone: "Asia/Tokyo",
    });
    expect(next(run.output).next).toEqual([expect.stringContaining("2026-11-26 00:00")]);
  });

  it("the schedule tool takes when and what from one sentence", async () => {
    const run = await bench().run("schedule#add", { text: "remind me tomorrow at 9 to call the bank" });
    expect(next(run.output)).toMatchObject({ what: "reminder", text: "call the bank" });
    const task = await bench().run("schedule#add", { text: "post the plan mondays at 9" });
    expect(next(task.output)).toMatchObject({ what: "task", text: "post the plan" });
  });

  it("the schedule tool takes the times of earlier callers, and tells nobody of them", async () => {
    const part = skill.kind === "parts" ? skill.parts.add : undefined;
    expect(Object.keys(toJsonSchema(part?.parameters ?? z.object({})).properties ?? {})).toEqual([
      ...["text", "when", "what", "for", "time_zone", "tools"],
    ]);
    const run = await bench().run("schedule#add", { what: "task", text: "post", cron: "0 9 * * 1" });
    expect(next(run.output).when).toMatch(/every Monday/);
  });

  it("the schedule tool replaces the skill reminder", async () => {
    const run = await bench().run("reminder", { text: "Pay the invoice!", when: "tomorrow at 9" });
    expect(run.output).toMatchObject({
      summary: expect.stringMatching(/^I remind on Thu 2026-11-26 09:00/),
      planned: { what: "reminder" },
    });
  });

  it("the schedule skill costs what its example costs", async () => {
    const own = bench();
    await own.run("schedule#add", { text: "Think of the invoice.", when: "tomorrow at 9" });
    expect(await own.cost("schedule")).toEqual({ tools: 520, guide: 230, calls: 0, asked: 0, answered: 0 });
  });
});
