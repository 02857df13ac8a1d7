import { describe, expect, it } from "vitest";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { exited, fakeCode } from "../../../support/fakes/fake-code.ts";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { type TestTool, testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

/** Runs code that makes these calls at once, and returns what it got for each, in words. */
async function callsOf(calls: readonly [tool: string, input: object][], tools: TestTool[]) {
  const code = fakeCode(async ({ onCall }) => {
    const answers = calls.map(([tool, input]) =>
      onCall?.(tool, input as never).catch((error: Error) => error.message),
    );
    return exited(JSON.stringify(await Promise.all(answers)));
  });
  const model = scriptedModel([[{ call: "run_code", with: { language: "python", code: "x" } }], "Done."]);
  const skills = [testSkill("open", tools, { active: true })];
  const log = createMemoryTurnLog();
  const { ask } = createTestApp(model, { code, skills, log });
  const { events } = await ask("go");
  const [result = ""] = toolResults(model.requests.at(-1)?.messages ?? []);
  return {
    events,
    said: result.startsWith("[") ? (JSON.parse(result.split("\n")[0] ?? "") as unknown) : result,
  };
}

describe("calls that code makes", () => {
  it("code gets the output of tools that read, and people see the calls below the run", async () => {
    const { said, events } = await callsOf(
      [
        ["lookup", { text: "a" }],
        ["lookup", { text: "b" }],
      ],
      [{ name: "lookup", run: (input) => ({ found: input }) }],
    );
    expect(said).toEqual([{ found: { text: "a" } }, { found: { text: "b" } }]);
    const started = events.flatMap((event) => (event.type === "tool_started" ? [event] : []));
    const [run] = started;
    expect(started.map(({ tool, parent_call_id }) => [tool, parent_call_id])).toEqual([
      ["run_code", undefined],
      ["lookup", run?.call_id],
      ["lookup", run?.call_id],
    ]);
  });

  it("code calls nothing that changes something, asks a person, is not there, or runs code [sandbox-10]", async () => {
    const { said, events } = await callsOf(
      [
        ["send", {}],
        ["delicate", {}],
        ["question", {}],
        ["missing", {}],
        ["run_code", { language: "bash", code: "x" }],
      ],
      [
        { name: "send", effect: "side_effect", run: () => "sent" },
        { name: "delicate", approval: () => "operator", run: () => "ran" },
        { name: "question", run: (_, { ask }) => ask({ text: "May I?" }) },
      ],
    );
    const needsPerson = "A person has to be asked for this: call it yourself, as a tool.";
    expect(said).toEqual([
      "send does more than read: call it yourself, as a tool.",
      needsPerson,
      `question failed: ${needsPerson}`,
      "There is no tool missing.",
      "run_code does more than read: call it yourself, as a tool.",
    ]);
    expect(events.filter(({ type }) => type === "approval_requested" || type === "question_asked")).toEqual(
      [],
    );
  });

  it("code makes at most a hundred calls in a run [sandbox-10]", async () => {
    const many = Array.from({ length: 101 }, (_, at): [string, object] => ["lookup", { text: String(at) }]);
    const { said } = await callsOf(many, [{ name: "lookup", run: () => 1 }]);
    expect((said as unknown[]).slice(98)).toEqual([1, 1, "One run of code makes at most 100 calls."]);
  });
});
