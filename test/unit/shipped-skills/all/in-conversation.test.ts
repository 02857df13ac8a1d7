import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { bytes, callable, fileOf } from "../../../support/bot/called-bot.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { createSkillBench } from "../../../support/skills/skill-bench.ts";

const diff = `diff --git a/pay.ts b/pay.ts
--- a/pay.ts
+++ b/pay.ts
@@ -1,2 +1,2 @@
 const total = sum(lines);
-charge(total);
+charge(total * 100);
`;
const german = "Das war großartig, ich bin sehr zufrieden damit.";

describe("a text that stands whole in the conversation", () => {
  it.each<[string, string, Record<string, Json>]>([
    ["code-review", diff, { what: diff }],
    ["translate", german, { text: german, to: "English" }],
  ])("a text that stands whole in the conversation is left to the model by %s", async (id, text, input) => {
    const { run } = createSkillBench({ answers: [] });
    const { status, output, requests } = await run(id, input, `Please look at this:\n${text}\nThanks.`);
    expect(status).toBe("error");
    expect(output).toMatchObject({ code: "in_conversation", error: expect.stringContaining("You have all") });
    expect(requests).toEqual([]);
  });

  it("a text that stands in the conversation is worked on when a person runs the skill", async () => {
    const { app } = createSkillBench({ answers: ["=====\nThat was great.\n====="] });
    await app.ask(german);
    const { end } = await app.ask(`/skill run translate ${JSON.stringify({ text: german, to: "English" })}`);
    expect(end.text).toContain("That was great.");
  });

  const summarised = async (text: string) => {
    const inner: ModelRequest[] = [];
    const summary = { summary: "It is short.", points: [] };
    const call = { call: "document-summarizer", with: { what: ["/workspace/input/notes.txt"] } };
    const model = scriptedModel((request) => {
      if (request.tools.length === 0) {
        inner.push(request);
        return JSON.stringify(summary);
      }
      return request.messages.some(({ role }) => role === "tool") ? "Done." : [call];
    });
    const { platform, call: ask } = callable({ sources: shippedSkills }, model);
    platform.files.set("f1", bytes(text));
    const said = await ask("Sum it up.", { files: [fileOf("f1", "notes.txt", { bytes: text.length })] });
    const result = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.text ?? "";
    return { said, result, inner };
  };

  it("a short file is whole in the message, and its summary is left to the model", async () => {
    const { said, result, inner } = await summarised('The "release" is on Friday.\nBen tests it.\n');
    expect(said).toContain('note="whole"');
    expect(result).toContain("You have all of it");
    expect(inner).toEqual([]);
  });

  it("a long file is cut in the message, and the skill reads it", async () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `Line ${at} of the notes says nothing new.`);
    const { said, inner } = await summarised(lines.join("\n"));
    expect(said).toContain("only its beginning and end are here");
    expect(inner.length).toBeGreaterThan(0);
  });
});
