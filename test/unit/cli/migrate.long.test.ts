import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { lockDataFolder } from "../../../src/storage/data-folder.ts";
import { createDiskFileStore } from "../../../src/storage/disk-file-store.ts";
import { openKeyValue } from "../../../src/storage/keyv-store.ts";
import { migrateStores } from "../../../src/storage/migrate/migrate-stores.ts";
import { openPostgres, type PostgresConnection } from "../../../src/storage/postgres/postgres-connection.ts";
import { createPostgresFileStore } from "../../../src/storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue } from "../../../src/storage/postgres/postgres-key-value.ts";
import { createPostgresKnowledge } from "../../../src/storage/postgres/postgres-knowledge.ts";
import { createPostgresMessageIndex } from "../../../src/storage/postgres/postgres-message-index.ts";
import { postgresFormat } from "../../../src/storage/postgres/postgres-schema.ts";
import {
  createPostgresTurnLog,
  type PostgresTurnLog,
} from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import { sealKeyValue } from "../../../src/storage/sealed-key-value.ts";
import { createSecretKey } from "../../../src/storage/secret-key.ts";
import { openSqliteKnowledge } from "../../../src/storage/sqlite/sqlite-knowledge.ts";
import { openSqliteMessageIndex } from "../../../src/storage/sqlite/sqlite-message-index.ts";
import { openSqliteTurnLog, type SqliteTurnLog } from "../../../src/storage/sqlite/sqlite-turn-log.ts";
import { ending, entry, inbound, opened } from "../../contract/turn-log/turn-log-contract.ts";
import { needs } from "../../support/needs.ts";
import { freshDatabase, freshSchema, testPostgres } from "../../support/postgres.ts";
import { runKnack } from "./run-knack.ts";

const options = needs("postgresql");
const here = "console:local:general";
const other = "slack:T1:C1";
const bob = { id: "bob", name: "Bob\0", trust: "member" } as const;
const long = { rows: "heliotrope ".repeat(200) };

/** Turns of every status, in several channels; more events than one batch has. */
async function fillTurns(log: SqliteTurnLog): Promise<void> {
  const accept = (id: string, change: Parameters<typeof inbound>[1] = {}) =>
    log.accept(inbound(`key-${id}`, { thread: id, ...change }), id, 1);
  const claim = (id: string) => log.claim(id, 60_000);
  await accept("finished", { text: "What\0 is\u2028this? 🎈" });
  await claim("finished");
  const call = (seq: number) =>
    entry("finished", seq, {
      ...{ type: "tool_finished", call_id: `call ${seq}`, tool: "read", status: "ok" },
      ...{ output: long, duration_ms: 3 },
    });
  const rounds = Array.from({ length: 600 }, (_, at) =>
    entry("finished", at + 10, { type: "round_started", round: at }),
  );
  const usage = entry("finished", 4, {
    ...{ type: "usage", model: "test", input_tokens: 12, output_tokens: 3, cost_usd: 0.1 + 0.2 },
  });
  const start = entry("finished", 1, opened());
  await log.append("finished", "finished", [
    start,
    call(2),
    call(3),
    usage,
    ...rounds,
    ending("finished", 999),
  ]);
  await accept("forgotten", { namespace: other });
  await claim("forgotten");
  await log.append(
    "forgotten",
    "forgotten",
    [call(2), ending("forgotten", 3)].map((event) => ({ ...event, turn_id: "forgotten" })),
  );
  await log.forget("forgotten", "ada", 5);
  await accept("waiting");
  await claim("waiting");
  await log.append("waiting", "waiting", [entry("waiting", 1, { type: "turn_waiting", until: 8e15 })]);
  await accept("woken", { author: bob });
  await claim("woken");
  await log.append("woken", "woken", [entry("woken", 1, { type: "turn_waiting", until: 8e15 })]);
  await accept("running", { namespace: other });
  await claim("running");
  await accept("behind-woken", { thread: "woken", author: bob });
  await accept("queued", { namespace: other, thread: "running" });
  const cause = { by: "ada", because: "every day", schedule: "s1" };
  await accept("caused", { namespace: other, thread: "running", cause } as never);
  await accept("command", { kind: "command", namespace: other });
  await log.signal("waiting", { type: "stop", by: "ada" }, 7);
  await log.due.add({ id: "s1", namespace: here, kind: "schedule", due_at: 5_000, value: { text: "tea" } });
  await log.due.add({ id: "s2", namespace: other, kind: "trigger", value: { on: ["a", 1e21] } });
}

/** A data folder that a bot has left in the middle of its work. */
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "knack-migrate-"));
  const at = (name: string) => join(folder, name);
  const log = await openSqliteTurnLog(at("turns.db"));
  await fillTurns(log);
  await log.close();
  const state = await openKeyValue(at("state.db"));
  await state.set("memory:ada", { tea: "green\0", n: 12 });
  await state.set("lease:bot", { owner: "me", until: 3 });
  await sealKeyValue(state, createSecretKey(folder, undefined)).set("token:mcp", "secret");
  await state.close();
  const knowledge = await openSqliteKnowledge(at("knowledge.db"));
  const add = (source: string, ...texts: string[]) =>
    knowledge.add(
      here,
      { title: `Title of ${source}`, source, author: "ada", by: "Ada", at: 4 },
      texts.map((text, place) => ({
        ...{ text, place: `page ${place}`, model: "m" },
        vector: Float32Array.from([place, 0.5, Math.fround(0.1)]),
      })),
    );
  await add("a.txt", "The kettle boils", "東京都に住んでいます");
  await knowledge.remove(here, [(await add("gone.txt", "nothing")).id]);
  await knowledge.close();
  const index = await openSqliteMessageIndex(at("messages.db"));
  await index.put([
    { namespace: here, reference: "1", author: bob, at: 10.5, text: "Café au lait" },
    { namespace: other, reference: "1", thread: "t", author: bob, at: 11, text: "tea\0time" },
  ]);
  await index.close();
  const files = createDiskFileStore(at("files"));
  for (const turn of ["finished", "running"])
    await files.put(turn, { name: "a b.txt", media_type: "text/plain", data: Buffer.from("same") });
  await files.put("running", {
    name: "b.bin",
    media_type: "application/zip",
    data: Buffer.alloc(5_000_000, 7),
  });
  return folder;
}

/** The content of the databases of a folder. */
async function sumOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".db") && each !== "lock.db"))
    hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest("hex");
}

/** A connection to the schema that the command uses, or to a new one. */
const connect = async (url?: string): Promise<PostgresConnection> => {
  const connection =
    url === undefined
      ? await openPostgres((await testPostgres()).url, postgresFormat, { schema: freshSchema() })
      : await openPostgres(url, postgresFormat);
  onTestFinished(() => connection.close());
  return connection;
};

/** What readers of a turn log see. */
async function seenIn(log: SqliteTurnLog | PostgresTurnLog) {
  const turns = await log.list({ limit: 100 });
  return {
    turns,
    events: await Promise.all(turns.map(({ turn_id }) => log.read(turn_id))),
    signals: await Promise.all(turns.map(({ turn_id }) => log.signals(turn_id))),
    found: await Promise.all(turns.map(({ turn_id }) => log.find(`key-${turn_id}`))),
    steering: await log.steering("woken"),
    // PostgreSQL stores no U+0000 in titles.
    threads: [...(await log.threads(here)), ...(await log.threads(other))].map((thread) => ({
      ...thread,
      title: thread.title.replaceAll("\0", "\ufffd"),
    })),
    deletions: await log.deletions({ namespace: other, thread: "forgotten" }),
    due: await log.due.list({}),
    usage: await log.usage({ since: 0 }),
    backlog: { ...(await log.backlog()), oldest_at: 0 },
  };
}

/** What the first bot takes up, in order. */
async function takenUp(log: SqliteTurnLog | PostgresTurnLog) {
  await log.reclaim();
  const claims = [];
  for (let at = 0; ; at += 1) {
    const claim = await log.claim(`w${at}`, 60_000);
    if (claim === undefined) return claims;
    // Who stops a bot on SQLite too hard lets its turns be blamed; whoever claims on the target knows nothing of that bot.
    const { lease: _lease, crashes: _crashes, last_seq, ...rest } = claim;
    // SQLite reserves numbers for turns that did not run, too.
    claims.push(claim.turn_id === "running" ? { ...rest, last_seq } : rest);
  }
}

describe("`knack migrate`", options, () => {
  let folder: string;
  let copy: string;
  beforeAll(async () => {
    folder = await createFolder();
    copy = `${folder}-copy`;
    await cp(folder, copy, { recursive: true });
  });
  afterAll(async () => {
    for (const each of [folder, copy]) await rm(each, { recursive: true, force: true });
  });
  const migrate = async (url: string) => {
    const { code, out, err } = runKnack(["migrate", "--to", url], {
      cwd: folder,
      now: () => 1_000,
      env: { KNACK_DATA: folder },
    });
    return { code: await code, out: out.text(), err: err.text() };
  };
  const interrupted = (connection: PostgresConnection, steps: number) => {
    let left = steps;
    const progress = () => {
      left -= 1;
      if (left === 0) throw new Error("killed");
    };
    return migrateStores({ folder, source: "folder", connection, now: () => 9, progress });
  };

  it("a migration copies everything, leaves the source alone, and a second one does nothing", async () => {
    const before = await sumOf(folder);
    const url = await freshDatabase();
    const first = await migrate(url);
    expect(first).toMatchObject({ code: 0, err: "", out: expect.stringContaining("events of turns: 6") });
    expect(first.out).toContain("secret.key");
    expect(await sumOf(folder)).toBe(before);

    const connection = await connect(url);
    const log = createPostgresTurnLog(connection);
    const source = await openSqliteTurnLog(join(copy, "turns.db"));
    onTestFinished(() => source.close());
    const seen = await seenIn(source);
    expect(seen.turns).toHaveLength(9);
    expect(await seenIn(log)).toEqual(seen);

    const state = createPostgresKeyValue(connection);
    expect(await Array.fromAsync(state.keys("m"))).toEqual(["memory:ada", "migration"]);
    expect(await state.get("memory:ada")).toEqual({ tea: "green\0", n: 12 });
    expect(await state.get("lease:bot")).toBeUndefined();
    expect(await sealKeyValue(state, createSecretKey(folder, undefined)).get("token:mcp")).toBe("secret");

    const knowledge = createPostgresKnowledge(connection);
    const [document] = await knowledge.list(here);
    expect(document).toMatchObject({ id: 1, title: "Title of a.txt", pieces: 2, at: 4 });
    const texts = await Array.fromAsync(knowledge.read(here, 1));
    expect(texts.map(({ text }) => text)).toEqual(["The kettle boils", "東京都に住んでいます"]);
    const vector = Float32Array.from([0, 1, 0]);
    for (const query of [{ words: "kettles" }, { words: "title" }, { words: "", vector, model: "m" }])
      expect(await knowledge.search(here, { ...query, most: 5 })).not.toEqual([]);
    const document2 = { title: "", source: "new", author: "", by: "", at: 1 };
    expect((await knowledge.add(here, document2, [])).id).toBe(3);

    const index = createPostgresMessageIndex(connection);
    expect(await index.search(here, { words: ["cafe"], most: 5 })).toMatchObject([{ at: 10.5 }]);
    expect(await index.search(other, { words: ["time"], most: 5 })).toMatchObject([{ thread: "t" }]);

    const files = createPostgresFileStore(connection);
    const disk = createDiskFileStore(join(copy, "files"));
    for (const [turn, name] of [
      ["finished", "a b.txt"],
      ["running", "a b.txt"],
      ["running", "b.bin"],
    ] as const)
      expect(await files.get(turn, name)).toEqual(await disk.get(turn, name));

    const again = await migrate(url);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining("Nothing was changed") });
    expect(first.out + first.err + again.out + again.err).not.toContain(new URL(url).password);

    expect(await takenUp(log)).toEqual(await takenUp(source));
    await log.accept(inbound("new"), "new", 1);
    expect((await log.claim("w", 1_000))?.ordinal).toBe(10);
    const known = await log.accept(
      inbound("key-queued", { namespace: other, thread: "running" }),
      "again",
      1,
    );
    expect(known).toEqual({ turn_id: "queued", accepted: false });
  });

  it("a migration that ends anywhere continues, and the result is the same", async () => {
    const source = await openSqliteTurnLog(join(copy, "turns.db"));
    onTestFinished(() => source.close());
    for (let steps = 1; ; steps += 6) {
      const connection = await connect();
      const first = await interrupted(connection, steps).catch((error: Error) => error.message);
      if (typeof first !== "string") break;
      expect(first).toBe("killed");
      const seen: string[] = [];
      const progress = (what: string, done: number) => void seen.push(`${what} ${done}`);
      const resumed = { folder, source: "folder", connection, now: () => 9, progress };
      expect(await migrateStores(resumed)).toMatchObject({ known: false, rows: { turns: 9, files: 3 } });
      expect(seen.includes("turns 9")).toBe(false);
      expect((await seenIn(createPostgresTurnLog(connection))).turns).toHaveLength(9);
    }
  });

  it("no bot starts on a target whose migration has not finished", async () => {
    const url = await freshDatabase();
    const connection = await connect(url);
    await expect(interrupted(connection, 3)).rejects.toThrow("killed");
    const { openStores } = await import("../../../src/wiring/open-stores.ts");
    const { systemClock } = await import("../../../src/wiring/system-clock.ts");
    const closers: (() => Promise<unknown>)[] = [];
    const opening = { closers, upgraded: () => {}, warn: () => {} };
    const self = { role: "all", id: "one", version: "1" } as const;
    const config = { data: { folder: copy, database_url: url } } as never;
    await expect(openStores(config, systemClock, opening, self)).rejects.toThrow("has not finished");
    for (const close of closers.reverse()) await close();
  });

  it("a difference is reported with its thread, and the next migration copies everything anew", async () => {
    const connection = await connect();
    await expect(interrupted(connection, 4)).rejects.toThrow("killed");
    await connection.run("UPDATE events SET body = replace(body, '150', '151') WHERE seq = 160");
    await expect(interrupted(connection, 0)).rejects.toThrow(`The thread finished of ${here} differs`);
    expect(await interrupted(connection, 0)).toMatchObject({ known: false, rows: { turns: 9 } });
  });

  it("a target with other data, or of another folder, is refused", async () => {
    const url = await freshDatabase();
    const connection = await connect(url);
    await createPostgresKeyValue(connection).set("mine", 1);
    const refused = await migrate(url);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("has data already (kv)") });
    expect(refused.err).not.toContain(new URL(url).password);
    const second = await connect();
    await interrupted(second, 0);
    const { now } = Date;
    await expect(
      migrateStores({ folder: copy, source: "copy", connection: second, now, progress: () => {} }),
    ).rejects.toThrow("of another data folder");
  });

  it("a folder that a bot uses, and a folder without data, are refused", async () => {
    const lock = await lockDataFolder(folder);
    if ("holder" in lock) throw new Error("locked");
    await lock.publish({ url: "http://127.0.0.1:1", pid: 4711 });
    const url = await freshDatabase();
    expect(await migrate(url)).toMatchObject({ code: 1, err: expect.stringContaining("process 4711") });
    await lock.release();
    const cwd = await mkdtemp(join(tmpdir(), "knack-migrate-"));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const run = (env: Record<string, string>) => runKnack(["migrate"], { cwd, env });
    const none = run({ DATABASE_URL: url, KNACK_DATA: "nowhere" });
    expect([await none.code, none.err.text()]).toEqual([1, expect.stringContaining("no data folder")]);
    for (const name of ["turns", "state", "knowledge", "messages"])
      await writeFile(join(cwd, `${name}.db`), "");
    const old = run({ DATABASE_URL: url, KNACK_DATA: cwd });
    expect([await old.code, old.err.text()]).toEqual([
      1,
      expect.stringContaining("has format 0, and this version"),
    ]);
    const nowhere = run({});
    expect([await nowhere.code, nowhere.err.text()]).toEqual([2, expect.stringContaining("--to")]);
    const wrong = runKnack(["migrate", "--to", "mysql://u:s3cret@h/d"], { cwd, env: {} });
    expect([await wrong.code, wrong.err.text()]).toEqual([2, expect.not.stringContaining("s3cret")]);
  });
});
