import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteKnowledge } from "../../../src/storage/sqlite/sqlite-knowledge.ts";
import { createMemoryKnowledge } from "../../support/fakes/memory-stores.ts";
import { temporaryFolder } from "../../unit/skills/temporary-folder.ts";
import { knowledgeContract } from "./knowledge-contract.ts";

knowledgeContract("memory", async () => createMemoryKnowledge());
knowledgeContract("a file", () => openSqliteKnowledge(join(temporaryFolder(), "knowledge.db")));

it("knowledge leaves no word of a forgotten person's document in the files", async () => {
  const path = join(temporaryFolder(), "knowledge.db");
  const knowledge = await openSqliteKnowledge(path);
  const document = { title: "Zebracrossing", source: "z", author: "U1", by: "Xylophona", at: 1 };
  await knowledge.add("slack:T1:C1", document, [{ text: "the wombat sleeps", place: "quokkaplace" }]);
  await knowledge.add("slack:T1:C1", { ...document, source: "y", author: "U2", by: "Ben", title: "t" }, [
    { text: "something else", place: "" },
  ]);
  expect(await knowledge.clearAuthor("U1", () => true)).toBe(1);
  const bytes = () => [path, `${path}-wal`].map((file) => readFileSync(file, "latin1")).join("");
  const found = ["wombat", "Zebra", "zebra", "Xylo", "quokka", "something else"];
  expect(found.filter((word) => bytes().includes(word))).toEqual(["something else"]);
  await knowledge.close();
});
