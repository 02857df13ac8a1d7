import { expect, it } from "vitest";
import type { Json } from "../../../../src/core/values/json.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

/** What the model gets of this output from a tool that may answer 12 bytes. */
async function resultOf(output: Json): Promise<unknown> {
  const tool = { name: "notes", max_output_bytes: 12, run: () => output };
  const skill = testSkill("notes", [tool], { active: true });
  const model = scriptedModel([[{ call: "notes" }], "Done."]);
  await createTestApp(model, { skills: [skill] }).ask("go");
  return toolResults(model.requests.at(-1)?.messages ?? [])[0];
}

it.each([
  ["twelve ASCII letters", "abcdefghijkl"],
  ["six letters of two bytes", "äöüäöü"],
  ["four characters of three bytes", "日本語字"],
  ["three characters of four bytes", "😀😀😀"],
])("a tool's output within its limit in bytes passes: %s", async (_name, text) => {
  expect(await resultOf(text)).toBe(text);
});

it.each([
  ["thirteen ASCII letters", "abcdefghijklm", 13],
  ["seven letters of two bytes", "äöüäöüä", 14],
  ["five characters of three bytes", "日本語字日", 15],
  ["JSON with four characters of three bytes", ["日本語字"], 16],
])(
  "a tool's output above its limit in bytes is refused with its size in bytes: %s",
  async (_name, output, bytes) => {
    const result = await resultOf(output);
    expect(result).toContain("output_too_large");
    expect(result).toContain(`notes answered ${bytes} bytes; at most 12 are kept.`);
  },
);
