import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSqliteMessageIndex } from "../../../src/storage/sqlite/sqlite-message-index.ts";
import { temporaryFolder } from "../../unit/skills/temporary-folder.ts";
import { general, message, messageIndexContract } from "./message-index-contract.ts";

const zora = { id: "UZORA", name: "Zora" };

messageIndexContract("memory", () => openSqliteMessageIndex(":memory:"));
messageIndexContract("a file", () => openSqliteMessageIndex(join(temporaryFolder(), "messages.db")));

it("a message index keeps no deleted word", async () => {
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
