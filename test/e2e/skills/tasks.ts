import { callThenSay, type SkillTask } from "./task.ts";

/** What people ask the shipped skills, one task each, on every surface. */
export const skillTasks: readonly SkillTask[] = [
  {
    skill: "write_file",
    say: "write a shopping list into a file",
    does: callThenSay(
      "write_file",
      { name: "shopping.md", content: "- bread\n- milk\n" },
      () => "It is in shopping.md.",
    ),
    says: [/shopping\.md/],
    posts: [/shopping\.md/],
  },
  {
    skill: "text-analyzer",
    say: "what is the tone of “I love this, but the ending was terrible”?",
    does: callThenSay(
      "text-analyzer",
      { text: "I love this, but the ending was terrible", analysis_type: "sentiment" },
      (result) => `It is ${/label:? "?(\w+)/.exec(result)?.[1] ?? "unknown"}.`,
    ),
    says: [/It is mixed/],
  },
];
