import { describe, expect, it, type TestOptions } from "vitest";
import type { FileStore } from "../../../src/core/ports/storage.ts";

const text = (content: string) => new TextEncoder().encode(content);
const file = (name: string, content: string, media_type = "text/plain") => ({
  name,
  media_type,
  data: text(content),
});

/**
 * What every file store does. `createTwice` opens the same empty store as two processes do; it is left out for a store that only one process
 * may open.
 */
export function fileStoreContract(
  name: string,
  create: () => Promise<FileStore>,
  { options = {}, createTwice }: { options?: TestOptions; createTwice?: () => Promise<FileStore[]> } = {},
): void {
  describe(name, options, () => {
    it("a file store gives back what was stored, and nothing of another turn", async () => {
      const store = await create();
      const stored = await store.put("turn-1", file("report.csv", "a;b", "text/csv; charset=utf-8"));
      expect(stored).toEqual({ name: "report.csv", media_type: "text/csv", bytes: 3 });
      expect(await store.get("turn-1", "report.csv")).toEqual({ file: stored, data: text("a;b") });
      expect(await store.get("turn-2", "report.csv")).toBeUndefined();
      expect(await store.get("turn-1", "other.csv")).toBeUndefined();
    });

    it("a file store keeps an empty file", async () => {
      const store = await create();
      await store.put("turn-1", file("empty.txt", ""));
      expect((await store.get("turn-1", "empty.txt"))?.data).toEqual(text(""));
    });

    it("a file store gives every file of a turn its own name, even when they come at once", async () => {
      const store = await create();
      const contents = ["one", "two", "three"];
      const stored = await Promise.all(
        contents.map((content) => store.put("turn-1", file("a.txt", content))),
      );
      const names = stored.map((each) => each.name);
      expect(names.toSorted()).toEqual(["a-2.txt", "a-3.txt", "a.txt"]);
      const read = await Promise.all(names.map((each) => store.get("turn-1", each)));
      expect(read.map((found) => found && new TextDecoder().decode(found.data))).toEqual(contents);
    });

    if (createTwice !== undefined)
      it("a file store gives every file its own name when two processes store them", async () => {
        const stores = await createTwice();
        const put = (content: string) =>
          stores.map((each, at) => each.put("turn-1", file("a.txt", content + at)));
        const stored = await Promise.all(["one", "two", "three"].flatMap(put));
        expect(new Set(stored.map((each) => each.name)).size).toBe(6);
        for (const { name } of stored)
          for (const each of stores) expect(await each.get("turn-1", name)).toBeDefined();
      });

    it("a file store keeps the same file under the same name once", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      expect((await store.put("turn-1", file("a.txt", "one"))).name).toBe("a.txt");
      expect((await store.put("turn-1", file("a.txt", "one", "text/html"))).name).toBe("a-2.txt");
    });

    it("a file store overwrites the file it is told to replace", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      expect((await store.put("turn-1", file("a.txt", "other", "text/csv"), "a.txt")).name).toBe("a.txt");
      const found = await store.get("turn-1", "a.txt");
      expect(found).toEqual({
        file: { name: "a.txt", media_type: "text/csv", bytes: 5 },
        data: text("other"),
      });
    });

    it.each([
      ["../../etc/passwd", "_.._etc_passwd"],
      ["-rf", "_-rf"],
      [".--help.txt", "_--help.txt"],
      ["\u202e-x\n.csv", "_-x.csv"],
      ["a\u202efdp.exe", "afdp.exe"],
      ["\u3164\u2800", "file"],
      ["CON", "_CON"],
      ["nul.tar.gz", "_nul.tar.gz"],
      ["console.log", "console.log"],
      ["..\\..\\boot.ini", "_.._boot.ini"],
      ["/absolute.txt", "_absolute.txt"],
      [".bashrc", "bashrc"],
      ["a\u0000b\nc\u202egnp.txt", "ab cgnp.txt"],
      ["  spaced   name .txt  ", "spaced name.txt"],
      ["...", "file"],
      ["", "file"],
      [`${"x".repeat(300)}.json`, `${"x".repeat(95)}.json`],
      ["日本語の報告書.md", "日本語の報告書.md"],
    ])("a file store makes a safe name of %j", async (given, expected) => {
      const store = await create();
      const stored = await store.put("turn-1", file(given, "content"));
      expect(stored.name).toBe(expected);
      expect((await store.get("turn-1", expected))?.data).toEqual(text("content"));
    });

    it("a file store keeps names within what file systems take, whatever the letters", async () => {
      const store = await create();
      const names = ["😀".repeat(100), "漢".repeat(200), `${"e\u0301".repeat(120)}.txt`];
      for (const each of names) {
        const { name: safe } = await store.put("turn-1", file(each, each));
        expect(safe.length).toBeLessThanOrEqual(100);
        expect(new TextEncoder().encode(safe).length).toBeLessThanOrEqual(200);
        expect(safe.isWellFormed()).toBe(true);
        expect(await store.get("turn-1", safe)).toBeDefined();
      }
    });

    it("a file store keeps no media type that a header would not take", async () => {
      const store = await create();
      const stored = await store.put("turn-1", file("a.txt", "one", "text/html\r\nSet-Cookie: a=b"));
      expect(stored.media_type).toBe("application/octet-stream");
    });

    it("a file store finds nothing under names and turns that are not its own", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      for (const other of ["../turn-1/a.txt", "./a.txt", ".a.txt.type", "a.txt/", "", ".", ".."]) {
        expect(await store.get("turn-1", other)).toBeUndefined();
      }
      for (const turn of ["..", "../turn-1", "turn-1/../turn-1", "", "."]) {
        expect(await store.get(turn, "a.txt")).toBeUndefined();
      }
    });

    it("a file store removes one file of a turn", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      await store.put("turn-1", file("b.txt", "two"));
      for (const name of ["a.txt", "none.txt", "../turn-1/b.txt", ".b.txt.type"])
        await store.remove("turn-1", name);
      await store.remove("..", "b.txt");
      expect(await store.get("turn-1", "a.txt")).toBeUndefined();
      expect((await store.get("turn-1", "b.txt"))?.data).toEqual(text("two"));
      expect((await store.put("turn-1", file("a.txt", "three"))).name).toBe("a.txt");
    });

    it("a file store forgets all files of one turn", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      await store.put("turn-2", file("a.txt", "two"));
      await store.forget("turn-1");
      await store.forget("turn-3");
      await store.forget("..");
      expect(await store.get("turn-1", "a.txt")).toBeUndefined();
      expect((await store.get("turn-2", "a.txt"))?.data).toEqual(text("two"));
    });

    it("a file store keeps its files when it is scrubbed", async () => {
      const store = await create();
      await store.put("turn-1", file("a.txt", "one"));
      await store.put("turn-2", file("a.txt", "two"));
      await store.forget("turn-1");
      await store.scrub();
      expect(await store.get("turn-1", "a.txt")).toBeUndefined();
      expect((await store.get("turn-2", "a.txt"))?.data).toEqual(text("two"));
    });

    it("a file store lists the turns that have files, and when they changed", async () => {
      const store = await create();
      const listed = async () =>
        (await Array.fromAsync(store.turns())).sort((a, b) => (a.turn_id < b.turn_id ? -1 : 1));
      expect(await listed()).toEqual([]);
      const before = Date.now() - 2_000;
      for (const turn of ["turn-1", "turn-2", "turn-3"]) await store.put(turn, file("a.txt", "one"));
      await store.forget("turn-2");
      const turns = await listed();
      expect(turns.map(({ turn_id }) => turn_id)).toEqual(["turn-1", "turn-3"]);
      for (const { changed_at } of turns) {
        expect(changed_at).toBeGreaterThan(before);
        expect(changed_at).toBeLessThan(Date.now() + 2_000);
      }
    });
  });
}
