import { describe, expect, it } from "vitest";
import { validatePackage } from "../../../src/skills/validate-package.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { createSkillBench } from "../../support/skill-bench.ts";

/** Wednesday, 25 November 2026, 10:00 in UTC. */
const bench = () =>
  createSkillBench({ clock: createFakeClock(Date.UTC(2026, 10, 25, 10)), max_duration_ms: 1e12 });

describe("the reminder skill", () => {
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/reminder")).toEqual({ valid: true, errors: [] });
  });

  it.each([
    ["words of time", "tomorrow at 9", /Thu 2026-11-26 09:00|26 Nov|2026-11-26.09:00/],
    ["an ISO time", "2026-11-27T08:30", /27/],
    ["again and again", "every weekday at 9", /09:00/],
    ["a cron pattern", "0 16 * * 5", /16:00/],
    ["a cron pattern with names", "0 16 * jan-dec FRI", /16:00.*16:00.*16:00/],
  ])("understands %s and tells the next times", async (_name, when, next) => {
    const run = await bench().run("reminder", { text: "Pay the invoice!", when });
    expect(run.status).toBe("ok");
    const { planned, summary } = run.output as { planned: { next: string[] }; summary: string };
    expect(`${planned.next.join(" ")} ${summary}`).toMatch(next);
  });

  it.each([
    ["no time at all", "soonish maybe", /names no time/],
    ["a time that is over", "2020-01-01T09:00", /is over/],
    ["a day that is none", "2026-02-30T09:00", /is no time/],
    ["every 5 seconds", "every 5 seconds", /at least 5 minutes apart/],
    ["a zone in words", "tomorrow at 9 Tokyo time", /do not understand/],
  ])("says what is wrong: %s", async (_name, when, words) => {
    const run = await bench().run("reminder", { text: "x", when });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("costs what its example costs", async () => {
    const own = bench();
    await own.run("reminder", { text: "Think of the invoice.", when: "tomorrow at 9" });
    expect(await own.cost("reminder")).toEqual({ tools: 140, guide: 110, calls: 0, asked: 0, answered: 0 });
  });
});
