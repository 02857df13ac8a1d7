import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

const many = Array.from({ length: 200 }, (_, index) => testSkill(`skill-${index}`, []));

describe("/skill list", () => {
  it("`/skill list` of very many skills stays readable, counts the rest, and keeps what people decided", async () => {
    const { ask } = createTestApp(scriptedModel([]), { skills: many });
    await ask("/skill enable skill-198");
    const { text } = (await ask("/skill list")).end;
    expect(text.split("\n").filter((line) => /\*\*skill-/.test(line))).toHaveLength(50);
    expect(text).toContain("- ◉ **skill-198**");
    expect(text).toContain("… and 150 more: `/skill list WORDS`");
  });

  it("`/skill list` says what could not be loaded and why, without the bot's paths", async () => {
    const base = testSource([]);
    const broken = {
      path: "/home/bot/skills/summarize/SKILL.md",
      severity: "error" as const,
      code: "no_frontmatter",
      message: "It does not begin with frontmatter.",
    };
    const source = {
      ...base,
      load: async () => ({ skills: [testSkill("echo", [])], diagnostics: [broken] }),
    };
    const { ask } = createTestApp(scriptedModel([]), { sources: [source] });
    const { text } = (await ask("/skill list")).end;
    expect(text).toContain("summarize/SKILL.md: It does not begin with frontmatter.");
    expect(text).not.toContain("/home/bot");
    expect((await ask("/skill list echo")).end.text).not.toContain("summarize");
  });
});

it("`/skill list` distinguishes skills somebody switched off from those that lack something", async () => {
  const off = { ...testSkill("off", []), enabled: false };
  const lacking = { ...testSkill("lacking", []), required_capabilities: ["images"] };
  const { app } = createTestApp(scriptedModel([]), { skills: [off, lacking, testSkill("echo", [])] });
  const { skills } = await app.skills.list("console:local:general");
  expect(skills.map(({ id, eligible, switched_off }) => [id, eligible, switched_off])).toEqual([
    ["off", false, true],
    ["lacking", false, undefined],
    ["echo", true, undefined],
  ]);
});
