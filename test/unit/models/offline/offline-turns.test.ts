import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { promptOf, type SkillExample } from "../../../../src/core/skill/skill.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { ada } from "../../../support/test-app.ts";
import { startOffline } from "./ask-offline.ts";

const loaded = await Promise.all(shippedSkills.map((source) => source.load()));

/** The examples of shipped skills that have their call. */
const declared = loaded
  .flatMap(({ skills }) => skills)
  .flatMap(({ id, parent, examples }) =>
    parent === undefined ? examples.map((each) => ({ id, ...each })) : [],
  )
  .filter(({ call }) => call !== "");

/** Other words than those with which examples are shown. */
const otherWords: Record<string, string> = {
  text: "Ben's “plan” is {good}; we weather the memory",
  query: "Ben's good plan",
};

let bot: ReturnType<typeof startOffline>;
beforeAll(() => {
  bot = startOffline();
});

it.each(declared)(
  "an example of a shipped skill works without a model, with any words: $prompt",
  async (example) => {
    const own = Object.keys(example.values ?? {}).map((name): [string, string] => [
      name,
      otherWords[name] ?? "x",
    ]);
    expect(own).not.toEqual([]);
    for (const values of [example.values, Object.fromEntries(own)]) {
      const said = promptOf({ ...(example as SkillExample), values });
      const { text, calls, outcome } = await bot.ask(said);
      const skill_id = example.part === undefined ? example.id : `${example.id}#${example.part}`;
      expect(calls).toMatchObject([{ skill_id, params: values }]);
      expect(outcome).toBe("completed");
      expect(text).not.toMatch(/did not work|I only understand/);
    }
  },
);

it("README's question is answered without a model, unless its skill is disabled here", async () => {
  const { ask } = startOffline();
  const [, said = ""] = /^> (.+)$/m.exec(await readFile("README.md", "utf8")) ?? [];
  expect((await ask(said)).text).toMatch(/^Mixed \(0 from -1 to 1\); in favour: love; against: terrible\./);
  await ask("/skill disable text-analyzer");
  expect(await ask(said)).toMatchObject({ calls: [], text: expect.stringContaining("I only understand") });
});

it.each([
  ["task-planning", /^\*\*task-planning\*\* needs more to run/],
  ["Task planning: a party", /^\*\*task-planning\*\* did not work: .*language model/],
  ["memory", /^\*\*memory\*\* did not work: memory has several parts: memory#remember/],
  ["incident-report", /^\*\*incident-report\*\* did not work: incident-report is a guide/],
  ["text-analyzer: deploy, deploy and deploy", /^Main topics: deploy \(3×\)/],
])("a skill is called by its name without a model: %s", async (said, answer) => {
  expect((await bot.ask(said)).text).toMatch(answer);
});

it.each([
  "hi",
  "help",
  "2+2",
  "plan my week",
  "what is the weather in Oslo?",
  "remind me tomorrow at 9 to call",
])("other messages are answered without a model by what works, each of which does: %s", async (said) => {
  const { text, calls } = await bot.ask(said);
  expect(calls).toEqual([]);
  const works = [...text.matchAll(/^- (.+)$/gm)].map(([, works = ""]) => works);
  expect(works).toHaveLength(3);
  for (const each of said === "hi" ? works : []) {
    expect((await bot.ask(each)).text).not.toMatch(/did not work|I only understand/);
  }
});

it("what is suggested without a model works without one, on the start page and with a skill", async () => {
  const namespace = "console:local:dm";
  const asker = { by: ada, namespace };
  const about = await bot.app.app.run("bot.about", { input: {}, asker });
  expect(about).toMatchObject({
    value: {
      suggestions: [
        "Remember that the deploy is on Friday",
        "What is the sentiment of: I love this, but the ending was terrible",
        "/skill list",
      ],
    },
  });
  expect((await bot.ask("/skill info task-planning")).text).not.toContain("Example:");
  expect((await bot.ask("/skill info memory")).text).toContain(
    "Example: Remember that the deploy is on Friday",
  );
});
