import { describe, expect, it, onTestFinished, type TestOptions } from "vitest";
import type { Knowledge, KnownPiece } from "../../../src/core/ports/services.ts";
import { isWithin } from "../../../src/core/values/place.ts";

/** A store that is closed when it can be. */
export type OpenKnowledge = () => Promise<Knowledge & { close?(): Promise<void> }>;

const here = "slack:T1:C1";
const elsewhere = "slack:T1:C2";

/** Of length 1, in the plane. */
const towards = (degrees: number) => {
  const angle = (degrees * Math.PI) / 180;
  return new Float32Array([Math.cos(angle), Math.sin(angle)]);
};

export function knowledgeContract(name: string, open: OpenKnowledge, options: TestOptions = {}): void {
  describe(`what channels know, in ${name}`, options, () => {
    const fresh = async () => {
      const knowledge = await open();
      onTestFinished(() => knowledge.close?.());
      /** Adds a document of these pieces, which are texts, or pieces with vectors of the model `m`. */
      const add = (
        title: string,
        pieces: readonly (string | Partial<KnownPiece>)[],
        { namespace = here, author = "U1", at = 1, source = title } = {},
      ) =>
        knowledge.add(
          namespace,
          { title, source, author, by: author === "U1" ? "Ann" : "Ben", at },
          pieces.map((piece, index) => ({
            ...{ text: "", place: `page ${index + 1}` },
            ...(typeof piece === "string" ? { text: piece } : { model: "m", ...piece }),
          })),
        );
      const find = async (words: string, more: { vector?: Float32Array; model?: string } = {}) =>
        (await knowledge.search(here, { words, most: 5, ...more })).map(({ text }) => text);
      return { knowledge, add, find };
    };

    it("knowledge finds the piece with its document and place, whatever the case, accents and forms of its words", async () => {
      const { knowledge, add, find } = await fresh();
      const handbook = await add("Handbook", ["Café opening hours", "The notice period is three months."]);
      expect(handbook).toMatchObject({ title: "Handbook", by: "Ann", pieces: 2, characters: 52 });
      expect(await knowledge.search(here, { words: "notice periods?", most: 5 })).toEqual([
        {
          document: handbook,
          place: "page 2",
          text: "The notice period is three months.",
          score: expect.any(Number),
        },
      ]);
      expect(await find("CAFE")).toEqual(["Café opening hours"]);
      expect(await find("month")).toHaveLength(1);
      await add("Jobs", ["A résumé is enough."]);
      expect(await find("résumé".normalize("NFD"))).toEqual(["A résumé is enough."]);
      expect(await find("otice")).toEqual([]);
      expect(await find("notice noticed noticing")).toEqual(["The notice period is three months."]);
    });

    it("knowledge ranks pieces with more and rarer words first, and leaves out those with common words only", async () => {
      const { add, find } = await fresh();
      await add("Lease", [
        "The office is the office of the tenant.",
        "The tenant may sublet the office to Contoso.",
        ...Array.from({ length: 20 }, (_, at) => `The office rule number ${at} for the tenant`),
      ]);
      expect((await find("may the tenant sublet the office"))[0]).toContain("sublet");
      expect(await find("sublet to Contoso")).toEqual(["The tenant may sublet the office to Contoso."]);
    });

    it("knowledge finds words of scripts without spaces, and answers the text unchanged", async () => {
      const { add, find } = await fresh();
      await add("規則", ["会議は金曜日です。", "休暇は二十日です。", "문서입니다"]);
      for (const words of ["金曜日", "金曜"]) expect(await find(words)).toEqual(["会議は金曜日です。"]);
      expect(await find("문서")).toEqual(["문서입니다"]);
    });

    it.each(['"', "*", "lease OR", "NEAR(", "text:lease", "a\u0000b", "-", "", "'; DROP TABLE pieces; --"])(
      "knowledge takes %j for words and never for its own syntax",
      async (words) => {
        const { add, find } = await fresh();
        await add("Lease", ["The lease\u0000 ends."]);
        await expect(find(words)).resolves.toBeDefined();
        expect(await find("lease")).toHaveLength(1);
      },
    );

    it("knowledge finds by title, below a piece that says it itself", async () => {
      const { add, find } = await fresh();
      await add("Travel policy", ["Hotels cost up to 150 euros."]);
      await add("Minutes", ["The travel policy is discussed next week."]);
      expect(await find("travel policy")).toEqual([
        "The travel policy is discussed next week.",
        "Hotels cost up to 150 euros.",
      ]);
    });

    it("knowledge joins word and vector matches, and compares vectors of the same model only", async () => {
      const { add, find } = await fresh();
      await add("Notes", [
        { text: "holiday", vector: towards(80) },
        { text: "vacation days", vector: towards(10) },
        { text: "payroll", vector: towards(170) },
        { text: "another model", vector: towards(0), model: "n" },
        { text: "another length", vector: new Float32Array([1]) },
        { text: "no vector" },
      ]);
      const near = { vector: towards(0), model: "m" };
      expect(await find("leave", near)).toEqual(["vacation days"]);
      expect(await find("payroll", near)).toEqual(expect.arrayContaining(["vacation days", "payroll"]));
      expect(await find("vacation", near)).toEqual(["vacation days"]);
      expect(await find("leave")).toEqual([]);
      expect(await find("leave", { vector: towards(0) })).toEqual([]);
    });

    it("knowledge goes through many vectors in steps", async () => {
      const { add, find } = await fresh();
      const many = Array.from({ length: 4_100 }, (_, at) => ({ text: `t${at}`, vector: towards(60) }));
      await add("Many", [
        { text: "first", vector: towards(1) },
        ...many,
        { text: "last", vector: towards(0) },
      ]);
      const found = await find("nothing", { vector: towards(0), model: "m" });
      expect(found.slice(0, 2)).toEqual(["last", "first"]);
    });

    it("knowledge keeps channels apart", async () => {
      const { knowledge, add, find } = await fresh();
      await add("Secret", [{ text: "the merger", vector: towards(0) }], { namespace: elsewhere });
      const [there] = await knowledge.list(elsewhere);
      expect(await find("merger", { vector: towards(0), model: "m" })).toEqual([]);
      expect(await knowledge.list(here)).toEqual([]);
      expect(await knowledge.remove(here, [there?.id ?? 0])).toEqual([]);
      expect(await knowledge.list(elsewhere)).toHaveLength(1);
    });

    it("knowledge reads a document whole, in its order, and names the channels that have one", async () => {
      const { knowledge, add } = await fresh();
      const long = Array.from({ length: 250 }, (_, at) => `piece ${at} 会議は`);
      const { id } = await add("Long", long);
      await add("There", ["x"], { namespace: elsewhere });
      const read = await Array.fromAsync(knowledge.read(here, id));
      expect(read.map(({ text }) => text)).toEqual(long);
      expect(read[2]?.place).toBe("page 3");
      expect(await Array.fromAsync(knowledge.read(elsewhere, id))).toEqual([]);
      expect(await knowledge.namespaces()).toEqual([here, elsewhere]);
    });

    it("knowledge replaces a document of the same source, and never gives a number twice", async () => {
      const { knowledge, add, find } = await fresh();
      const first = await add("Menu", ["soup"]);
      const second = await add("Menu 2", ["pasta"], { source: "Menu", author: "U2", at: 2 });
      expect(await knowledge.list(here)).toEqual([second]);
      expect(await find("soup")).toEqual([]);
      await knowledge.remove(here, [second.id]);
      const third = await add("Menu", ["rice"]);
      expect(new Set([first.id, second.id, third.id]).size).toBe(3);
    });

    it("knowledge has a document of a source once, even when it is added several times at once", async () => {
      const { knowledge, add, find } = await fresh();
      const added = await Promise.all(
        ["soup", "pasta", "rice"].map((text) => add("Menu", [`today ${text}`])),
      );
      const [only, ...others] = await knowledge.list(here);
      expect(others).toEqual([]);
      expect(added).toContainEqual(only);
      expect(await find("today")).toHaveLength(1);
    });

    it("knowledge lists the latest first, and forgets documents and a person", async () => {
      const { knowledge, add, find } = await fresh();
      const all = await Promise.all([
        add("one", ["apple"], { at: 1 }),
        add("two", ["apple"], { at: 3, author: "U2" }),
        add("three", ["apple"], { at: 2 }),
        add("there", ["apple"], { namespace: "slack:T2:C1" }),
      ]);
      const titles = async () => (await knowledge.list(here)).map(({ title }) => title);
      expect(await titles()).toEqual(["two", "three", "one"]);
      expect(await knowledge.remove(here, [all[0].id, 999])).toEqual([all[0]]);
      expect(await find("apple")).toHaveLength(2);
      const isInT1 = (namespace: string) => isWithin(namespace, "slack", "T1");
      expect(await knowledge.clearAuthor("U1", isInT1, { dryRun: true })).toBe(1);
      expect(await titles()).toEqual(["two", "three"]);
      expect(await knowledge.clearAuthor("U1", isInT1)).toBe(1);
      expect(await titles()).toEqual(["two"]);
      expect(await knowledge.clearAuthor("U1", () => true)).toBe(1);
      expect(await knowledge.list("slack:T2:C1")).toEqual([]);
      expect(await knowledge.remove(here, [all[1].id])).toHaveLength(1);
      expect(await find("apple")).toEqual([]);
    });
  });
}
