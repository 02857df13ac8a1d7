import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../src/core/log/turn-log.ts";
import type { Knowledge } from "../../../../src/core/ports/services.ts";
import type { FileStore, KeyValue } from "../../../../src/core/ports/storage.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createDiskFileStore } from "../../../../src/storage/disk-file-store.ts";
import { openKeyValue } from "../../../../src/storage/keyv-store.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { openSqliteKnowledge } from "../../../../src/storage/sqlite/sqlite-knowledge.ts";
import { openSqliteTurnLog } from "../../../../src/storage/sqlite/sqlite-turn-log.ts";
import { createUpgradeCopies } from "../../../../src/storage/sqlite/upgrade-copies.ts";
import { forgetPerson } from "../../../support/bot/ask-app.ts";
import { callable, channel, heard } from "../../../support/bot/called-bot.ts";
import { createMemoryFileStore, createMemoryKnowledge } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, createTestApp } from "../../../support/test-app.ts";

/** Somebody whose name is in no other text, so that the files can be searched for it. */
const zora: Author = { id: "UZORA77", name: "Zora Quill", trust: "member" };
const asker = { by: ada, namespace: "console:local:dm" };
const secret = "heliotrope";

interface Stores {
  folder: string;
  log: TurnLog;
  store: KeyValue;
  knowledge: Knowledge;
  files: FileStore;
}

/** Writing the files of databases again takes longer than a test: those that look at no byte keep all of it in memory. */
function inMemory(): Stores {
  return {
    ...{ folder: "", log: createMemoryTurnLog(), store: createMemoryKeyValue() },
    ...{ knowledge: createMemoryKnowledge(), files: createMemoryFileStore() },
  };
}

async function onDisk(): Promise<Stores> {
  const folder = await mkdtemp(join(tmpdir(), "knack-forget-person-"));
  const log = await openSqliteTurnLog(join(folder, "turns.db"));
  const store = await openKeyValue(join(folder, "state.db"));
  const knowledge = await openSqliteKnowledge(join(folder, "knowledge.db"));
  onTestFinished(async () => {
    for (const each of [log, store, knowledge]) await each.close();
    await rm(folder, { recursive: true });
  });
  return { folder, log, store, knowledge, files: createDiskFileStore(join(folder, "files")) };
}

/** Which of the words stand in a file of the data folder, databases and their logs included. */
async function found({ folder }: Stores, ...words: string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytes = Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
  return words.filter((word) => bytes.includes(word));
}

/** Which of the words stand in turns and values. */
async function told({ log, store }: Stores, ...words: string[]): Promise<string[]> {
  const turns = await log.list({ limit: 1_000 });
  const events = await Promise.all(turns.map(({ turn_id }) => log.read(turn_id)));
  const values = await Array.fromAsync(store.keys(""), (key) => store.get(key));
  const text = JSON.stringify([turns, events, values, await Array.fromAsync(store.keys(""))]);
  return words.filter((word) => text.includes(word));
}

const spoken = (text: string) =>
  heard("m1", zora.name, text, { author: { ...zora, bot: false, self: false } });
const options = ({ log, store, files, knowledge, folder }: Stores) => ({
  ...{ log, store, files, means: { knowledge } },
  ...(folder === "" ? {} : { copies: createUpgradeCopies(folder) }),
});

describe("forgetting a person", () => {
  it("forgetting a person leaves no byte of their words, id and name in the databases and their logs [delete-3]", async () => {
    const stores = await onDisk();
    const { store, knowledge } = stores;
    const { app, platform, call } = callable(options(stores));
    platform.threads.set("t1", [spoken(`The ${secret} one is mine.`)]);
    await call("What did they say?");
    for (let at = 0; at < 8; at += 1)
      await app.ask(`${secret} ${at} ${"word ".repeat(at * 35)}`, {
        by: zora,
        namespace: channel,
        thread: `z${at}`,
      });
    await app.ask("a question of Ada", { namespace: channel, thread: "t2" });
    await store.set(`skill:${channel}:memory:facts`, {
      next: 3,
      facts: [
        { id: 1, text: `Prefers ${secret} paint`, by: zora.name, author: zora.id, at: 1, pinned: true },
        { id: 2, text: "Releases are on Fridays", by: "Ada", author: "ada", at: 1, pinned: false },
      ],
    });
    const pinned = { text: `Prefers ${secret} paint`, by: zora.name, author: zora.id };
    await store.set(`skill:${channel}:memory:pinned`, [pinned]);
    const document = { title: zora.name, source: secret, author: zora.id, by: zora.name, at: 1 };
    await knowledge.add(channel, document, [{ text: `All about ${secret}`, place: "page 1" }]);
    await knowledge.add(channel, { ...document, title: "Menu", source: "m", author: "ada", by: "Ada" }, []);
    await app.ask("a new thread", { namespace: channel, thread: "t3" });
    expect(await found(stores, secret, zora.id, zora.name)).toHaveLength(3);

    const outcome = await forgetPerson(app.app, zora.id, asker);
    expect(outcome).toMatchObject({
      ok: true,
      value: { user: "fake:team:UZORA77", complete: true, turns: 8, facts: 1, documents: 1, left: [] },
    });
    expect(await found(stores, secret, zora.id, zora.name)).toEqual([]);
    expect(await store.get(`skill:${channel}:memory:facts`)).toMatchObject({ facts: [{ id: 2 }] });
    expect((await knowledge.list(channel)).map(({ title }) => title)).toEqual(["Menu"]);
    const kept = await app.app.turns({ namespace: channel, thread: "t2" });
    expect(kept).toMatchObject([{ text: "a question of Ada", author: { id: "ada" } }]);
    expect(app.errors).toEqual([]);
  });

  it("forgetting a person removes their words from other people's turns and from what later turns are told", async () => {
    const stores = inMemory();
    const { log } = stores;
    const { app, platform, model, call } = callable(options(stores), scriptedModel(["First.", "Second."]));
    platform.threads.set("t1", [spoken(`The ${secret} one is mine.`)]);
    await call("What did they say?");
    expect(JSON.stringify(model.requests[0])).toContain(secret);
    const before = await log.deletions({ namespace: channel, thread: "t1" });
    const outcome = await forgetPerson(app.app, `fake:team:${zora.id}`, asker);
    expect(outcome).toMatchObject({ ok: true, value: { turns: 0, other_turns: 1, complete: true } });
    expect(await log.deletions({ namespace: channel, thread: "t1" })).toBeGreaterThan(before);
    platform.threads.set("t1", []);
    await call("And now?");
    const last = JSON.stringify(model.requests.at(-1));
    expect(last).not.toContain(secret);
    expect(last).toContain("What did they say?");
    expect(last).toContain("First.");
  });

  it("forgetting a person finds words that only carry their name, and leaves others' words", async () => {
    const stores = inMemory();
    const { log } = stores;
    const { app } = callable(options(stores));
    await app.ask("of Zora", { by: zora, namespace: channel, thread: "z" });
    const read = async (id: string, by: string) => {
      const inbound = {
        key: id,
        namespace: channel,
        thread: id,
        author: ada,
        kind: "message",
        text: "?",
      } as const;
      await log.accept(inbound, id, 1);
      const stamp = { turn_id: id, at: 2 };
      const events: TurnEvent[] = [
        {
          type: "context_read",
          thread: [{ by, author: "", text: "words", at: 1 }],
          files: [],
          ...stamp,
          seq: 1,
        },
        { type: "turn_finished", outcome: "completed", text: "", ...stamp, seq: 2 },
      ];
      await log.claim(`lease-${id}`, 1_000);
      await log.append(id, `lease-${id}`, events);
    };
    await app.stop(0);
    await read("hers", zora.name);
    await read("other", "Ben");
    expect(await forgetPerson(app.app, zora.id, asker)).toMatchObject({ value: { other_turns: 1 } });
    const typesOf = async (id: string) => (await log.read(id)).map(({ type }) => type);
    expect(await typesOf("hers")).toContain("details_removed");
    expect(await typesOf("other")).toContain("context_read");
  });

  it("forgetting a person only counts in a dry run, and then deletes as much", async () => {
    const stores = inMemory();
    const { store } = stores;
    const { app, platform, call } = callable(options(stores));
    platform.threads.set("t1", [spoken(`The ${secret} one is mine.`)]);
    await call("What did they say?");
    await app.ask(`about ${secret}`, { by: zora, namespace: channel, thread: "z" });
    await store.set(`feedback:some-turn`, { [zora.id]: "good", ada: "bad" });
    const tried = await forgetPerson(app.app, zora.id, asker, { dryRun: true });
    expect(await told(stores, secret, zora.id)).toHaveLength(2);
    const done = await forgetPerson(app.app, zora.id, asker);
    if (!tried.ok || !done.ok) throw new Error("refused");
    expect(tried.value).toEqual({ ...done.value, dry_run: true });
    expect(done.value).toMatchObject({ turns: 1, other_turns: 1, feedback: 1 });
    expect(await store.get("feedback:some-turn")).toEqual({ ada: "bad" });
  });

  it("forgetting a person continues where a crash ended it", async () => {
    const stores = await onDisk();
    const { log, store } = stores;
    let broken = true;
    const failing: TurnLog = {
      ...log,
      removeDetails: (ids, at, more) =>
        broken ? Promise.reject(new Error("power cut")) : log.removeDetails(ids, at, more),
    };
    const { app, platform, call } = callable({ ...options(stores), log: failing });
    platform.threads.set("t1", [spoken(`The ${secret} one is mine.`)]);
    await call("What did they say?");
    await app.ask(`about ${secret}`, { by: zora, namespace: channel, thread: "z" });
    const fact = { text: `Prefers ${secret} paint`, by: zora.name, author: zora.id };
    await store.set(`skill:${channel}:memory:pinned`, [fact]);
    await app.ask("a question", { namespace: channel, thread: "t9" });
    await expect(forgetPerson(app.app, zora.id, asker)).rejects.toThrow("power cut");
    expect(await found(stores, secret)).toEqual([secret]);
    broken = false;
    expect(await forgetPerson(app.app, zora.id, asker)).toMatchObject({ value: { complete: true } });
    expect(await found(stores, secret, zora.id, zora.name)).toEqual([]);
    expect(await Array.fromAsync(store.keys("forgetting:"))).toEqual([]);
  });

  it("forgetting a person removes the bytes from the files next time if that failed after the deletion", async () => {
    const stores = await onDisk();
    const { log, store } = stores;
    let full = true;
    const failing: TurnLog = {
      ...log,
      scrub: (more) => (full ? Promise.reject(new Error("disk full")) : log.scrub(more)),
    };
    const { app } = callable({ ...options(stores), log: failing });
    for (let at = 0; at < 12; at += 1)
      await app.ask(`${secret} ${"word ".repeat(at * 25)}`, {
        by: zora,
        namespace: channel,
        thread: `z${at}`,
      });
    const fact = { text: `Prefers ${secret} paint`, by: zora.name, author: zora.id };
    await store.set(`skill:${channel}:memory:pinned`, [fact]);
    const first = await forgetPerson(app.app, zora.id, asker);
    expect(first).toMatchObject({ value: { complete: false, left: [expect.stringContaining("disk full")] } });
    expect(await forgetPerson(app.app, zora.id, asker)).toMatchObject({ ok: false, status: 503 });
    expect(await found(stores, secret)).toEqual([secret]);
    full = false;
    expect(await forgetPerson(app.app, zora.id, asker)).toMatchObject({ ok: false, status: 404 });
    expect(await found(stores, secret, zora.id, zora.name)).toEqual([]);
  });

  it("forgetting a person removes what a tool answered in several turns, and deletes upgrade copies whole", async () => {
    const stores = await onDisk();
    const recalled = { found: [{ by: zora.name, text: `${secret} `.repeat(300) }] };
    const recall = testSkill("recall", [{ name: "recall", run: () => recalled }]);
    const asks = [{ call: "recall" }];
    const model = scriptedModel(["Hello.", asks, "First.", asks, "Second."]);
    const app = createTestApp(model, { ...options(stores), skills: [recall] });
    const place = { namespace: channel, thread: "recalled" };
    await app.ask("mine", { by: zora, namespace: channel, thread: "z" });
    const turns = [await app.ask("What did they say?", place), await app.ask("And again?", place)];
    for (const { events } of turns) expect(JSON.stringify(events)).toContain(secret);
    await copyFile(join(stores.folder, "turns.db"), join(stores.folder, "turns.db.v7"));
    const copies = ["turns.db.v7"];
    const user = `fake:team:${zora.id}`;
    expect(await forgetPerson(app.app, user, asker, { dryRun: true })).toMatchObject({ value: { copies } });
    expect(await readdir(stores.folder)).toContain("turns.db.v7");
    const outcome = await forgetPerson(app.app, user, asker);
    expect(outcome).toMatchObject({ value: { turns: 1, other_turns: 2, complete: true, copies } });
    expect(await readdir(stores.folder)).not.toContain("turns.db.v7");
    expect(await found(stores, secret)).toEqual([]);
    await app.stop(0);
  });

  it("forgetting a person stops their running turn and then deletes it", async () => {
    const stores = inMemory();
    const started = Promise.withResolvers<void>();
    const gate = () => {
      started.resolve();
      return new Promise<void>(() => {});
    };
    const app = createTestApp(scriptedModel(["never"], { gate }), options(stores));
    const turnId = await app.say(`about ${secret}`, { by: zora });
    await started.promise;
    expect(await forgetPerson(app.app, zora.id, asker)).toMatchObject({
      value: { turns: 1, complete: true },
    });
    expect(await app.app.turn(turnId)).toMatchObject({ status: "finished", text: "" });
    expect(await told(stores, secret, zora.id, zora.name)).toEqual([]);
  });

  it("forgetting a person names another's running turn that has their words, and finishes when it is run again", async () => {
    const stores = inMemory();
    const gates = [Promise.withResolvers<void>()];
    const started = Promise.withResolvers<void>();
    const gate = async () => {
      started.resolve();
      await gates[0]?.promise;
    };
    const { app, platform, call } = callable(options(stores), scriptedModel(["Done."], { gate }));
    platform.threads.set("t1", [spoken(`The ${secret} one is mine.`)]);
    const running = call("What did they say?");
    await started.promise;
    const outcome = await forgetPerson(app.app, `fake:team:${zora.id}`, asker);
    expect(outcome).toMatchObject({
      value: { complete: false, left: [expect.stringContaining("has not ended")] },
    });
    gates[0]?.resolve();
    await running;
    expect(await forgetPerson(app.app, `fake:team:${zora.id}`, asker)).toMatchObject({
      value: { complete: true },
    });
    expect(await told(stores, secret)).toEqual([]);
  });

  it("forgetting a person keeps an answer posted where nobody can delete it now, unless posts may stay", async () => {
    const stores = inMemory();
    const first = callable(options(stores));
    first.platform.threads.set("t1", []);
    await first.call("mine", { by: zora });
    await first.app.stop(0);
    const { app } = createTestApp(scriptedModel([""]), options(stores));
    const kept = await forgetPerson(app, zora.id, asker);
    expect(kept).toMatchObject({
      value: { complete: false, turns: 0, left: [expect.stringContaining("posted on fake")] },
    });
    const done = await forgetPerson(app, zora.id, asker, { leavePosts: true });
    expect(done).toMatchObject({ value: { complete: true, turns: 1 } });
  });
});
