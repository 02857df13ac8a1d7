import { expect, it } from "vitest";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

/** Plans with a model that gives these answers one after another. */
async function plan(input: Record<string, Json>, ...answers: Json[]) {
  const { run } = createSkillBench({ answers: answers.map((answer) => JSON.stringify(answer)) });
  const { status, output, requests } = await run("task-planning", input);
  return {
    status,
    output,
    asked: requests.map(({ messages }) => messages.map(({ text }) => text).join("\n")),
  };
}

it("the task-planning skill is a valid Agent Skills package", async () => {
  expect(await validatePackage("skills/task-planning")).toEqual({ valid: true, errors: [] });
});

it("the task-planning skill has a model draft the steps from all that is given", async () => {
  const input = { task_description: "Launch the site", context: "two people", constraints: ["before May"] };
  const steps = [
    { title: "Write texts" },
    { title: "Go live", depends_on: [1], done_when: "The page\nanswers" },
  ];
  const { output, asked } = await plan(input, { steps });
  expect(output).toEqual({
    summary: "A plan of 2 steps.",
    text: "**Launch the site**\n\n- [ ] 1. Write texts\n- [ ] 2. Go live _(after 1)_\n  Done when: The page answers",
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/Launch the site.*two people.*before May/);
});

it("the task-planning skill sends a draft back that cannot be worked through, or is too long", async () => {
  const circle = {
    steps: [
      { title: "A", depends_on: [2] },
      { title: "B", depends_on: [1] },
    ],
  };
  const long = { steps: [{ title: "A" }, { title: "B" }, { title: "C" }] };
  const { output, asked } = await plan({ task_description: "x", max_steps: 2 }, circle, long, {
    steps: [{ title: "A" }],
  });
  expect(output).toMatchObject({ text: "**x**\n\n- [ ] 1. A" });
  expect(asked[1]).toContain("can only name steps that come before");
});

it("the task-planning skill lays the caller's own steps out, and asks no model", async () => {
  const { output, asked } = await plan({ task_description: "Move", steps: [{ title: "Pack" }] });
  expect(output).toMatchObject({ text: "**Move**\n\n- [ ] 1. Pack" });
  expect(asked).toEqual([]);
  const wrong = await plan({ task_description: "Move", steps: [{ title: "Pack", depends_on: [1] }] });
  expect(wrong).toMatchObject({ status: "error", asked: [] });
  expect(JSON.stringify(wrong.output)).toContain("can only name steps that come before");
});
