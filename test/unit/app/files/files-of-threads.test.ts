import { describe, expect, it } from "vitest";
import type { RetentionPolicy } from "../../../../src/app/services/retention-policy.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { forgetPerson, forgetTurn, runRetention } from "../../../support/bot/ask-app.ts";
import { bytes, callable, channel, fileOf, heard } from "../../../support/bot/called-bot.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { codeThatWrites, exited, fakeCode } from "../../../support/fakes/fake-code.ts";
import { attached, pathsIn, runThatWrites, textAt, writes } from "../../../support/fakes/folder-code.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp, home, type TestApp } from "../../../support/test-app.ts";
import { createIntake } from "../chat/intake/fixture.ts";

const place = { namespace: channel, thread: "t1" };
const asker = { by: ada, namespace: "console:local:dm" };
const ben: Author = { id: "ben", name: "Ben", trust: "member" };
const plots = [{ call: "run_code", with: { language: "python", code: "open('input/orders.csv')" } }];

async function lastTurn({ app }: TestApp): Promise<string> {
  const [turn] = await app.turns({ namespace: channel });
  return turn?.turn_id ?? "";
}

describe("a message that is deleted", () => {
  it("a deleted message takes its attachments along and names what was made of them [delete-1]", async () => {
    const model = scriptedModel([plots, "Plotted.", "Seen.", "Still here."]);
    const { app, platform, call } = callable({ code: codeThatWrites({ "plot.png": "p" }) }, model);
    platform.files.set("f1", bytes("a,b"));
    platform.files.set("f2", bytes("other"));
    await call("Plot this", { files: [fileOf("f1", "orders.csv")], in_thread: false });
    const first = await lastTurn(app);
    await call("And this again", {
      files: [fileOf("f1", "orders.csv"), fileOf("f2", "other.txt")],
      in_thread: false,
    });
    const second = await lastTurn(app);
    await call("And now?", { in_thread: false });
    expect(await forgetTurn(app.app, first, ada)).toEqual({
      ok: true,
      value: { forgotten: true, attachments: [], made_from_them: [] },
    });
    // It came with another message too.
    expect(await textAt(app.folders.of(place), "input/orders.csv")).toBe("a,b");
    const forgotten = await forgetTurn(app.app, second, ada);
    expect(forgotten).toEqual({
      ok: true,
      value: {
        forgotten: true,
        attachments: ["/workspace/input/orders.csv", "/workspace/input/other.txt"],
        made_from_them: ["/workspace/plot.png"],
      },
    });
    expect(await pathsIn(app.folders.of(place))).toEqual(["/workspace/plot.png"]);
    // With the last one nothing of the thread is left.
    await forgetTurn(app.app, await lastTurn(app), ada);
    expect(await pathsIn(app.folders.of(place))).toEqual([]);
  });

  it("a deleted message takes the files of its answer from both places, but not those that another turn changed since", async () => {
    const written = [
      { "keep.txt": "k", "output/report.txt": "r", "output/both.txt": "1" },
      { "output/both.txt": "2" },
    ];
    const code = fakeCode(async ({ working }) => {
      if (working !== undefined) await writes(written.shift() ?? {})(working);
      return exited("done");
    });
    const model = scriptedModel([plots, "Here.", plots, "Changed."]);
    const { ask, app, folders, files } = createTestApp(model, { code });
    const first = await ask("Report");
    const second = await ask("Change it");
    expect(await files.get(first.turnId, "report.txt")).toBeDefined();
    await forgetTurn(app, first.turnId, ada);
    expect(await files.get(first.turnId, "report.txt")).toBeUndefined();
    expect(await pathsIn(folders.of(home))).toEqual(["/workspace/keep.txt", "/workspace/output/both.txt"]);
    expect(await files.get(second.turnId, "both.txt")).toBeDefined();
  });

  it("deleting a message by its button tells that person alone which files still exist [delete-1]", async () => {
    const model = scriptedModel([plots, "Plotted.", "Seen."]);
    const fixture = createIntake({ model, code: codeThatWrites({ "odd `name`.png": "p" }) });
    fixture.platform.files.set("f1", bytes("a,b"));
    const files = [fileOf("f1", "orders.csv")];
    await fixture.intake.message(fixture.mention("plot it", { id: "root", files }));
    const { platform } = fixture;
    const answer = await platform.until(() =>
      platform.shown.find(
        ({ message }) => message.tag?.purpose === "answer" && message.buttons !== undefined,
      ),
    );
    const next = fixture.mention("and now?", { thread: "root" });
    await fixture.intake.message(next);
    await fixture.events(await fixture.turnOf(next));
    const button = answer.message.buttons?.find(({ id }) => id.startsWith("forget"));
    await fixture.press(button?.id ?? "", "ada", { place: answer.place, reference: answer.reference });
    await platform.until(() => (fixture.told("ada").length > 0 ? true : undefined));
    expect(fixture.told("ada")).toEqual([
      expect.stringMatching(
        /^Deleted, together with `\/workspace\/input\/orders\.csv`\. Files made from that are still in this thread: `\/workspace\/odd 'name'\.png`\./,
      ),
    ]);
    expect(await pathsIn(fixture.folders.of(answer.place))).toEqual(["/workspace/odd `name`.png"]);
  });
});

describe("a person who is forgotten", () => {
  it("forgetting a person takes files that only their calls made, and reports what others made of them, and where", async () => {
    const written: Record<string, string>[] = [
      { "hers.txt": "1", "shared.txt": "1", "output/answer.txt": "1" },
      { "bens.txt": "2", "shared.txt": "2" },
    ];
    const code = fakeCode(async ({ working }) => {
      if (working !== undefined) await writes(written.shift() ?? {})(working);
      return exited("done");
    });
    const reads = [{ call: "run_code", with: { language: "python", code: "open('hers.txt')" } }];
    const model = scriptedModel([plots, "Made.", reads, "Changed."]);
    const { app, ask, folders, files } = createTestApp(model, { code });
    const zora: Author = { id: "zora", name: "Zora", trust: "member" };
    const { turnId } = await ask("make files", { by: zora });
    await ask("change them", { by: ben });
    await ask("alone", { by: zora, thread: "own" });
    await runThatWrites(folders.of({ ...home, thread: "own" }), { "alone.txt": "a" });
    expect(await forgetPerson(app, zora.id, asker)).toMatchObject({
      value: {
        complete: true,
        kept: [
          `/workspace/shared.txt of the thread ${home.thread} in ${home.namespace}`,
          `/workspace/bens.txt of the thread ${home.thread} in ${home.namespace}`,
        ],
      },
    });
    expect(await pathsIn(folders.of(home))).toEqual(["/workspace/bens.txt", "/workspace/shared.txt"]);
    expect(await files.get(turnId, "answer.txt")).toBeUndefined();
    expect(await pathsIn(folders.of({ ...home, thread: "own" }))).toEqual([]);
  });

  it("forgetting a person takes their files, even those that others' turns found in the thread", async () => {
    const { app, platform, call } = callable();
    for (const id of ["bens", "bens-own", "adas"]) platform.files.set(id, bytes(id));
    platform.threads.set("t1", [heard("m1", "Ben", "Look at mine", { files: [fileOf("bens", "bens.txt")] })]);
    await call("What is this?", { files: [fileOf("adas", "adas.txt")] });
    await call("And mine?", { by: ben, files: [fileOf("bens-own", "bens-own.txt")], in_thread: false });
    expect(await pathsIn(app.folders.of(place))).toHaveLength(3);
    const seen = await forgetPerson(app.app, "fake:team:ben", asker, { dryRun: true });
    expect(seen).toMatchObject({ ok: true });
    expect(await pathsIn(app.folders.of(place))).toHaveLength(3);
    expect(await forgetPerson(app.app, "fake:team:ben", asker)).toMatchObject({ ok: true });
    expect(await pathsIn(app.folders.of(place))).toEqual(["/workspace/input/adas.txt"]);
    expect(app.errors).toEqual([]);
  });
});

describe("the folders of threads", () => {
  const day = 86_400_000;
  const never: RetentionPolicy = {
    conversation_days: "never",
    run_detail_days: "never",
    file_days: "never",
    audit_days: "never",
  };

  /** A bot with a thread that has a file. The folder has the time of the machine, which is that of the clock's first day. */
  async function install(retention: Partial<RetentionPolicy>) {
    const clock = createFakeClock(Math.floor(Date.now() / day) * day);
    const bot = createTestApp(scriptedModel(["Done."]), { clock, retention: { ...never, ...retention } });
    const sweep = async (dryRun = false) => {
      const outcome = await clock.advanceUntil(runRetention(bot.app, { dryRun }, asker), 10);
      if (!outcome.ok) throw new Error(outcome.message);
      return outcome.value.counts;
    };
    await sweep();
    await bot.ask("hello");
    await bot.folders.of(home).attach(attached("a.txt", "1"), { turn_id: "t" });
    const isThere = async (where = home) => (await pathsIn(bot.folders.of(where))).length > 0;
    return { ...bot, clock, sweep, isThere };
  }

  it("a thread's folder is deleted with its thread", async () => {
    const { clock, sweep, isThere, stop } = await install({ conversation_days: 30 });
    clock.advance(29 * day);
    expect(await sweep()).toMatchObject({ threads: 0, files: 0 });
    expect(await isThere()).toBe(true);
    clock.advance(2 * day);
    expect(await sweep(true)).toMatchObject({ threads: 1 });
    expect(await isThere()).toBe(true);
    expect(await sweep()).toMatchObject({ threads: 1 });
    expect(await isThere()).toBe(false);
    await stop(0);
  });

  it("a thread's folder is deleted earlier when nothing happened in the thread for as long as files are kept", async () => {
    const { ask, clock, sweep, isThere, stop } = await install({ file_days: 20 });
    clock.advance(19 * day);
    await ask("still there?");
    clock.advance(10 * day);
    expect(await sweep()).toMatchObject({ files: 0 });
    expect(await isThere()).toBe(true);
    clock.advance(11 * day);
    expect(await sweep(true)).toMatchObject({ files: 1 });
    expect(await isThere()).toBe(true);
    expect(await sweep()).toMatchObject({ files: 1, threads: 0 });
    expect(await isThere()).toBe(false);
    await stop(0);
  });

  it("a thread's folder stays while a turn of the thread works", async () => {
    const clock = createFakeClock(Math.floor(Date.now() / day) * day);
    const model = scriptedModel(["never"], { gate: () => new Promise(() => {}) });
    const bot = createTestApp(model, { clock, retention: { ...never, file_days: 1 } });
    await clock.advanceUntil(runRetention(bot.app, { dryRun: false }, asker), 10);
    const turnId = await bot.say("work");
    await bot.until(turnId, "turn_started");
    await runThatWrites(bot.folders.of(home), { "a.txt": "1" });
    clock.advance(3 * day);
    await clock.advanceUntil(runRetention(bot.app, { dryRun: false }, asker), 10);
    expect(await pathsIn(bot.folders.of(home))).toEqual(["/workspace/a.txt"]);
    await bot.stop(0);
  });

  it("a folder without a thread, or with all turns deleted, is deleted when it is a day old", async () => {
    const { ask, log, folders, clock, sweep, isThere, stop } = await install({});
    const stray = { ...home, thread: "stray" };
    const { turnId } = await ask("deleted", stray);
    await log.forget(turnId, "ada", clock.now());
    await runThatWrites(folders.of(stray), { "a.txt": "1" });
    await runThatWrites(folders.of({ ...home, thread: "none" }), { "a.txt": "1" });
    expect(await sweep()).toMatchObject({ files: 0 });
    clock.advance(3 * day);
    expect(await sweep()).toMatchObject({ files: 2 });
    expect([await isThere(stray), await isThere()]).toEqual([false, true]);
    await stop(0);
  });
});

describe("files that are uploaded with a message", () => {
  const file = (name: string, text: string) => ({ name, media_type: "text/plain", data: bytes(text) });

  it("uploaded files are in the thread's folder when the turn reads them, and in no second place", async () => {
    const model = scriptedModel(["Read."]);
    const { app, files, folders, events, log } = createTestApp(model);
    const outcome = await app.submit({
      ...home,
      text: "",
      author: ada,
      files: [file("../a.txt", "the content")],
    });
    if (!outcome.ok) throw new Error(outcome.message);
    const { turn_id } = outcome.value;
    await events(turn_id);
    expect(model.requests[0]?.messages[0]?.text).toContain("the content");
    expect(await textAt(folders.of(home), "input/_a.txt")).toBe("the content");
    const [entry] = await log.read(turn_id);
    const ids = entry?.type === "inbound" ? (entry.inbound.files ?? []).map(({ id }) => id) : [];
    expect(ids).toHaveLength(1);
    for (const id of ids) expect(await files.get(turn_id, id)).toBeUndefined();
  });

  it("uploaded files leave nothing when the message was taken before or is not taken", async () => {
    const { app, files, events, log } = createTestApp(scriptedModel(["Read."]));
    const given = { ...home, text: "go", author: ada, key: "k", files: [file("a.txt", "1")] };
    const first = await app.submit(given);
    if (!first.ok) throw new Error(first.message);
    await events(first.value.turn_id);
    expect(await app.submit(given)).toMatchObject({ ok: true, value: { accepted: false } });
    expect(await app.submit({ ...given, text: "other" })).toMatchObject({ ok: false, code: "key_taken" });
    const accept = log.accept;
    log.accept = () => Promise.reject(new Error("disk full"));
    expect(await app.submit({ ...given, key: "k2" })).toMatchObject({ ok: false, status: 503 });
    log.accept = accept;
    const turns = await Array.fromAsync(files.turns(), ({ turn_id }) => turn_id);
    expect(turns.filter((id) => id !== first.value.turn_id)).toEqual([]);
  });

  it.each([
    ["too many", Array.from({ length: 21 }, () => file("a.txt", "1")), /has 21 files; at most 20/],
    [
      "one that is too large",
      [file("a.txt", "x".repeat(50_000_001))],
      /^a\.txt has .*; the limit for a file is 50\.0 MB/,
    ],
    [
      "too much together",
      Array.from({ length: 3 }, () => file("a.txt", "x".repeat(40_000_000))),
      /have 120\.0 MB together; at most 100\.0 MB/,
    ],
  ])("uploaded files are refused with their message: %s", async (_, files, problem) => {
    const { app, files: store } = createTestApp(scriptedModel(["Read."]));
    const refused = await app.submit({ ...home, text: "go", author: ada, files });
    expect(refused).toMatchObject({ ok: false, status: 413, message: expect.stringMatching(problem) });
    expect(refused).toMatchObject({ message: expect.stringContaining("Nothing was done.") });
    expect(await Array.fromAsync(store.turns())).toEqual([]);
    expect(await app.turns({ ...home })).toEqual([]);
  });
});
