import { once } from "node:events";
import { cpSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { approve } from "../../support/bot/ask-app.ts";
import { follow } from "../../support/follow.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { needs } from "../../support/needs.ts";
import { ada, createTestApp, type TestAppOptions } from "../../support/test-app.ts";
import {
  fixtures,
  handlerOf,
  importedFixture,
  temporaryFolder,
  useSandbox,
  writeSkill,
} from "./imported-fixture.ts";

useSandbox();

/** An app that reads imported skills from a folder; its model activates one, calls it once, and says what came of it. */
function importedApp(root: string, id: string, args: object, more: Partial<TestAppOptions> = {}) {
  const { source, close } = importedFixture({ root });
  const model = scriptedModel(({ messages }) => {
    const results = toolResults(messages);
    if (results.length === 0) return [{ call: "activate_skill", with: { skill_name: id } }];
    if (results.length === 1) return [{ call: id, with: args }];
    return results.at(-1) ?? "";
  });
  return { ...createTestApp(model, { sources: [source], ...more }), close };
}

/** Approves every request of a turn, and answers what was asked and how it ended. */
async function approveAll({ app, say }: Pick<ReturnType<typeof importedApp>, "app" | "say">) {
  const turnId = await say("go");
  const asked: { tool: string; question?: string | undefined; input: unknown }[] = [];
  const notes: string[] = [];
  let end = "";
  for await (const event of follow(app, turnId, { ms: 20_000 })) {
    if (event.type === "turn_finished") end = event.text;
    if (event.type === "tool_progress") notes.push(event.note);
    if (event.type !== "approval_requested") continue;
    asked.push({ tool: event.tool, question: event.question, input: event.input });
    await approve(app, event.approval_id, true, ada);
  }
  return { asked, notes, end };
}

describe("a handler that asks for approval", needs("bubblewrap"), () => {
  const note = { to: "Ben", text: "Hello!", tone: "friendly" };

  it("a handler that asks for approval continues where it was when a person approves", async () => {
    const { asked, end } = await approveAll(importedApp(fixtures, "send-note", { to: "Ben" }));
    expect(asked).toEqual([{ tool: "send-note", question: "Send this note to Ben?", input: note }]);
    expect(end).toBe("Sent to Ben, draft 1: Hello!");
  });

  it("a handler that asks for approval is run again with the decision when the bot was restarted in between", async () => {
    const [log, store] = [createMemoryTurnLog(), createMemoryKeyValue()];
    const before = importedApp(fixtures, "send-note", { to: "Ben" }, { log, store });
    const turnId = await before.say("go");
    const { approval_id } = await before.until(turnId, "approval_requested");
    await before.until(turnId, "turn_waiting");
    await before.stop(0);
    before.close();
    const after = importedApp(fixtures, "send-note", { to: "Ben" }, { log, store });
    await approve(after.app, approval_id, true, ada);
    expect((await after.events(turnId)).at(-1)).toMatchObject({ text: "Sent to Ben, draft 1: Hello!" });
  });

  it("a handler that asks for something else after a restart needs another approval", async () => {
    const root = temporaryFolder();
    const asking = (amount: number) =>
      handlerOf(
        `return (await this.requestToolApproval({ payload: ${amount}, description: "Pay?" })).approved;`,
      );
    writeSkill(root, "pay", { handler: asking(5) });
    const [log, store] = [createMemoryTurnLog(), createMemoryKeyValue()];
    const before = importedApp(root, "pay", {}, { log, store });
    const turnId = await before.say("go");
    const first = await before.until(turnId, "approval_requested");
    await before.until(turnId, "turn_waiting");
    await before.stop(0);
    before.close();
    writeSkill(root, "pay", { handler: asking(500) });
    const after = importedApp(root, "pay", {}, { log, store });
    await approve(after.app, first.approval_id, true, ada);
    for await (const event of follow(after.app, turnId, { ms: 20_000 })) {
      if (event.type === "approval_requested" && event.input === 500) {
        await approve(after.app, event.approval_id, false, ada);
      }
    }
    expect((await after.events(turnId)).at(-1)).toMatchObject({ text: "false" });
  });
});

describe("a handler that needs the network", needs("bubblewrap"), () => {
  it("a handler is run once an operator allows what its code names, and says what it does", async () => {
    const root = temporaryFolder();
    const text =
      "this.introspect('looking'); return (await fetch('http://127.0.0.1:4141/x').catch((e) => e.name)) && 'ran';";
    writeSkill(root, "reach", { handler: handlerOf(text) });
    const { asked, notes, end } = await approveAll(importedApp(root, "reach", {}));
    expect(asked.map(({ tool, input }) => [tool, input])).toEqual([
      ["reach_hosts", { hosts: ["127.0.0.1:4141"] }],
    ]);
    expect({ notes, end }).toEqual({ notes: ["looking"], end: "ran" });
  });

  it("a host that turns up while a handler runs is asked about, and the handler runs again with it", async () => {
    const server = createServer((_request, response) => void response.end("late, but here"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const root = temporaryFolder();
    const text = `const name = ['late', 'test:${port}'].join('.'); return (await fetch('http://' + name)).text();`;
    writeSkill(root, "reach", { handler: handlerOf(text) });
    const { asked, end } = await approveAll(importedApp(root, "reach", {}));
    expect(asked.map(({ input }) => input)).toEqual([{ hosts: [`late.test:${port}`] }]);
    expect(end).toBe("late, but here");
  });
});

it("a skill without its setup argument is not offered, and says so", async () => {
  const root = temporaryFolder();
  cpSync(path.join(fixtures, "send-note"), path.join(root, "send-note"), { recursive: true });
  writeSkill(root, "keyed", { plugin: { setup_args: { API_KEY: { type: "string", required: true } } } });
  const { app } = importedApp(root, "keyed", {});
  const list = await app.skills.list("console:local:general");
  expect(list.skills.find(({ id }) => id === "keyed")?.reasons).toEqual([
    expect.stringContaining("API_KEY has no value"),
  ]);
});
