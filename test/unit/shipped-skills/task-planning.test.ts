import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/task-planning/skill.ts";
import type { Generate, ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";

interface Plan {
  summary: string;
  text: string;
  made_by: string;
}

/** The steps of a plan as its checklist shows them: number, title and what they come after. */
const stepsOf = (text: string) =>
  [...text.matchAll(/^- \[ \] (\d+)\. (.+?)(?: _\((?:high effort)?(?:; )?(?:after (.+))?\)_)?$/gm)].map(
    ([, id, title, after]) => [Number(id), title, after?.split(", ").map(Number) ?? []],
  );

/** Plans with a model that gives these answers one after another, or without one. */
async function plan(input: Record<string, Json>, answers?: Json[]) {
  if (skill.kind !== "single") throw new Error("one tool is expected");
  const { definition } = skill;
  const asked: string[] = [];
  const steps: string[] = [];
  const generate = (async ({
    input: text,
    schema,
  }: {
    input: string;
    schema: { parse(value: unknown): unknown };
  }) => {
    asked.push(text);
    return schema.parse(answers?.shift());
  }) as unknown as Generate;
  const context = {
    generative: answers !== undefined,
    generate,
    step: async <T extends Json>(name: string, work: () => Promise<T> | T) => {
      steps.push(name);
      return await work();
    },
  } as unknown as ToolContext;
  const output = await definition.run(definition.parameters.parse(input), context);
  return { ...(definition.output.parse(output) as Plan), asked, ran: steps };
}

const step = (id: number, title: string, depends_on: number[] = []) => ({
  id,
  title,
  description: `How to: ${title}`,
  depends_on,
  complexity: "high",
  success_criteria: "It is done",
});

describe("the task-planning skill", () => {
  it("the task-planning skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/task-planning")).toEqual({ valid: true, errors: [] });
  });

  it("the task-planning skill renders the model's plan as a checklist with order, criteria, risks and questions", async () => {
    const answer = {
      title: "Launch",
      steps: [step(1, "Write texts"), step(2, "Go live", [1])],
      risks: ["The domain is not ours yet: buy it first"],
      questions: ["Which market first?"],
    };
    const made = await plan(
      { task_description: "Launch the site", context: "two people", constraints: ["before May"] },
      [answer],
    );
    expect(made.made_by).toBe("model");
    expect(made.text).toContain(
      "- [ ] 2. Go live _(high effort; after 1)_\n  How to: Go live\n  Done when: It is done",
    );
    expect(made.text).toContain("**Risks**\n- The domain");
    expect(made.text).toContain("**Open questions**\n- Which market first?");
    expect(made.asked).toHaveLength(1);
    expect(made.asked[0]).toMatch(/two people[\s\S]*before May[\s\S]*At most 10 steps/);
    expect(made.summary).toContain("begin with step 1");
  });

  it("the task-planning skill sends a plan with impossible dependencies back once, with what is wrong", async () => {
    const bad = { title: "T", steps: [step(1, "A", [2]), step(2, "B", [1]), step(3, "C", [9])] };
    const good = { title: "T", steps: [step(1, "A"), step(2, "B", [1]), step(3, "C", [2])] };
    const made = await plan({ task_description: "x" }, [bad, good]);
    expect(made.ran).toEqual(["draft the plan", "correct the plan"]);
    expect(made.asked[1]).toMatch(/depends on 9, which is no step[\s\S]*in a circle/);
    expect(stepsOf(made.text).map(([, , after]) => after)).toEqual([[], [1], [2]]);
    expect(made.text).not.toContain("\n_");
  });

  it("the task-planning skill repairs the rest: circles, unknown and double ids, too many steps, working order", async () => {
    const bad = {
      title: "T",
      steps: [
        step(5, "Last", [2, 9]),
        step(2, "First"),
        step(2, "Double"),
        step(3, "Loop", [4]),
        step(4, "Back", [3]),
      ],
    };
    const made = await plan({ task_description: "x", max_steps: 4 }, [bad, bad]);
    expect(stepsOf(made.text)).toEqual([
      [1, "First", []],
      [2, "Last", [1]],
      [3, "Loop", []],
      [4, "Back", [3]],
    ]);
    expect(made.text.match(/^_.*_$/gm)).toHaveLength(2);
  });

  it("the task-planning skill checks and orders the caller's own steps, and asks no model", async () => {
    const steps = [
      { title: "Go live", depends_on: [2], done_when: "The page answers" },
      { title: "Write texts" },
    ];
    const made = await plan({ task_description: "Launch the site", steps }, []);
    expect(made).toMatchObject({ made_by: "caller", asked: [], ran: [] });
    expect(made.text).toBe(
      "**Launch the site**\n\n- [ ] 1. Write texts\n- [ ] 2. Go live _(after 1)_\n  Done when: The page answers\n\n_Sorted into working order and renumbered._",
    );
    const circle = [
      { title: "A", depends_on: [2] },
      { title: "B", depends_on: [1, 7] },
    ];
    await expect(plan({ task_description: "x", steps: circle })).rejects.toMatchObject({
      code: "impossible_plan",
      message: expect.stringMatching(/depends on 7, which is no step.*Steps 1.* in a circle/),
    });
  });

  describe("without a model", () => {
    it.each([
      ["1. Book a room\n2. Invite people\n3) order food", ["Book a room", "Invite people", "Order food"]],
      ["Party:\n- book a room\n* [ ] invite people", ["Book a room", "Invite people"]],
      [
        "First book a room, then invite people and then order food.",
        ["Book a room", "Invite people", "Order food"],
      ],
      [
        "We need to book a room. After that, invite people. Finally order food.",
        ["Book a room", "Invite people", "Order food"],
      ],
      ["book a room, invite people and order food", ["Book a room", "Invite people", "Order food"]],
      ["Zuerst den Raum buchen, dann Leute einladen", ["Den Raum buchen", "Leute einladen"]],
    ])("the task-planning skill finds the steps by rules: %s", async (task_description, titles) => {
      const made = await plan({ task_description });
      expect(stepsOf(made.text).map(([, title]) => title)).toEqual(titles);
      expect(made.made_by).toBe("rules");
      expect(made.text).toMatch(/_Made by rules from your own words/);
    });

    it.each([
      ["launch the site", 5, "a release", /^Agree what is in/, "Publish it"],
      ["my holiday in Italy", 4, "a trip", /^Settle dates/, "Book travel and places to stay"],
      ["write the handbook", 3, "any task", /^Write down the goal/, "Work through the other parts"],
      ["a release in five steps", 5, "a release", /^Agree what is in/, "Publish it"],
    ])(
      "the task-planning skill gives the usual steps where only a goal is given: %s",
      async (goal, max_steps, kind, first, one) => {
        const made = await plan({ task_description: goal, max_steps });
        const titles = stepsOf(made.text).map(([, title]) => title);
        expect(titles).toHaveLength(max_steps);
        expect(titles[0]).toMatch(first);
        expect(titles).toContain(one);
        expect(made.text).toContain(`usual steps for ${kind}`);
        expect(made.text).toMatch(/^\*\*(?!.*five steps)/);
      },
    );

    it("the task-planning skill keeps to max_steps and says what was left out", async () => {
      const made = await plan({ task_description: "a; b; c; d", max_steps: 2 });
      expect(stepsOf(made.text)).toHaveLength(2);
      expect(made.text).toContain("2 more were left out");
    });
  });
});
