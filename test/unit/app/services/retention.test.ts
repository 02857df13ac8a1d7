import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { RetentionCounts, RetentionPolicy } from "../../../../src/app/services/retention-policy.ts";
import type { UpgradeCopies } from "../../../../src/core/ports/storage.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createUpgradeCopies } from "../../../../src/storage/sqlite/upgrade-copies.ts";
import { changeSettings, retentionStatus, runRetention } from "../../../support/bot/ask-app.ts";
import { createFakeClock, type FakeClock } from "../../../support/fakes/fake-clock.ts";
import {
  createMemoryFileStore,
  createMemoryKnowledge,
  createMemoryMessageIndex,
} from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben, createTestApp, home, type TestApp } from "../../../support/test-app.ts";

const day = 86_400_000;
/** Midnight: the file store in memory has the time of the machine. */
const begin = Math.floor(Date.now() / day) * day;
const asker = { by: ada, namespace: "console:local:dm" };
const echo = testSkill("echo", [{ name: "echo" }]);
const all: RetentionPolicy = { conversation_days: 365, run_detail_days: 30, file_days: 20, audit_days: 400 };

/** One store over several runs of the bot, and a clock that only tests move. */
function install() {
  const clock = createFakeClock(begin);
  const shared = {
    log: createMemoryTurnLog(clock),
    store: createMemoryKeyValue(),
    files: createMemoryFileStore(),
  };
  const knowledge = createMemoryKnowledge();
  const logged: string[] = [];
  const start = (retention: Partial<RetentionPolicy>, copies?: UpgradeCopies) => {
    const model = scriptedModel([[{ call: "echo" }], "The answer.", "Once more."]);
    const bot = createTestApp(model, {
      ...shared,
      clock,
      retention,
      copies,
      skills: [echo],
      means: { knowledge },
      logged: (_fields, message) => logged.push(message),
    });
    bots.push(bot);
    return { ...bot, model };
  };
  return { ...shared, knowledge, clock, logged, start };
}

const bots: TestApp[] = [];
afterEach(async () => {
  for (const bot of bots.splice(0)) {
    await bot.stop(0);
    expect(bot.errors).toEqual([]);
  }
});

async function run(bot: TestApp, clock: FakeClock, dryRun = false) {
  const outcome = await clock.advanceUntil(runRetention(bot.app, { dryRun }, asker), 10);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

const counts = (some: Partial<RetentionCounts> = {}) => ({
  ...{ threads: 0, turns: 0, run_details: 0, files: 0, audit: 0, openings: 0 },
  ...some,
});
const file = { name: "a.txt", media_type: "text/plain", data: new Uint8Array([1]) };
const typesOf = async (bot: TestApp, id: string) => (await bot.log.read(id)).map(({ type }) => type);

describe("old data", () => {
  it("old data is deleted kind by kind at its time, and a dry run counts the same before [delete-2]", async () => {
    const { clock, start, files, store } = install();
    const bot = start(all);
    await run(bot, clock);
    const { turnId } = await bot.ask("hello");
    await files.put(turnId, file);
    await store.set(`feedback:${turnId}`, { ada: "good" });
    await changeSettings(bot.app, home.namespace, { progress: "quiet" }, ada);
    const both = async (expected: RetentionCounts) => {
      expect(await run(bot, clock, true)).toMatchObject({ ran: false, counts: expected });
      expect(await run(bot, clock)).toMatchObject({ ran: true, counts: expected });
      expect((await run(bot, clock)).counts).toEqual(counts());
    };
    clock.advance(19 * day);
    await both(counts());
    clock.advance(2 * day);
    await both(counts({ files: 1 }));
    expect(await files.get(turnId, "a.txt")).toBeUndefined();
    clock.advance(10 * day);
    await both(counts({ run_details: 1 }));
    const kept = ["inbound", "turn_started", "details_removed", "turn_finished"];
    expect(await typesOf(bot, turnId)).toEqual(kept);
    expect(await bot.app.turn(turnId)).toMatchObject({ text: "hello", answer: "The answer." });
    clock.advance(335 * day);
    await both(counts({ threads: 1, turns: 1 }));
    expect([await bot.app.turns({}), await bot.app.namespaces("console")]).toEqual([[], []]);
    expect(await Array.fromAsync(store.keys("feedback:"))).toEqual([]);
    clock.advance(2 * day);
    await both(counts({ openings: 1 }));
    expect(await Array.fromAsync(store.keys("opening"))).toEqual([]);
    clock.advance(34 * day);
    // The change of the setting, and that somebody deleted old data on that day.
    await both(counts({ audit: 2 }));
  });

  it("old data does not include what a channel learned from documents, however old", async () => {
    const { clock, start, knowledge } = install();
    const bot = start(all);
    await run(bot, clock);
    await bot.ask("hello");
    const document = { title: "Lease", source: "lease.pdf", author: "ada", by: "Ada", at: begin };
    await knowledge.add(home.namespace, document, [{ text: "Seven months.", place: "" }]);
    clock.advance(9_000 * day);
    expect((await run(bot, clock)).counts).toMatchObject({ threads: 1, turns: 1 });
    expect(await knowledge.list(home.namespace)).toMatchObject([{ title: "Lease" }]);
  });

  it("old data is kept where the policy says never", async () => {
    const { clock, start } = install();
    const bot = start({});
    await run(bot, clock);
    const { turnId } = await bot.ask("hello");
    clock.advance(9_000 * day);
    expect(await run(bot, clock)).toMatchObject({ ran: true, counts: counts() });
    expect(await typesOf(bot, turnId)).toContain("tool_finished");
  });

  it("old data of a thread in use stays, and the turns before a new transcript lose their details", async () => {
    const { clock, start } = install();
    const bot = start(all);
    await run(bot, clock);
    const first = await bot.ask("hello");
    clock.advance(360 * day);
    await bot.ask("still there?");
    clock.advance(10 * day);
    expect((await run(bot, clock)).counts).toEqual(counts());
    expect(await typesOf(bot, first.turnId)).toContain("transcript_opened");
    clock.advance(30 * day);
    expect((await run(bot, clock)).counts).toEqual(counts({ run_details: 2 }));
    await bot.ask("go on");
    const said = bot.model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(said).toEqual([
      '"Ada" (ada):\nhello',
      "The answer.",
      '"Ada" (ada):\nstill there?',
      "Once more.",
      "go on",
    ]);
  });

  it("files that belong to no turn any more are deleted once they are a day old", async () => {
    const { clock, start, files } = install();
    const bot = start({});
    await run(bot, clock);
    await files.put("gone", file);
    expect((await run(bot, clock)).counts).toEqual(counts());
    clock.advance(2 * day);
    expect((await run(bot, clock)).counts).toEqual(counts({ files: 1 }));
  });

  it("copies from before an upgrade are deleted once they are 14 days old, whatever is kept", async () => {
    const folder = await mkdtemp(join(tmpdir(), "knack-retention-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const copy = join(folder, "turns.db.v7");
    await writeFile(copy, "");
    await utimes(copy, begin / 1_000, begin / 1_000);
    const { clock, start } = install();
    const bot = start({}, createUpgradeCopies(folder));
    clock.advance(14 * day - 1_000_000);
    await run(bot, clock);
    clock.advance(1_000_000);
    await run(bot, clock, true);
    expect(await readdir(folder)).toEqual(["turns.db.v7"]);
    await run(bot, clock);
    expect(await readdir(folder)).toEqual([]);
  });

  it("old data without a day of use, as a crash leaves it, counts as used today", async () => {
    const { clock, start, store } = install();
    await store.set("opening:old", {});
    const bot = start(all);
    await run(bot, clock);
    clock.advance(365 * day);
    expect((await run(bot, clock)).counts).toEqual(counts());
    clock.advance(3 * day);
    expect((await run(bot, clock)).counts).toEqual(counts({ openings: 1 }));
  });

  it("only operators may delete old data, and the deletion is recorded", async () => {
    const { clock, start, logged } = install();
    const bot = start(all);
    const refused = await runRetention(bot.app, { dryRun: true }, { ...asker, by: ben });
    expect(refused).toMatchObject({ status: 403 });
    expect(logged).toEqual([]);
    await run(bot, clock);
    expect(logged).toEqual(["Ada deleted what is older than the settings keep"]);
  });

  it("old data is complete after a dry run, including what people said in indexed channels", async () => {
    const clock = createFakeClock(begin);
    const index = createMemoryMessageIndex();
    const bot = createTestApp(scriptedModel(["The answer."]), { clock, index, retention: all });
    bots.push(bot);
    await run(bot, clock);
    const said = { namespace: home.namespace, reference: "1", author: ada, text: "hello", at: clock.now() };
    await index.put([said]);
    clock.advance(366 * day);
    expect(await run(bot, clock, true)).toMatchObject({ ran: false });
    expect((await index.extent(home.namespace)).messages).toBe(1);
    await run(bot, clock);
    expect((await index.extent(home.namespace)).messages).toBe(0);
  });

  it("old data that cannot be deleted stays, and the rest is deleted", async () => {
    const { clock, start, files, logged } = install();
    const bot = start(all);
    await run(bot, clock);
    const { turnId } = await bot.ask("hello");
    await files.put(turnId, file);
    const { forget } = files;
    files.forget = () => Promise.reject(new Error("the disk is read-only"));
    clock.advance(31 * day);
    expect((await run(bot, clock)).counts).toEqual(counts({ run_details: 1 }));
    expect(logged).toContain("Old data could not be deleted; the next pass tries again");
    files.forget = forget;
    expect((await run(bot, clock)).counts).toEqual(counts({ files: 1 }));
  });
});

describe("the announcement", () => {
  /** A store with a turn from before retention was set. */
  const filled = async () => {
    const installed = install();
    const before = installed.start({});
    const { turnId } = await before.ask("hello");
    await before.stop(0);
    installed.clock.advance(400 * day);
    return { ...installed, turnId };
  };

  it("the announcement keeps everything in a store that has turns for 14 days, across restarts [delete-2]", async () => {
    const { clock, start, logged, turnId } = await filled();
    const one = start(all);
    expect(await retentionStatus(one.app)).toEqual({ policy: all });
    await one.startRetention();
    const from = begin + 414 * day;
    expect(await retentionStatus(one.app)).toEqual({ policy: all, from });
    expect(logged).toContain(
      `Old data is deleted from ${new Date(from).toISOString()} on; set retention.* to never to keep it`,
    );
    await one.stop(0);
    clock.advance(13 * day);
    const two = start(all);
    const would = counts({ threads: 1, turns: 1, run_details: 1, openings: 1 });
    expect(await run(two, clock)).toMatchObject({ ran: false, from, counts: would });
    expect(await two.app.turn(turnId)).toBeDefined();
    clock.advance(day);
    expect(await run(two, clock)).toMatchObject({ ran: true });
    expect(await two.app.turn(turnId)).toBeUndefined();
  });

  it("the announcement is made again when a limit gets shorter, and then everything waits", async () => {
    const { clock, start } = await filled();
    await start(all).startRetention();
    clock.advance(20 * day);
    const shorter = start({ ...all, audit_days: 300 });
    expect(await retentionStatus(shorter.app)).toEqual({ policy: { ...all, audit_days: 300 } });
    expect(await run(shorter, clock)).toMatchObject({ ran: false });
    clock.advance(14 * day);
    expect(await run(shorter, clock)).toMatchObject({ ran: true });
    const longer = start({ ...all, audit_days: "never" });
    expect(await run(longer, clock)).toMatchObject({ ran: true });
  });

  it("the announcement is not needed in a store without turns, and the bot deletes by itself every hour", async () => {
    const { clock, start, files } = install();
    const bot = start(all);
    await bot.startRetention();
    const { turnId } = await bot.ask("hello");
    await files.put(turnId, file);
    clock.advance(25 * day);
    const gone = async (): Promise<void> => {
      if ((await files.get(turnId, "a.txt")) !== undefined) await clock.sleep(1_000).then(gone);
    };
    await clock.advanceUntil(gone(), 10_000);
    expect(await typesOf(bot, turnId)).toContain("tool_finished");
    clock.advance(6 * day);
    const bare = async (): Promise<void> => {
      if ((await typesOf(bot, turnId)).includes("tool_finished")) await clock.sleep(1_000).then(bare);
    };
    await clock.advanceUntil(bare(), 10_000);
    await bot.stop(0);
  });
});
