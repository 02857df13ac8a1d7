import { describe, expect, it, onTestFinished } from "vitest";
import type { KeyValue } from "../../../src/core/ports/storage.ts";
import { openPostgres, type PostgresConnection } from "../../../src/storage/postgres/postgres-connection.ts";
import { createPostgresFileStore, fileTables } from "../../../src/storage/postgres/postgres-file-store.ts";
import { createPostgresKeyValue, keyValueTables } from "../../../src/storage/postgres/postgres-key-value.ts";
import { sealKeyValue } from "../../../src/storage/sealed-key-value.ts";
import { createSecretKey } from "../../../src/storage/secret-key.ts";
import { needs } from "../../support/needs.ts";
import { freshSchema, testPostgres } from "../../support/postgres.ts";
import { fileStoreContract } from "./file-store-contract.ts";
import { keyValueContract } from "./key-value-contract.ts";

const options = needs("postgresql");

const connect = async (tables: string, schema = freshSchema()): Promise<PostgresConnection> =>
  openPostgres((await testPostgres()).url, [tables], { schema, poolSize: 4 });
/** The same, closed when the test has ended. */
const connectForTest = async (tables: string, schema?: string): Promise<PostgresConnection> => {
  const connection = await connect(tables, schema);
  onTestFinished(() => connection.close());
  return connection;
};

const openKeyValue = async (schema?: string): Promise<KeyValue> => {
  const connection = await connect(keyValueTables, schema);
  return { ...createPostgresKeyValue(connection), close: () => connection.close() };
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

const createFileStore = async (schema?: string) =>
  createPostgresFileStore(await connectForTest(fileTables, schema));
fileStoreContract("the file store in PostgreSQL", createFileStore, {
  options,
  createTwice: async () => {
    const schema = freshSchema();
    return [await createFileStore(schema), await createFileStore(schema)];
  },
});

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
