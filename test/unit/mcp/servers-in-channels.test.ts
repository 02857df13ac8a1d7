import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { writeTrust } from "../../../src/core/decisions/standing-decisions.ts";
import type { ServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";
import { answerTurn } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { type McpBench, openBench, testServer } from "../../support/skills/mcp-bench.ts";
import { ada, createTestApp } from "../../support/test-app.ts";

let bench: McpBench;

/** Passes every question on to the person. */
const requests: ServerRequests = {
  capabilities: { elicitation: { form: {} } },
  async elicit(_server, { message }, context, key) {
    const answer = await context.ask({ text: message, key });
    return { action: "accept", content: { answer } };
  },
  sample: () => Promise.reject(new Error("not in this test")),
};

beforeAll(async () => {
  bench = await openBench({ test: testServer }, { requests });
  await bench.servers.start("test");
});
afterAll(() => bench.close());

/** A channel whose agent activates the server's skill and calls one of its tools. */
function channelOf(mcp: McpBench, call: string, input: Record<string, unknown>) {
  const model = scriptedModel(({ messages }) => {
    const results = toolResults(messages);
    if (results.length === 0) return [{ call: "activate_skill", with: { skill_name: "@@mcp_test" } }];
    if (results.length === 1) return [{ call, with: input }];
    return `It said: ${results.at(-1)}`;
  });
  return createTestApp(model, { sources: [mcp.source], store: mcp.store });
}

/** As an operator says it with `knack mcp trust`. */
async function trust({ tool, store }: McpBench, server: string, name: string) {
  const { definition = "" } = (await tool(server, name)).server ?? {};
  await writeTrust(store, server, { tools: [{ tool: name, definition }], by: "ada", at: 0 });
}

describe("a server in a channel", () => {
  it("a server in a channel is activated by its name and called by its tool's", async () => {
    const { end, events } = await channelOf(bench, "test__echo", { text: "hello" }).ask("go");
    expect(end.text).toContain("hello");
    expect(
      events.find((event) => event.type === "tool_started" && event.tool === "test__echo"),
    ).toMatchObject({
      title: "test: Echo a text",
      skill_id: "mcp_test#echo",
      effect: "read_only",
    });
  });

  it("a server in a channel asks its questions in the thread, and its call continues with each answer", async () => {
    await trust(bench, "test", "ask");
    const app = channelOf(bench, "test__ask", { times: 2 });
    const turnId = await app.say("go");
    let end = "";
    const asked: string[] = [];
    for await (const event of follow(app.app, turnId)) {
      if (event.type === "turn_finished") end = event.text;
      if (event.type !== "question_asked") continue;
      asked.push(event.text);
      await answerTurn(app.app, turnId, event.question_id, `answer ${asked.length}`, ada);
    }
    expect(asked).toEqual(["Question 1", "Question 2"]);
    expect(end).toContain('accept {"answer":"answer 1"}; accept {"answer":"answer 2"}');
  });

  it("a server in a channel has single tools switched off by people", async () => {
    const app = channelOf(bench, "test__echo", { text: "hello" });
    await app.app.run("skill.set", {
      input: { ns: "test:team:general", id: "test#echo", state: "blocked" },
      asker: { by: ada, namespace: "test:team:general" },
    });
    const { end } = await app.ask("go", { namespace: "test:team:general" });
    expect(end.text).toContain("Function 'test__echo' not found.");
  });

  it("a server in a channel does not hold up an answer that does not need it", async () => {
    const mute = { command: "sleep", args: ["600"] };
    const servers = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`mute-${at}`, mute]));
    const starting = await openBench(servers);
    onTestFinished(() => starting.close());
    starting.start();
    const { end } = await createTestApp(scriptedModel(["At once."]), { sources: [starting.source] }).ask(
      "go",
    );
    expect(end.text).toBe("At once.");
    expect(starting.servers.list().filter(({ state }) => state === "starting")).toHaveLength(2);
  });
});
