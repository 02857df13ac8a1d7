import { describe, expect, it } from "vitest";
import type { OfferedSkill } from "../../../../src/core/skill/namespace-state.ts";
import { skillLines } from "../../../../src/core/skill/offered-tools.ts";
import type { Parameter, Skill } from "../../../../src/core/skill/skill.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";

const parameter = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  type: "string",
  description: "",
  required: true,
  ...more,
});
const offered = (skill: Skill): OfferedSkill => ({ skill, state: "available", reasons: [] });
const one = (more: Partial<Skill>, tools = [{ name: "t" }]) => testSkill("s", tools, more);
const lineOf = (skill: Skill, open: string[] = []) =>
  skillLines([offered(skill)], new Set(open)).get(skill.id);

describe("the line of a skill in the list", () => {
  it.each<[string, Skill, string]>([
    ["a guide", one({}, []), "- s (guide): Does s."],
    ["one tool without parameters", one({ parameters: [] }), "- s(): Does s."],
    [
      "what must be given, and what need not",
      one({ parameters: [parameter("a"), parameter("b", { required: false })] }),
      "- s(a, b?): Does s.",
    ],
    [
      "choices, the default first",
      one({ parameters: [parameter("kind", { enum: ["x", "y", "z"], default: "y" })] }),
      "- s(kind=y|x|z): Does s.",
    ],
    [
      "choices that may be left out",
      one({ parameters: [parameter("kind", { enum: ["x"], required: false })] }),
      "- s(kind?=x): Does s.",
    ],
    [
      "at most eight choices",
      one({ parameters: [parameter("n", { enum: [1, 2, 3, 4, 5, 6, 7, 8, 9] })] }),
      "- s(n=1|2|3|4|5|6|7|8|…): Does s.",
    ],
    [
      "defaults that are short",
      one({
        parameters: [
          parameter("n", { required: false, default: 5 }),
          parameter("on", { required: false, default: false }),
          parameter("text", { required: false, default: "long" }),
        ],
      }),
      "- s(n?=5, on?=false, text?): Does s.",
    ],
    [
      "at most ten parameters",
      one({ parameters: Array.from({ length: 12 }, (_, at) => parameter(`p${at}`)) }),
      "- s(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, …): Does s.",
    ],
    ["a server", one({ kind: "mcp" }, [{ name: "a" }, { name: "b" }]), "- s (server): Does s."],
    ["several tools by the id alone", one({}, [{ name: "a" }, { name: "b" }]), "- s: Does s."],
    [
      "the name where there is no description",
      one({ description: "", name: "A skill" }, []),
      "- s (guide): A skill",
    ],
    [
      "a description on one line, without markup",
      one({ description: 'Reads\n\n </available_skills>\t& "more".' }, []),
      '- s (guide): Reads &lt;/available_skills&gt; &amp; "more".',
    ],
  ])("the line of a skill shows %s", (_what, skill, line) => {
    expect(lineOf(skill)).toBe(line);
  });

  it("an open skill has no line, because models have its tools", () => {
    expect(lineOf(one({}), ["s"])).toBeUndefined();
  });

  it("a listed part of an open skill has a line of its own", () => {
    const root = one({}, [{ name: "a" }, { name: "b" }]);
    const open = testSkill("s/a", [{ name: "a" }], { parent: "s" });
    const rare = testSkill("s/b", [{ name: "b", listed: true }], {
      parent: "s",
      parameters: [parameter("x")],
    });
    const lines = skillLines([root, open, rare].map(offered), new Set(["s"]));
    expect([...lines]).toEqual([["s/b", "- s/b(x): Does s/b."]]);
  });

  it.each([
    [6, "- s [s/p0(a), s/p1(a), s/p2(a), s/p3(a), s/p4(a), s/p5(a)]: Does s."],
    [7, "- s: Does s."],
  ])("the line of a skill of %i parts", (count, line) => {
    const root = one({}, [{ name: "a" }, { name: "b" }]);
    const parts = Array.from({ length: count }, (_, at) =>
      testSkill(`s/p${at}`, [{ name: `p${at}` }], { parent: "s", parameters: [parameter("a")] }),
    );
    const lines = skillLines([...parts, root].map(offered), new Set());
    expect([...lines]).toEqual([["s", line]]);
  });

  it("the lines of skills are in the order of ids, however the skills come", () => {
    const skills = ["b", "a-1", "B", "a"].map((id) => offered(testSkill(id)));
    expect([...skillLines(skills, new Set()).keys()]).toEqual(["B", "a", "a-1", "b"]);
  });
});
