import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { IndexedMessage, MessageIndex } from "../../../src/core/ports/chat-actions.ts";
import { isWithin } from "../../../src/core/values/place.ts";
import { openSqlite } from "../../../src/storage/sqlite/sqlite-connection.ts";
import {
  messageIndexMigrations,
  openSqliteMessageIndex,
} from "../../../src/storage/sqlite/sqlite-message-index.ts";
import { temporaryFolder } from "../../unit/skills/temporary-folder.ts";

const general = "slack:T1:C1";
const zora = { id: "UZORA", name: "Zora" };

function message(reference: string, text: string, more: Partial<IndexedMessage> = {}): IndexedMessage {
  return {
    namespace: general,
    reference,
    author: { id: "U1", name: "Ann" },
    text,
    at: Number(reference),
    ...more,
  };
}

const stores: [string, () => string][] = [
  ["memory", () => ":memory:"],
  ["a file", () => join(temporaryFolder(), "messages.db")],
];

describe.each(stores)("an index of messages in %s", (_name, path) => {
  const open = async (...messages: IndexedMessage[]): Promise<MessageIndex> => {
    const index = await openSqliteMessageIndex(path());
    onTestFinished(() => index.close());
    await index.put(messages);
    return index;
  };
  const find = async (index: MessageIndex, words: string, more: object = {}) =>
    (await index.search(general, { words: words.split(" "), most: 10, ...more })).map(
      ({ reference }) => reference,
    );

  it("a message index finds the beginnings of words in any order, case and accents, latest first", async () => {
    const index = await open(
      message("1", "The Café invoices are late"),
      message("2", "An invoice of the cafe"),
    );
    expect(await find(index, "cafe INVOI")).toEqual(["2", "1"]);
    expect(await find(index, "café late")).toEqual(["1"]);
    expect(await find(index, "nvoice")).toEqual([]);
  });

  it.each(['"', "*", "invoice OR", "NEAR(", "text:invoice", "a\u0000b", "-", "'; DROP TABLE messages; --"])(
    "a message index takes %j for words and never for its own syntax",
    async (words) => {
      const index = await open(message("1", "invoice"));
      await expect(find(index, words)).resolves.toBeDefined();
      expect(await find(index, "invoice")).toEqual(["1"]);
    },
  );

  it("a message index keeps channels apart, and filters by authors and times", async () => {
    const index = await open(
      message("1", "invoice"),
      message("2", "invoice", { namespace: "slack:T1:C2" }),
      message("3", "invoice", { author: { id: "U2", name: "Ben" } }),
    );
    expect(await find(index, "invoice")).toEqual(["3", "1"]);
    expect(await find(index, "invoice", { author: "U2" })).toEqual(["3"]);
    expect(await find(index, "invoice", { since: 2 })).toEqual(["3"]);
    expect(await find(index, "invoice", { until: 2 })).toEqual(["1"]);
  });

  it("a message index follows edits and deletions", async () => {
    const index = await open(message("1", "invoice"), message("2", "invoice"));
    await index.put([message("1", "receipt")]);
    expect(await find(index, "invoice")).toEqual(["2"]);
    expect(await find(index, "receipt")).toEqual(["1"]);
    await index.remove(general, "1");
    expect(await find(index, "receipt")).toEqual([]);
  });

  it("a message index forgets a channel, a time and a person", async () => {
    const messages = ["1", "2", "3"].map((at) => message(at, "invoice"));
    const other = message("4", "invoice", { namespace: "slack:T2:C1" });
    expect(await (await open(...messages, other)).clear(general)).toBe(3);
    const old = await open(...messages, other);
    expect(await old.clearBefore(3, general)).toBe(2);
    expect(await find(old, "invoice")).toEqual(["3"]);
    expect(await (await open(...messages, other)).clearBefore(5)).toBe(4);
    const index = await open(...messages, other);
    const isInT1 = (namespace: string) => isWithin(namespace, "slack", "T1");
    expect(await index.clearAuthor("U1", isInT1, { dryRun: true })).toBe(3);
    expect(await index.clearAuthor("U1", isInT1)).toBe(3);
    expect(await find(index, "invoice")).toEqual([]);
    expect(await index.clearAuthor("U1", () => true)).toBe(1);
  });

  it("a message index says how much it has", async () => {
    const index = await open();
    expect(await index.extent(general)).toEqual({ messages: 0 });
    await index.put([message("5", "a"), message("7", "b")]);
    expect(await index.extent(general)).toEqual({ messages: 2, since: 5, newest: 7 });
  });
});

it("a message index keeps no deleted word, nor one that an earlier version left in it", async () => {
  const path = join(temporaryFolder(), "messages.db");
  const text = (at: number) => (at % 4 === 0 ? `heliotrope ${at}` : `helio something ${at}`);
  const messages = Array.from({ length: 120 }, (_, at) => message(String(at), text(at)));
  const index = await openSqliteMessageIndex(path);
  await index.put(messages.map((each, at) => (at % 4 === 0 ? { ...each, author: zora } : each)));
  expect(await index.clearAuthor(zora.id, () => true)).toBe(30);
  await index.scrub();
  const [found] = await index.search(general, { words: ["helio"], most: 1 });
  expect(found?.text).toBe("helio something 119");
  await index.close();
  const database = new DatabaseSync(path);
  database.exec("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row)");
  const terms = database.prepare("SELECT term FROM temp.terms WHERE term LIKE 'helio%'").all();
  database.close();
  expect(terms).toEqual([{ term: "helio" }]);
  expect(readFileSync(path).includes("heliotrope")).toBe(false);
});

it("a message index of an earlier version is taken over", async () => {
  const path = join(temporaryFolder(), "messages.db");
  const before = await openSqlite(path, messageIndexMigrations.slice(0, 1));
  before.run(
    "INSERT INTO messages (namespace, reference, author_id, author, at, text) VALUES (?, '1', 'U1', 'Ann', 1, ?)",
    ...[general, "an invoice"],
  );
  before.run("INSERT INTO words (rowid, text) VALUES (1, ?)", "an invoice");
  await before.close();
  const index = await openSqliteMessageIndex(path);
  onTestFinished(() => index.close());
  expect(await index.search(general, { words: ["invoice"], most: 5 })).toHaveLength(1);
  await index.remove(general, "1");
  expect(await index.search(general, { words: ["invoice"], most: 5 })).toEqual([]);
});
