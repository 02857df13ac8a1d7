import { describe, expect, it } from "vitest";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { createTestApp } from "../../../support/test-app.ts";

const ann: Author = { id: "ann", name: "Ann", trust: "member" };
const operator: Author = { id: "operator", name: "Op", trust: "operator" };
const namespace = "console:local:general";

async function withPlans() {
  const { due } = createMemoryTurnLog();
  const app = createTestApp(scriptedModel(["x"]), { due });
  const add = (by: Author, text: string) =>
    app.app.run("schedule.add", {
      input: { namespace, text, cron: ["0 10 * * *"] },
      asker: { by, namespace },
    });
  await app.ask('/agent schedule add cron "0 9 * * *" the accounts', { by: ann, namespace });
  await add({ ...ann, id: "ben", name: "Ben" }, "lunch");
  const value = { what: "trigger", maker: { id: "ben" }, condition: { by: "ann" } };
  await due.add({ id: "t1", namespace, kind: "trigger", value });
  await due.add({ id: "w1", namespace, kind: "watched_thread", value: { by: "ann", text: "words of Ann" } });
  return { due, app };
}

describe("what comes back by itself", () => {
  it("schedules are exported with their channel", async () => {
    const { app } = await withPlans();
    const exported = await app.app.exportData(namespace);
    const records = exported.ok ? await Array.fromAsync(exported.value) : [];
    const entries = records.filter(({ type }) => type === "due_entry");
    expect(entries).toHaveLength(4);
    expect(entries[0]).toMatchObject({ namespace, kind: "schedule", value: { text: "the accounts" } });
  });

  it("schedules are deleted with their maker, and so is what others' triggers keep of them", async () => {
    const { app, due } = await withPlans();
    const call = { input: { id: "console:local:ann" }, asker: { by: operator, namespace } };
    expect(await app.app.run("person.show", call)).toMatchObject({ ok: true, value: { plans: 2 } });
    expect(await due.list({})).toHaveLength(4);
    expect(await app.app.run("person.forget", call)).toMatchObject({ ok: true, value: { plans: 2 } });
    const left = await due.list({});
    expect(left.map(({ value }) => value)).toMatchObject([
      { text: "lunch" },
      { condition: { by: "deleted" } },
    ]);
    expect(JSON.stringify(left)).not.toMatch(/ann/i);
  });
});
