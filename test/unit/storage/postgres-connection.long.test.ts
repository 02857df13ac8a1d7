import { describe, expect, it, onTestFinished } from "vitest";
import type { Upgrade } from "../../../src/core/ports/storage.ts";
import {
  openPostgres,
  type PostgresConnection,
  type PostgresOptions,
} from "../../../src/storage/postgres/postgres-connection.ts";
import { channelName } from "../../../src/storage/postgres/postgres-listener.ts";
import { createSchemaCopies } from "../../../src/storage/postgres/postgres-schema.ts";
import { StorageError } from "../../../src/storage/storage-error.ts";
import type { StoreFormat } from "../../../src/storage/store-format.ts";
import type { Value } from "../../../src/storage/tables.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";

const words1 = "CREATE TABLE words (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, word text UNIQUE)";
const tables: StoreFormat = { number: 1, tables: words1 };
/** An invented later format. */
const later = (...steps: string[]): StoreFormat => ({
  number: steps.length + 1,
  tables: [words1, ...steps].join(";"),
  steps,
});

const open = async (
  format: StoreFormat = tables,
  options: PostgresOptions & { url?: string } = {},
): Promise<PostgresConnection> => {
  const { url } = await testPostgres();
  const connection = await openPostgres(options.url ?? url, format, {
    schema: freshSchema(),
    ...options,
  });
  onTestFinished(() => connection.close());
  return connection;
};
const failure = (work: Promise<unknown>) =>
  work.then(() => undefined).catch((error: unknown) => error as Error & { code?: string });
const words = async (connection: PostgresConnection) =>
  (await connection.all("SELECT word FROM words ORDER BY id")).map(({ word }) => word);
const add = (connection: Pick<PostgresConnection, "run">, word: string) =>
  connection.run("INSERT INTO words (word) VALUES ($1)", word);

describe("a connection to PostgreSQL", needs("postgresql"), () => {
  it("a connection runs statements and keeps what was stored", async () => {
    const connection = await open();
    expect(await add(connection, "ключ 🎉")).toBe(1);
    expect(await connection.get("SELECT id, word FROM words")).toEqual({ id: 1, word: "ключ 🎉" });
    expect(await connection.get("SELECT id FROM words WHERE word = $1", "none")).toBeUndefined();
    expect(await connection.all("SELECT word FROM words WHERE id = ANY ($1)", [1, 2])).toHaveLength(1);
  });

  it.each<[string, Value, unknown]>([
    ["bytea", new Uint8Array([0, 255]), Buffer.from([0, 255])],
    ["json", "[1.10]", "[1.10]"],
    ["bigint", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ["double precision", 1_700_000_000_000.25, 1_700_000_000_000.25],
    ["text", null, null],
    ["text[]", ["a,b", '"{}\\', null], ["a,b", '"{}\\', null]],
    ["bytea[]", [new Uint8Array([7]), null], [Buffer.from([7]), null]],
  ])("a connection takes and gives values of the type %s", async (type, value, expected) => {
    const connection = await open();
    expect(await connection.get(`SELECT $1::${type} AS value`, value)).toEqual({ value: expected });
  });

  it("a connection reads numbers of stored JSON exactly", async () => {
    const connection = await open();
    const text = '[12345678901234567890,0.1000000000000000055,1e400,"\\u0000\\ud800"]';
    await add(connection, text);
    const [stored] = await words(connection);
    expect(JSON.stringify(connection.parse(stored))).toBe(text);
    expect(() => connection.parse("{")).toThrow(StorageError);
  });

  it("a transaction stores everything or nothing, and gives its connection back", async () => {
    const connection = await open(tables, { poolSize: 1 });
    const failing = connection.transaction(async (session) => {
      await add(session, "gone");
      throw new RangeError("no");
    });
    await expect(failing).rejects.toThrow(RangeError);
    const stored = await connection.transaction(async (session) => {
      await add(session, "a");
      await add(session, "b");
      return "stored";
    });
    expect(stored).toBe("stored");
    expect(await words(connection)).toEqual(["a", "b"]);
  });

  it("a transaction that ignores the error of a statement does not pretend to be stored", async () => {
    const connection = await open();
    const ignoring = connection.transaction(async (session) => {
      await add(session, "a");
      await session.run("SELECT 1 / 0").catch(() => {});
    });
    await expect(ignoring).rejects.toThrow("nothing was stored");
    expect(await words(connection)).toEqual([]);
  });

  it("transactions that wait for each other both succeed", async () => {
    const connection = await open();
    for (const word of ["a", "b"]) await add(connection, word);
    const both = Promise.withResolvers<void>();
    let started = 0;
    const change = (first: string, second: string) =>
      connection.transaction(async (session) => {
        await session.run("UPDATE words SET word = word || '!' WHERE word LIKE $1 || '%'", first);
        started += 1;
        if (started === 2) both.resolve();
        await both.promise;
        await session.run("UPDATE words SET word = word || '!' WHERE word LIKE $1 || '%'", second);
      });
    await Promise.all([change("a", "b"), change("b", "a")]);
    expect(started).toBe(3);
    expect((await words(connection)).toSorted()).toEqual(["a!!", "b!!"]);
  });

  it("a closed connection says so", async () => {
    const connection = await open();
    await Promise.all([connection.close(), connection.close()]);
    expect(await failure(add(connection, "a"))).toMatchObject({ code: "unavailable" });
    expect(await failure(connection.listen("bell", () => {}))).toMatchObject({ code: "unavailable" });
  });
});

describe("messages between processes", needs("postgresql"), () => {
  const pair = async () => {
    const schema = freshSchema();
    return [await open(tables, { schema }), await open(tables, { schema })] as const;
  };
  /** Listens, and resolves with the next messages. */
  const ear = () => {
    const heard: (string | undefined)[] = [];
    let rung = Promise.withResolvers<void>();
    const listener = (message: string | undefined) => {
      heard.push(message);
      rung.resolve();
      rung = Promise.withResolvers<void>();
    };
    const until = async (...wanted: (string | undefined)[]) => {
      while (heard.length < wanted.length) await rung.promise;
      expect(heard.splice(0, wanted.length)).toEqual(wanted);
    };
    return { listener, until, heard };
  };

  it("a message reaches who listens to its channel in this schema, when its transaction commits", async () => {
    const [here, there] = await pair();
    const elsewhere = await open();
    const [bell, other, outside] = [ear(), ear(), ear()];
    await here.listen("bell", bell.listener);
    await here.listen("other", other.listener);
    await elsewhere.listen("bell", outside.listener);
    await there.transaction(async (session) => {
      await session.notify("bell", "first");
      await there.notify("bell", "second");
    });
    await there.run("SELECT pg_notify($1, '')", channelName(here.schema, "other"));
    await bell.until("second", "first");
    await other.until("");
    expect(outside.heard).toEqual([]);
  });

  it("a listener that was taken back hears nothing more, others of the channel do", async () => {
    const [here, there] = await pair();
    const [one, other] = [ear(), ear()];
    const stop = await here.listen("bell", one.listener);
    const stopOther = await here.listen("bell", other.listener);
    await stop();
    await there.notify("bell", "a");
    await other.until("a");
    await stopOther();
    const again = ear();
    await here.listen("bell", again.listener);
    await there.notify("bell", "b");
    await again.until("b");
    expect([one.heard, other.heard]).toEqual([[], []]);
  });

  it("a message of 8,000 bytes is refused, and a shorter one arrives", async () => {
    const [here, there] = await pair();
    const { listener, until } = ear();
    await here.listen("bell", listener);
    await expect(there.notify("bell", "é".repeat(4_000))).rejects.toThrow(RangeError);
    await there.notify("bell", "x".repeat(7_999));
    await until("x".repeat(7_999));
    await expect(here.listen("x".repeat(60), listener)).rejects.toThrow(RangeError);
  });

  it("a listener hears that it may have missed messages after its connection was cut, and hears the next", async () => {
    const [here, there] = await pair();
    const { listener, until } = ear();
    await here.listen("bell", listener);
    const { query } = await testPostgres();
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN "${here.schema}.%'`,
    );
    await until(undefined);
    await there.notify("bell", "next");
    await until("next");
  });

  it("a listener that missed messages hears so before it hears the next, however many channels it has", async () => {
    const [here, there] = await pair();
    const { listener, heard } = ear();
    await here.listen("bell", listener);
    for (let at = 0; at < 100; at += 1) await here.listen(`other-${at}`, () => {});
    const { query } = await testPostgres();
    const cut = query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN "${here.schema}.%'`,
    );
    for (let sent = 1; !heard.includes(undefined); sent += 1) await there.notify("bell", String(sent));
    await cut;
    const before = heard.slice(0, heard.indexOf(undefined));
    expect(before).toEqual(before.map((_, at) => String(at + 1)));
  });
});

describe("a server that ends", needs("postgresql"), () => {
  it("the next call works after the server was restarted, and listening goes on", async () => {
    const connection = await open(tables, { schema: freshSchema(), patienceMs: 10_000 });
    const missed = Promise.withResolvers<string | undefined>();
    await connection.listen("bell", missed.resolve);
    await Promise.all(["a", "b", "c"].map((word) => add(connection, word)));
    const server = await testPostgres();
    await server.stop();
    // It waits for the server, which is started meanwhile.
    const [stored] = await Promise.all([add(connection, "d"), server.start()]);
    expect(stored).toBe(1);
    expect(await missed.promise).toBeUndefined();
    expect(await words(connection)).toHaveLength(4);
  });

  it("a read whose connection is cut is repeated, and a write is not", async () => {
    const [connection, server] = [await open(), await testPostgres()];
    const cutBlocked = async () => {
      const blocked = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      while ((await server.query(blocked)).length === 0);
    };
    const results = await connection.transaction(async (session) => {
      await add(session, "kept");
      await session.run("LOCK TABLE words");
      const writing = failure(add(connection, "unknown"));
      await cutBlocked();
      const unknown = await writing;
      const reading = words(connection);
      await cutBlocked();
      return { reading, unknown };
    });
    expect(await results.reading).toEqual(["kept"]);
    expect(results.unknown).toMatchObject({ code: "unavailable" });
    expect(await words(connection)).toEqual(["kept"]);
  });

  it("a transaction whose connection is cut stores nothing, and the next one works", async () => {
    const connection = await open(tables, { poolSize: 1 });
    const server = await testPostgres();
    const cut = connection.transaction(async (session) => {
      await add(session, "gone");
      const pid = (await session.get("SELECT pg_backend_pid() AS pid"))?.pid;
      await server.query(`SELECT pg_terminate_backend(${Number(pid)}, 5000)`);
      await add(session, "gone too");
    });
    expect(await failure(cut)).toMatchObject({ name: "Error", code: "unavailable" });
    await add(connection, "stays");
    expect(await words(connection)).toEqual(["stays"]);
  });
});

describe("a database that cannot be used", needs("postgresql"), () => {
  const refused = async (change: (url: URL) => void, options: PostgresOptions = {}) => {
    const url = new URL((await testPostgres()).url);
    url.password = "pa%24sword-of-nobody";
    change(url);
    const error = await failure(open(tables, { url: url.href, patienceMs: 100, ...options }));
    const texts = JSON.stringify([error?.message, error?.stack, error?.cause, String(error?.cause)]);
    expect(texts).not.toMatch(/sword-of-nobody/);
    return error;
  };

  it.each<[string, (url: URL) => void, RegExp]>([
    [
      "a wrong password",
      () => {},
      /postgres on 127\.0\.0\.1:\d+ refused the login\. Check the user and password/,
    ],
    [
      "a port where nothing listens",
      (url) => (url.port = "1"),
      /cannot be reached\. Check that the server runs/,
    ],
    [
      "an unknown host",
      (url) => (url.hostname = "database.invalid"),
      /postgres on database\.invalid:\d+ cannot be reached/,
    ],
  ])("a connection with %s is refused with what to check", async (_name, change, expected) => {
    const error = await refused(change);
    expect(error).toBeInstanceOf(StorageError);
    expect(error?.message).toMatch(expected);
    expect(error?.code).toBe("unavailable");
  });

  it.each([
    "mysql://a:pass-word@host/knack",
    "a:pass-word@host",
    "postgresql://a:pass-word@host:port/knack",
    "postgresql://a:1/pass-word@host/knack",
    "postgresql://a:1?pass-word@host/knack",
  ])("an address that is not valid is refused without repeating it: %s", async (url) => {
    const error = await failure(open(tables, { url }));
    expect(error?.message).toMatch(/Write DATABASE_URL as postgresql:/);
    expect(JSON.stringify([error?.message, error?.stack, error?.cause])).not.toContain("pass-word");
  });

  it("a missing database is reported with how to create it", async () => {
    const { url } = await testPostgres();
    const error = await failure(open(tables, { url: url.replace(/postgres$/, "nowhere") }));
    expect(error?.message).toMatch(/There is no database nowhere on 127.*createdb/);
  });

  it("a database of another encoding is refused", async () => {
    const { url, query } = await testPostgres();
    await query("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    const error = await failure(open(tables, { url: url.replace(/postgres$/, "latin") }));
    expect(error?.message).toMatch(/stores text as LATIN1.*UTF8/);
  });

  it("a user without rights, and a database that only takes reads, are reported", async () => {
    const { url, query } = await testPostgres();
    await query("CREATE ROLE reader LOGIN PASSWORD 'reads'");
    const reader = url.replace(/knack:[^@]+/, "reader:reads");
    expect((await failure(open(tables, { url: reader })))?.message).toMatch(/lacks a right/);
    const schema = freshSchema();
    const before = await open(tables, { schema });
    const setting = "ALTER DATABASE postgres SET default_transaction_read_only =";
    await query(`${setting} on`);
    onTestFinished(async () => {
      await query("SET default_transaction_read_only = off", `${setting} off`);
    });
    const error = await failure(open(tables, { schema }));
    expect(error?.message).toMatch(/takes no changes: it is a standby/);
    expect(await words(before)).toEqual([]);
  });

  it("a server without a free connection is reported", async () => {
    const { url, query } = await testPostgres();
    await query("CREATE ROLE crowd LOGIN PASSWORD 'full' CONNECTION LIMIT 0");
    const error = await failure(open(tables, { url: url.replace(/knack:[^@]+/, "crowd:full") }));
    expect(error?.message).toMatch(/has no connection left\. Raise its max_connections/);
  });

  it("a wrong statement is no fault of the database", async () => {
    const connection = await open();
    const error = await failure(connection.run("SELECT nothing FROM nowhere"));
    expect(error).not.toBeInstanceOf(StorageError);
    expect(error?.message).toContain("nowhere");
  });
});

describe("an upgrade of a schema", needs("postgresql"), () => {
  const second = "ALTER TABLE words ADD COLUMN size integer GENERATED ALWAYS AS (length(word)) STORED";
  const third = "CREATE TABLE more (id integer)";

  it("a schema is made by one of several processes that start at once", async () => {
    const schema = freshSchema();
    const both = await Promise.all([1, 2, 3].map(() => open(later(second), { schema })));
    for (const [at, each] of both.entries()) await add(each, String(at));
    expect(await words(both[0] as PostgresConnection)).toEqual(["0", "1", "2"]);
  });

  it("an upgrade is done by one of two processes, after a copy that can be used again", async () => {
    const schema = freshSchema();
    const before = await open(tables, { schema });
    for (const word of ["a", "b", "gone"]) await add(before, word);
    await before.run("DELETE FROM words WHERE word = 'gone'");
    const upgrades: Upgrade[] = [];
    const upgraded = (upgrade: Upgrade) => void upgrades.push(upgrade);
    const [after] = await Promise.all([1, 2].map(() => open(later(second, third), { schema, upgraded })));
    const copy = `${schema}_copy_v1`;
    expect(upgrades).toEqual([{ path: before.place, from: 1, to: 3, copy }]);
    await add(after as PostgresConnection, "after");
    const { query } = await testPostgres();
    await query(`DROP SCHEMA ${schema} CASCADE`, `ALTER SCHEMA ${copy} RENAME TO ${schema}`);
    const back = await open(tables, { schema });
    await add(back, "again");
    expect(await back.all("SELECT id, word FROM words ORDER BY id")).toEqual([
      { id: 1, word: "a" },
      { id: 2, word: "b" },
      { id: 4, word: "again" },
    ]);
    await expect(add(back, "a")).rejects.toThrow(/duplicate key/);
  });

  it("a step that fails leaves the schema as it was", async () => {
    const schema = freshSchema();
    const before = await open(tables, { schema });
    await add(before, "a");
    await expect(open(later(second, "CREATE TABLE words ()"), { schema })).rejects.toThrow(/already exists/);
    const { query } = await testPostgres();
    expect(await query(`SELECT 1 FROM pg_namespace WHERE nspname LIKE '${schema}_copy%'`)).toEqual([]);
    expect(await words(await open(tables, { schema }))).toEqual(["a"]);
  });

  it("tables without a format are refused and stay as they are", async () => {
    const schema = freshSchema();
    await open(tables, { schema });
    const { query } = await testPostgres();
    await query(`DROP TABLE ${schema}.formats`);
    const error = await failure(open(later(second), { schema }));
    expect(error).toMatchObject({ code: "other_format" });
    expect(error?.message).toContain(`has format 0, and this version of Knack reads 2`);
    expect(await query(`SELECT 1 FROM pg_tables WHERE schemaname = '${schema}'`)).toHaveLength(1);
  });

  it("a newer schema is refused, with the newest copy that this program can read", async () => {
    const schema = freshSchema();
    await open(tables, { schema });
    await open(later(second), { schema });
    const newest = await open(later(second, third), { schema });
    const error = await failure(open(tables, { schema }));
    expect(error).toMatchObject({ code: "other_format" });
    expect(error?.message).toContain(`The schema ${schema} of the database`);
    expect(error?.message).toContain(`The schema ${schema}_copy_v1 is a copy from before the upgrade`);
    expect((await failure(open(later(second), { schema })))?.message).toContain(`${schema}_copy_v2`);
    const copies = createSchemaCopies(newest);
    const both = [`${schema}_copy_v1`, `${schema}_copy_v2`];
    expect(await copies.remove({ before: Date.now() - 60_000 })).toEqual([]);
    expect(await copies.remove({ dryRun: true })).toEqual(both);
    expect(await copies.remove()).toEqual(both);
    expect(await copies.remove()).toEqual([]);
    expect((await failure(open(tables, { schema })))?.message).not.toContain("copy from before");
    const { query } = await testPostgres();
    expect(await query(`SELECT 1 FROM pg_namespace WHERE nspname LIKE '${schema}_copy%'`)).toEqual([]);
  });

  it("a schema that the operator made is used, without the right to make others", async () => {
    const { url, query } = await testPostgres();
    const schema = freshSchema();
    await query(
      `CREATE ROLE ${schema} LOGIN PASSWORD 'own'; CREATE SCHEMA ${schema} AUTHORIZATION ${schema}`,
    );
    const connection = await open(tables, { schema, url: url.replace(/knack:[^@]+/, `${schema}:own`) });
    expect(await add(connection, "a")).toBe(1);
  });

  it("a schema may have any name", async () => {
    const connection = await open(tables, { schema: `Мой "schema"; --` });
    await add(connection, "a");
    const heard = Promise.withResolvers<string | undefined>();
    await connection.listen("bell", heard.resolve);
    await connection.notify("bell", "rings");
    expect(await heard.promise).toBe("rings");
    await open(later(second), { schema: connection.schema });
    expect(await createSchemaCopies(connection).remove()).toEqual([`Мой "schema"; --_copy_v1`]);
  });
});
