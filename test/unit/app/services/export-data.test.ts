import { describe, expect, it } from "vitest";
import type { ExportRecord } from "../../../../src/app/services/export-data.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { changeSettings } from "../../../support/bot/ask-app.ts";
import { createMemoryKnowledge } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, ben, createTestApp, home, type TestApp } from "../../../support/test-app.ts";

const other = "console:local:other";

async function exported({ app }: Pick<TestApp, "app">, namespace?: string): Promise<ExportRecord[]> {
  const outcome = await app.exportData(namespace);
  if (!outcome.ok) throw new Error(outcome.message);
  return Array.fromAsync(outcome.value);
}

describe("an export", () => {
  it("an export has settings, skills' data, threads, turns with events and the audit, without secrets", async () => {
    const secret = "sk-very-secret";
    const bot = createTestApp(scriptedModel(["An answer."]), { secrets: [secret] });
    const { turnId } = await bot.ask("hello");
    await bot.ask("there", { namespace: other, by: ben });
    await changeSettings(bot.app, home.namespace, { progress: "quiet" }, ada);
    await bot.store.set(`skill:${home.namespace}:memory:facts`, { next: 1, facts: [], note: secret });
    await bot.store.set("mcp-login:tokens:a:b", { sealed: "x" });
    const records = await exported(bot);
    expect(records.map(({ type }) => type)).toEqual([
      "export_started",
      ...["namespace", "skill_data", "thread", "turn"],
      ...["namespace", "thread", "turn"],
      ...["audit", "export_finished"],
    ]);
    expect(records[1]).toMatchObject({
      namespace: home.namespace,
      state: { settings: { progress: "quiet" } },
    });
    expect(records[2]).toMatchObject({ key: "memory:facts", value: { note: "[secret]" } });
    expect(records[4]).toMatchObject({ turn: { turn_id: turnId, text: "hello", answer: "An answer." } });
    const [, , , , turn] = records;
    if (turn?.type !== "turn") throw new Error("no turn");
    expect(turn.events).toEqual(await bot.log.read(turnId));
    expect(records.at(-1)).toEqual({ type: "export_finished", turns: 2 });
  });

  it("an export has the documents a channel learned, with their text, and includes a channel that only learned", async () => {
    const knowledge = createMemoryKnowledge();
    const bot = createTestApp(scriptedModel([]), { means: { knowledge } });
    const document = {
      title: "Lease",
      source: "/workspace/input/lease.pdf",
      author: "ada",
      by: "Ada",
      at: 1,
    };
    await knowledge.add(other, document, [{ text: "Seven months.", place: "page 37" }]);
    const [, , record] = await exported(bot, other);
    expect(record).toEqual({
      ...{ type: "document", namespace: other, id: 1, ...document, characters: 13 },
      text: [{ text: "Seven months.", place: "page 37" }],
    });
  });

  it("an export of a named channel has nothing of other channels, and an unknown channel is refused", async () => {
    const bot = createTestApp(scriptedModel(["An answer."]));
    await bot.ask("hello");
    await bot.ask("elsewhere", { namespace: other, by: ben });
    await changeSettings(bot.app, home.namespace, { progress: "quiet" }, ada);
    await changeSettings(bot.app, other, { progress: "quiet" }, ada);
    const records = await exported(bot, other);
    expect(records[0]).toMatchObject({ namespace: other });
    expect(JSON.stringify(records)).not.toContain(home.namespace);
    expect(records.filter(({ type }) => type === "audit")).toHaveLength(1);
    expect(await bot.app.exportData("console:local:none")).toMatchObject({ ok: false, status: 404 });
  });

  it("an export reads a turn only when the one before it was taken", async () => {
    const log = createMemoryTurnLog();
    let read = 0;
    const counting = {
      ...log,
      read(...given: Parameters<typeof log.read>) {
        read += 1;
        return log.read(...given);
      },
    };
    const bot = createTestApp(scriptedModel(["An answer."]), { log: counting });
    for (let at = 0; at < 12; at += 1) await bot.ask(`question ${at}`, { thread: `t${at % 3}` });
    const outcome = await bot.app.exportData();
    if (!outcome.ok) throw new Error(outcome.message);
    read = 0;
    let turns = 0;
    for await (const { type } of outcome.value) {
      if (type === "turn") turns += 1;
      expect(read).toBe(turns);
    }
    expect(turns).toBe(12);
  });

  it("an export lets the bot do other things between two turns", async () => {
    const bot = createTestApp(scriptedModel(["An answer."]));
    for (let at = 0; at < 5; at += 1) await bot.ask(`question ${at}`);
    const outcome = await bot.app.exportData();
    if (!outcome.ok) throw new Error(outcome.message);
    let between = 0;
    const count = () => {
      between += 1;
      waiting = setImmediate(count);
    };
    let waiting = setImmediate(count);
    await Array.fromAsync(outcome.value);
    clearImmediate(waiting);
    expect(between).toBeGreaterThanOrEqual(5);
  });
});
