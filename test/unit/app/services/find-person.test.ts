import { describe, expect, it } from "vitest";
import type { ExportRecord } from "../../../../src/app/services/export-data.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { forgetPerson } from "../../../support/bot/ask-app.ts";
import { createMemoryKnowledge, createMemoryMessageIndex } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

const zora: Author = { id: "UZORA77", name: "Zora Quill", trust: "member" };
const asker = { by: ada, namespace: "console:local:dm" };

/** A bot, and what a person can leave in a channel beside turns. */
function install() {
  const { due } = createMemoryTurnLog();
  const stores = { store: createMemoryKeyValue(), index: createMemoryMessageIndex(), due };
  const knowledge = createMemoryKnowledge();
  const bot = createTestApp(scriptedModel(["ok"]), { ...stores, means: { knowledge } });
  const leave = {
    async document(namespace: string) {
      const document = { title: "T", source: "s", author: zora.id, by: zora.name, at: 1 };
      await knowledge.add(namespace, document, [{ text: "all of it", place: "" }]);
    },
    async message(namespace: string) {
      const author = { id: zora.id, name: zora.name };
      await stores.index.put([{ namespace, reference: "1", author, text: "all of it", at: 1 }]);
      await stores.store.set(`channel-index:${namespace}`, { by: "ada", name: "Ada", at: 1 });
    },
    async fact(namespace: string) {
      const fact = { id: 1, text: "Likes tea", by: zora.name, author: zora.id, at: 1, pinned: false };
      await stores.store.set(`skill:${namespace}:memory:facts`, { next: 2, facts: [fact] });
    },
    async plan(namespace: string) {
      const value = { what: "reminder", text: "tea", maker: { id: zora.id, name: zora.name } };
      await due.add({ id: `plan ${namespace}`, namespace, kind: "schedule", value });
    },
    async allowance(namespace: string) {
      const allowance = { id: 1, by: zora.id, name: zora.name };
      await stores.store.set(`allowances:${namespace}`, { next: 2, allowances: [allowance] });
    },
    async own(namespace: string) {
      const workspace = namespace.split(":").slice(0, 2).join(":");
      await stores.store.set(`skill:${workspace}:dm-${zora.id}:notes:list`, ["tea"]);
    },
  };
  const all = async (namespace: string) => {
    for (const each of Object.values(leave)) await each(namespace);
  };
  return { ...bot, leave, all };
}

describe("finding a person", () => {
  it("finding a person asks who is meant when several people have the id, and refuses unknown ones", async () => {
    const { app, ask } = createTestApp(scriptedModel(["ok"]));
    for (const namespace of ["fake:one:general", "fake:two:general"])
      await ask("hello", { by: zora, namespace });
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({
      ok: false,
      status: 409,
      code: "several_people",
    });
    expect(await forgetPerson(app, "nobody", asker)).toMatchObject({ ok: false, status: 404 });
    expect(await forgetPerson(app, zora.id, { ...asker, by: zora })).toMatchObject({
      ok: false,
      status: 403,
    });
    expect(await forgetPerson(app, `fake:one:${zora.id}`, asker)).toMatchObject({ value: { turns: 1 } });
    expect(await forgetPerson(app, `fake:*:${zora.id}`, asker)).toMatchObject({ value: { turns: 1 } });
  });

  it.each([
    ["web:sole", "web:soledad"],
    ["web:sole:room", "web:soledad:room"],
    ["web:sole:room:inner", "web:soledad:room:inner"],
    ["slack:T1:C1", "slack:T12:C1"],
  ])(
    "finding a person finds everything of them in %s, and nothing of a namesake in %s [delete-3]",
    async (namespace, other) => {
      const { app, all } = install();
      await all(namespace);
      await all(other);
      const whole = (where: string) => `${where.split(":").slice(0, 2).join(":")}:${zora.id}`;
      const everything = { documents: 1, messages: 1, facts: 1, plans: 1, allowances: 1, stored: 1 };
      const nothing = { documents: 0, messages: 0, facts: 0, plans: 0, allowances: 0, stored: 0 };
      expect(await forgetPerson(app, whole(namespace), asker)).toMatchObject({ value: everything });
      expect(await forgetPerson(app, whole(namespace), asker)).toMatchObject({ value: nothing });
      expect(await forgetPerson(app, zora.id, asker)).toMatchObject({
        value: { ...everything, user: whole(other) },
      });
      expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ ok: false, status: 404 });
    },
  );

  it.each(["document", "message", "fact", "plan", "allowance", "own"] as const)(
    "finding a person by id alone reports nothing stored only when that is true (stored: %s)",
    async (kind) => {
      const { app, ask, leave } = install();
      await ask("of somebody else", { namespace: "web:sole" });
      await leave[kind]("web:sole");
      const found = await forgetPerson(app, zora.id, asker, { dryRun: true });
      expect(found).toMatchObject({ ok: true, value: { user: `web:sole:${zora.id}` } });
      expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ value: { complete: true } });
      expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ ok: false, status: 404 });
    },
  );

  it("finding a person says which upgrade copies may still have data, and the whole name deletes these", async () => {
    const copies = new Set(["turns.db.v7"]);
    const remove = async ({ dryRun = false } = {}) => {
      const names = [...copies];
      if (!dryRun) copies.clear();
      return names;
    };
    const { app } = createTestApp(scriptedModel(["ok"]), { copies: { remove } });
    const message = expect.stringContaining("except perhaps in copies from before an upgrade: turns.db.v7.");
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ status: 404, message });
    await forgetPerson(app, `web:sole:${zora.id}`, asker);
    const nothing = expect.stringMatching(/^Nothing that UZORA77 said or changed is stored\./);
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ status: 404, message: nothing });
  });

  it("only one search for a person runs at a time", async () => {
    const { app, leave } = install();
    await leave.document("web:sole");
    const both = [1, 2].map(() => forgetPerson(app, `web:sole:${zora.id}`, asker));
    expect(await Promise.all(both)).toMatchObject([{ ok: true }, { ok: false, status: 409, code: "busy" }]);
  });

  it("finding a person asks for the whole name where their records name no channel", async () => {
    const { app, store } = install();
    await store.set("trust:files", { tools: [], by: zora.id, at: 1 });
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ status: 409, code: "whole_name_needed" });
    expect(await forgetPerson(app, `web:sole:${zora.id}`, asker)).toMatchObject({ value: { blanked: 1 } });
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({ status: 404 });
  });
});

it("an export of a channel has nothing of another whose name begins with its name", async () => {
  const { app, ask, store } = install();
  await ask("hello", { namespace: "web:sole" });
  await ask("hello", { namespace: "web:sole:room" });
  await store.set("skill:web:sole:memory:facts", { next: 1, facts: [] });
  await store.set("skill:web:sole:room:memory:facts", { next: 2, facts: [] });
  const keysOf = async (namespace: string) => {
    const outcome = await app.exportData(namespace);
    if (!outcome.ok) throw new Error(outcome.message);
    const records = await Array.fromAsync<ExportRecord>(outcome.value);
    return records.flatMap((each) => (each.type === "skill_data" ? [[each.key, each.value]] : []));
  };
  expect(await keysOf("web:sole")).toEqual([["memory:facts", { next: 1, facts: [] }]]);
  expect(await keysOf("web:sole:room")).toEqual([["memory:facts", { next: 2, facts: [] }]]);
});
