import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/schedule/skill.ts";
import type { Json } from "../../../src/core/json.ts";
import type { PlannedView } from "../../../src/core/schedule.ts";
import type { Plan, Wish } from "../../../src/core/schedules.ts";
import type { ToolContext } from "../../../src/core/tool.ts";
import { validatePackage } from "../../../src/skills/validate-package.ts";

const view: PlannedView = {
  ...{ id: "a7", what: "task", text: "post what is open", when: "every weekday at 09:00 (Europe/Berlin)" },
  ...{ next: ["Thu 09:00", "Fri 09:00", "Mon 09:00"], next_at: [1, 2, 3], tools: [], by: "Ann" },
};

/** The skill in a channel where plans ask, or do not, and people agree, or do not. */
function createChannel({ asks = true, agrees = true, here = true } = {}) {
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
      return { approved: agrees, by: "ann" };
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
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/schedule")).toEqual({ valid: true, errors: [] });
  });

  it("asks where the plan does, and repeats the next three times", async () => {
    const { use, asked, added } = createChannel();
    expect((await use("add", daily)).summary).toMatch(/every weekday.*Next: Thu 09:00, Fri 09:00, Mon 09:00/);
    expect([asked, added]).toMatchObject([["Do it?"], [{ value: { text: "post what is open" } }]]);
  });

  it("asks nobody where the plan does not", async () => {
    const { use, asked, added } = createChannel({ asks: false });
    await use("add", { what: "reminder", text: "the invoice", at: "2026-11-26T09:00" });
    expect([asked, added.length]).toEqual([[], 1]);
  });

  it("plans nothing when people refuse, and says what is wrong with a wish", async () => {
    const refusing = createChannel({ agrees: false });
    await expect(refusing.use("add", daily)).rejects.toThrow(/did not agree/);
    expect(refusing.added).toEqual([]);
    await expect(createChannel().use("add", { ...daily, text: "bad" })).rejects.toThrow("That is over.");
    await expect(createChannel({ here: false }).use("list", {})).rejects.toThrow(/Nothing can be planned/);
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
  ])("sets the trigger %j", async (input, condition) => {
    const { use, wishes } = createChannel();
    await use("add_trigger", { ...input, text: "say it" });
    expect(wishes).toEqual([{ what: "trigger", text: "say it", condition }]);
  });

  it.each([
    [{ on: "message" }, /needs `words`/],
    [{ on: "reaction", emoji: " " }, /needs `emoji`/],
    [{ on: "quiet" }, /needs `hours`/],
  ])("says what %j lacks", async (input, message) => {
    await expect(createChannel().use("add_trigger", { ...input, text: "x" })).rejects.toThrow(message);
  });

  it("lists and changes", async () => {
    const { use } = createChannel();
    expect(await use("list", {})).toMatchObject({ summary: "1 planned here.", planned: [{ id: "a7" }] });
    expect((await use("change", { id: "a7", to: "remove" })).summary).toBe("Removed: post what is open.");
    await expect(use("change", { id: "zz", to: "pause" })).rejects.toThrow(/Nothing here/);
  });
});
