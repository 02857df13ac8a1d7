import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";
import { answerTurn, approve } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { type McpBench, openBench, referenceServer } from "../../support/skills/mcp-bench.ts";
import { ada, ben, createTestApp } from "../../support/test-app.ts";

let bench: McpBench;
beforeAll(async () => {
  bench = await openBench(
    { everything: referenceServer("everything") },
    { requests: createServerRequests() },
  );
  await bench.servers.start("everything");
});
afterAll(() => bench.close());

/** A channel whose agent calls one tool of MCP's reference server; as it comes from npm. */
function channelCalling(tool: string, input: Record<string, unknown>) {
  const model = scriptedModel(({ messages, system }) => {
    if (system.startsWith("You write one text for the program")) return "A text of the model.";
    const results = toolResults(messages);
    if (results.length === 0) return [{ call: "activate_skill", with: { skill_name: "@@mcp_everything" } }];
    if (results.length === 1) return [{ call: tool, with: input }];
    return `It said: ${results.at(-1)}`;
  });
  return createTestApp(model, { sources: [bench.source] });
}

type Channel = ReturnType<typeof channelCalling>;

/** Answers what people are asked, in order: questions with texts, approvals with yes or no. */
async function runTurn({ app, say }: Channel, answers: readonly (string | boolean)[]) {
  const turnId = await say("go", { by: ben });
  const asked: string[] = [];
  let end = "";
  for await (const event of follow(app, turnId)) {
    const answer = answers[asked.length];
    if (event.type === "turn_finished") end = event.text;
    if (event.type === "question_asked") {
      asked.push(event.text);
      await answerTurn(app, turnId, event.question_id, String(answer), ben);
    }
    if (event.type === "approval_requested") {
      asked.push(JSON.stringify(event.input));
      await approve(app, event.approval_id, answer === true, ada);
    }
  }
  return { asked, end };
}

describe("a reference server in a channel", () => {
  it("a reference server's long form is asked field by field, with skipped fields from their defaults", async () => {
    const channel = channelCalling("everything__trigger-elicitation-request", {});
    const skipped = (count: number) => Array.from({ length: count }, () => "skip");
    const { asked, end } = await runTurn(channel, [
      ...[true, "Ada", ...skipped(2), "nobody", "ada@example.com", ...skipped(5)],
      ...["Piano, Drums", "Green Lantern", ...skipped(2)],
    ]);
    expect(asked).toHaveLength(15);
    expect(asked[1]).toMatch(/^The tool server \*everything\* asks:\n> Please provide inputs/);
    expect(asked[5]).toContain("“nobody” does not fit. Invalid email address.");
    for (const value of [
      "Ada",
      "ada@example.com",
      "hero-2",
      "Piano",
      "It was a dark and stormy night.",
      "pet-1",
    ]) {
      expect(end).toContain(value);
    }
  });

  it("a reference server has a text written by the model once a manager saw its purpose", async () => {
    const channel = channelCalling("everything__trigger-sampling-request", {
      prompt: "Say it.",
      maxTokens: 50,
    });
    const { asked, end } = await runTurn(channel, [true, true]);
    expect(asked[1]).toContain("Say it.");
    expect(end).toContain("A text of the model.");
  });

  it("a reference server has no text written when it is refused", async () => {
    const channel = channelCalling("everything__trigger-sampling-request", {
      prompt: "Say it.",
      maxTokens: 50,
    });
    const { end } = await runTurn(channel, [true, false]);
    expect(end).not.toContain("A text of the model.");
  });
});
