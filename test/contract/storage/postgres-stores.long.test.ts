import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { KeyValue } from "../../../src/core/ports/storage.ts";
import { openPostgres, type PostgresConnection } from "../../../src/storage/postgres/postgres-connection.ts";
import { createPostgresFileStore, fileTables } from "../../../src/storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue, keyValueTables } from "../../../src/storage/postgres/postgres-key-value.ts";
import {
  createPostgresKnowledge,
  knowledgeTables,
} from "../../../src/storage/postgres/postgres-knowledge.ts";
import { createPostgresLeases, leaseTables } from "../../../src/storage/postgres/postgres-leases.ts";
import {
  createPostgresMessageIndex,
  messageTables,
} from "../../../src/storage/postgres/postgres-message-index.ts";
import { postgresFormat } from "../../../src/storage/postgres/postgres-schema.ts";
import { createPostgresTurnLog } from "../../../src/storage/postgres/turn-log/postgres-turn-log.ts";
import { sealKeyValue } from "../../../src/storage/sealed-key-value.ts";
import { createSecretKey } from "../../../src/storage/secret-key.ts";
import { createSharedMutex } from "../../../src/storage/shared-mutex.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { message, messageIndexContract } from "../chat/message-index-contract.ts";
import { ending, entry, inbound, opened } from "../turn-log/turn-log-contract.ts";
import { fileStoreContract } from "./file-store-contract.ts";
import { keyValueContract } from "./key-value-contract.ts";
import { knowledgeContract } from "./knowledge-contract.ts";
import { leasesContract } from "./leases-contract.ts";
import { mutexContract } from "./mutex-contract.ts";

const options = needs("postgresql");

const connect = async (tables: string, schema = freshSchema()): Promise<PostgresConnection> =>
  openPostgres((await testPostgres()).url, { number: 1, tables }, { schema, poolSize: 4 });
/** The same, closed when the test has ended. */
const connectForTest = async (tables: string, schema?: string): Promise<PostgresConnection> => {
  const connection = await connect(tables, schema);
  onTestFinished(() => connection.close());
  return connection;
};

const closing = <T>(connection: PostgresConnection, store: T): T & { close(): Promise<void> } => ({
  ...store,
  close: () => connection.close(),
});

const openKeyValue = async (schema?: string): Promise<KeyValue> => {
  const connection = await connect(keyValueTables, schema);
  return closing(connection, createPostgresKeyValue(connection));
};
const openTwo = (schema = freshSchema()): Promise<[KeyValue, KeyValue]> =>
  Promise.all([openKeyValue(schema), openKeyValue(schema)]);
const secret = createSecretKey("", "a long enough secret");
const seal = (store: KeyValue) => sealKeyValue(store, secret);

keyValueContract("the key-value store in PostgreSQL", openKeyValue, { options, openTwice: openTwo });
keyValueContract("the sealed key-value store in PostgreSQL", async () => seal(await openKeyValue()), {
  options,
  openTwice: async () => {
    const [here, there] = await openTwo();
    return [seal(here), seal(there)];
  },
});

leasesContract(
  "leases in PostgreSQL",
  async () => {
    const connection = await connectForTest(leaseTables);
    let now = 1_000;
    const clock = { now: () => now };
    return {
      one: createPostgresLeases(connection, "one", clock),
      two: createPostgresLeases(connection, "two", clock),
      pass(ms) {
        now += ms;
      },
    };
  },
  options,
);

mutexContract(
  "a mutex on leases in PostgreSQL",
  async () => {
    const connection = await connectForTest(leaseTables);
    const open = (owner: string) => createSharedMutex(createPostgresLeases(connection, owner), systemClock);
    return { one: open("one"), two: open("two") };
  },
  options,
);

const createFileStore = async (schema?: string) =>
  createPostgresFileStore(await connectForTest(fileTables, schema));
fileStoreContract("the file store in PostgreSQL", createFileStore, {
  options,
  createTwice: async () => {
    const schema = freshSchema();
    return [await createFileStore(schema), await createFileStore(schema)];
  },
});

const openMessageIndex = async () => {
  const connection = await connect(messageTables);
  return closing(connection, createPostgresMessageIndex(connection));
};
messageIndexContract("PostgreSQL", openMessageIndex, options);
const openKnowledge = async () => {
  const connection = await connect(knowledgeTables);
  return closing(connection, createPostgresKnowledge(connection));
};
knowledgeContract("PostgreSQL", openKnowledge, options);

describe("the file store in PostgreSQL", options, () => {
  it("a content is stored once, as long as any file has it", async () => {
    const connection = await connectForTest(fileTables);
    const store = createPostgresFileStore(connection);
    const file = (content: string) => ({
      ...{ name: "a.txt", media_type: "text/plain" },
      data: new TextEncoder().encode(content),
    });
    const contents = async () => {
      const rows = await connection.all(
        "SELECT convert_from(data, 'UTF8') AS content FROM blobs ORDER BY data",
      );
      return rows.map(({ content }) => content);
    };
    for (const turn of ["t1", "t2", "t3", "t4"]) await store.put(turn, file("same"));
    await store.put("t1", file("other"), "a.txt");
    expect(await contents()).toEqual(["other", "same"]);
    await store.put("t1", file("same"), "a.txt");
    expect(await contents()).toEqual(["same"]);
    await Promise.all([store.forget("t1"), store.remove("t2", "a.txt"), store.forget("t3")]);
    expect((await store.get("t4", "a.txt"))?.data).toEqual(file("same").data);
    await Promise.all([store.forget("t4"), store.put("t5", file("same"))]);
    expect((await store.get("t5", "a.txt"))?.data).toEqual(file("same").data);
    await store.remove("t5", "a.txt");
    expect(await contents()).toEqual([]);
  });
});

it(
  "all stores of PostgreSQL share one schema, and leave nothing that was deleted in its files",
  options,
  async () => {
    const server = await testPostgres();
    const connection = await openPostgres(server.url, postgresFormat, { schema: freshSchema() });
    onTestFinished(() => connection.close());
    const [keyValue, files] = [createPostgresKeyValue(connection), createPostgresFileStore(connection)];
    const [messages, knowledge] = [
      createPostgresMessageIndex(connection),
      createPostgresKnowledge(connection),
    ];
    const log = createPostgresTurnLog(connection);
    const [gone, kept] = ["heliotrope", "marigold"];
    for (const text of [gone, kept]) {
      await keyValue.set(text, text);
      await files.put(text, {
        name: "a.txt",
        media_type: "text/plain",
        data: new TextEncoder().encode(text),
      });
      await messages.put([message("1", text, { namespace: text })]);
      const turn = `turn-${text === gone ? 1 : 2}`;
      await log.accept(inbound(turn, { text }), turn, 1);
      await log.claim("w:1", 60_000);
      await log.signal(turn, { type: "answer", question_id: "q", text, by: "ada" }, 2);
      await log.append(turn, "w:1", [entry(turn, 1, opened(text)), ending(turn, 2, text)]);
      const document = { title: text, source: text, author: text, by: text, at: 1 };
      await knowledge.add(text, document, [{ text, place: text }]);
    }
    const found = async () => {
      await server.query("CHECKPOINT");
      const paths = await connection.all(
        `SELECT pg_relation_filepath(c.oid) AS path FROM pg_class c, pg_class t
       WHERE t.relnamespace = current_schema::regnamespace AND t.relkind = 'r' AND (c.oid IN (t.oid, t.reltoastrelid)
         OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (t.oid, t.reltoastrelid)))`,
      );
      const content = paths
        .map(({ path }) => readFileSync(join(server.folder, String(path)), "latin1"))
        .join("");
      return [gone, kept].map((word) => content.includes(word));
    };
    await keyValue.delete(gone);
    await files.forget(gone);
    await messages.clear(gone);
    expect(await log.forget("turn-1", "ada", 3)).toBe(true);
    expect(await knowledge.clearAuthor(gone, () => true)).toBe(1);
    expect(await found()).toEqual([true, true]);
    await Promise.all([keyValue.scrub(), messages.scrub(), knowledge.scrub(), log.scrub({ rebuild: true })]);
    await connection.rewrite("files", "blobs");
    expect(await found()).toEqual([false, true]);
  },
);
