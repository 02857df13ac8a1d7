import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { WorkingFolder, WorkingFolders } from "../../../src/core/ports/working-folder.ts";
import {
  attached,
  noSignal,
  onDisk,
  pathsIn,
  runThatWrites,
  skill,
  textAt,
  useOf,
} from "../../support/fakes/folder-code.ts";

export interface FoldersUnderContract {
  /** Folders on the same storage as all others of this object: of another process, after a restart. */
  open(): WorkingFolders;
}

/** Bytes of a folder in these suites. */
export const maxBytes = 5_000_000;

export const here = { namespace: "console:local:general", thread: "t1" };
const elsewhere = { namespace: "console:local:general", thread: "t2" };

/** What every store of working folders does with files, whoever left them. */
export function workingFoldersContract(name: string, create: () => FoldersUnderContract): void {
  const from = (turn_id: string, by?: string) => ({ turn_id, by });

  describe(`${name}: what people attach`, () => {
    it.each([
      ["orders.csv", "orders.csv"],
      ["../../etc/passwd", "_.._etc_passwd"],
      ["a/b.csv", "a_b.csv"],
      ["..\\..\\boot.ini", "_.._boot.ini"],
      [".bashrc", "bashrc"],
      ["tab\tand\nline\u0007\u202e.txt", "tab and line.txt"],
      ["", "file"],
      ["..", "file"],
      [`${"x".repeat(300)}.csv`, `${"x".repeat(96)}.csv`],
      ["Übersicht 日本.csv", "Übersicht 日本.csv"],
    ])("an attached file called %j has a safe name", async (given, safe) => {
      const folder = create().open().of(here);
      const { path } = await folder.attach(attached(given, "a,b"), from("turn-1"));
      expect(path).toBe(`/workspace/input/${safe}`);
      expect(await textAt(folder, path)).toBe("a,b");
    });

    it("an attached file stays unchanged when another of its name comes, and is kept once when it comes again", async () => {
      const folder = create().open().of(here);
      const attach = async (text: string, turn: string) =>
        (await folder.attach(attached("a.csv", text), from(turn, "Ada"))).path;
      expect(await attach("one", "turn-1")).toBe("/workspace/input/a.csv");
      expect(await attach("two", "turn-2")).toBe("/workspace/input/a-2.csv");
      expect(await attach("one", "turn-3")).toBe("/workspace/input/a.csv");
      expect(await attach("two", "turn-3")).toBe("/workspace/input/a-2.csv");
      const listing = await folder.list();
      expect(listing).toMatchObject({ bytes: 6, most_bytes: maxBytes });
      expect(listing.files.map(({ path, bytes, by }) => [path, bytes, by])).toEqual([
        ["/workspace/input/a-2.csv", 3, "Ada"],
        ["/workspace/input/a.csv", 3, "Ada"],
      ]);
    });

    it("attached files get a name of their own each when many come at once", async () => {
      const folder = create().open().of(here);
      const texts = ["one", "two", "three", "one"];
      const kept = await Promise.all(texts.map((text) => folder.attach(attached("a.csv", text), from("t"))));
      expect(new Set(kept.map(({ path }) => path)).size).toBe(3);
      expect(await Promise.all(kept.map(({ path }) => textAt(folder, path)))).toEqual(texts);
    });

    it("an attached file is only in its own thread", async () => {
      const folders = create().open();
      await folders.of(here).attach(attached("a.csv", "mine"), from("turn-1"));
      await folders.of(elsewhere).attach(attached("a.csv", "yours"), from("turn-2"));
      expect(await textAt(folders.of(here), "input/a.csv")).toBe("mine");
      expect(await textAt(folders.of(elsewhere), "input/a.csv")).toBe("yours");
      await folders.of(here).clear();
      expect(await pathsIn(folders.of(here))).toEqual([]);
      expect(await pathsIn(folders.of(elsewhere))).toEqual(["/workspace/input/a.csv"]);
    });

    it("an attached file is refused where there is no room; existing ones stay, and it may come again", async () => {
      const folder = create().open().of(here);
      const large = attached("large.bin", "x".repeat(3_000_000));
      await folder.attach(large, from("turn-1"));
      const refused = folder.attach(attached("other.bin", "y".repeat(3_000_000)), from("turn-2"));
      await expect(refused).rejects.toMatchObject({
        code: "folder_full",
        message: expect.stringMatching(
          /3\.0 MB of 5\.0 MB are used\. What is there is kept\..*files\.thread_megabytes/,
        ),
      });
      expect((await folder.attach(large, from("turn-2"))).path).toBe("/workspace/input/large.bin");
      expect(await folder.remove("/workspace/input/large.bin")).toBe(true);
      await folder.attach(attached("other.bin", "y".repeat(3_000_000)), from("turn-3"));
      expect(await pathsIn(folder)).toEqual(["/workspace/input/other.bin"]);
    });
  });

  describe(`${name}: a path`, () => {
    /** A folder with `notes/plan.txt`, and the folder on this machine that has `notes`. */
    async function folderOfCode(): Promise<{ folder: WorkingFolder; root: string }> {
      const folder = create().open().of(here);
      await runThatWrites(folder, { "notes/plan.txt": "the plan" });
      const { value } = await folder.use(useOf(), async (mounted) => onDisk(mounted, "/workspace"), noSignal);
      return { folder, root: value };
    }

    it.each(["/workspace/notes/plan.txt", "notes/plan.txt", "./notes/plan.txt", "notes//./plan.txt"])(
      "a path is understood as %s",
      async (path) => {
        const { folder } = await folderOfCode();
        const file = await folder.open(path);
        expect(file).toMatchObject({ path: "/workspace/notes/plan.txt", bytes: 8 });
        expect(new TextDecoder().decode(await file?.read(4, 100))).toBe("plan");
        expect(await file?.read(100, 5)).toHaveLength(0);
        await file?.close();
      },
    );

    it.each([
      ...["/etc/passwd", "../../../../etc/passwd", "notes/../../thread.json", "/workspace/../files.json"],
      ...["", "/", ".", "/workspace", "/workspace/", "notes", "input", "skills", "skills/x", "missing.txt"],
      ...["notes/plan.txt/x", "notes/plan.txt\0", "x".repeat(5_000), "/workspaces/notes/plan.txt"],
    ])("a path that is not a file of the folder leads to none: %j", async (path) => {
      const { folder } = await folderOfCode();
      expect(await folder.open(path)).toBeUndefined();
      expect(await folder.remove(path)).toBe(false);
      expect(await folder.handOver([path])).toEqual([]);
      expect(await textAt(folder, "notes/plan.txt")).toBe("the plan");
    });

    it("a path that is a link, or leads over one, is not followed wherever it leads", async () => {
      const { folder, root } = await folderOfCode();
      mkdirSync(`${root}/output`, { recursive: true });
      symlinkSync("/etc/passwd", `${root}/output/passwd`);
      symlinkSync("/etc", `${root}/etc`);
      symlinkSync("notes/plan.txt", `${root}/within`);
      symlinkSync("notes", `${root}/folder`);
      symlinkSync("../thread.json", `${root}/owner`);
      symlinkSync("loop", `${root}/loop`);
      for (const path of ["output/passwd", "etc/passwd", "within", "folder/plan.txt", "owner", "loop"]) {
        expect(await folder.open(path)).toBeUndefined();
        expect(await folder.handOver([`/workspace/${path}`])).toEqual([]);
      }
      expect(await pathsIn(folder)).toEqual(["/workspace/notes/plan.txt"]);
      expect(await runThatWrites(folder, {})).toEqual([]);
    });

    it("a path that is a folder, a named pipe or a device holds nobody up and has no content", async () => {
      const { folder, root } = await folderOfCode();
      execFileSync("mkfifo", [`${root}/pipe`]);
      symlinkSync("/dev/zero", `${root}/zero`);
      for (const path of ["pipe", "zero", "notes"]) expect(await folder.open(path)).toBeUndefined();
      expect(await pathsIn(folder)).toEqual(["/workspace/notes/plan.txt"]);
      expect(await folder.remove("pipe")).toBe(true);
    });

    it("a path may have any characters that a name on the disk may have", async () => {
      const { folder } = await folderOfCode();
      const names = ["a\nb.txt", "__proto__", " spaced ", "\u202ertl.txt", "日本", "-rf", "constructor"];
      await runThatWrites(folder, Object.fromEntries(names.map((each) => [`odd/${each}`, each])));
      for (const each of names) expect(await textAt(folder, `/workspace/odd/${each}`)).toBe(each);
      expect(await pathsIn(folder)).toHaveLength(names.length + 1);
    });

    it("an opened file stays readable when its path is removed", async () => {
      const { folder } = await folderOfCode();
      const file = await folder.open("notes/plan.txt");
      expect(await folder.remove("notes/plan.txt")).toBe(true);
      expect(await folder.remove("notes/plan.txt")).toBe(false);
      expect(new TextDecoder().decode(await file?.read(0, 8))).toBe("the plan");
      await file?.close();
    });

    it("a hidden path is not listed but counts, and can be opened", async () => {
      const { folder } = await folderOfCode();
      await runThatWrites(folder, {
        ".cache/big": "12345",
        "node_modules/x/index.js": "123",
        "__pycache__/a.pyc": "12",
      });
      const { files, bytes } = await folder.list();
      expect(files.map(({ path }) => path)).toEqual(["/workspace/notes/plan.txt"]);
      expect(bytes).toBe(8 + 5 + 3 + 2);
      expect(await textAt(folder, ".cache/big")).toBe("12345");
    });

    it("a path of a file with several names or with holes counts as what it may become", async () => {
      const { folder, root } = await folderOfCode();
      linkSync(`${root}/notes/plan.txt`, `${root}/again.txt`);
      writeFileSync(`${root}/sparse`, "");
      truncateSync(`${root}/sparse`, 5_000_000_000);
      const { files, bytes } = await folder.list();
      expect(files.map((file) => [file.path, file.bytes])).toEqual([
        ["/workspace/again.txt", 8],
        ["/workspace/notes/plan.txt", 8],
        ["/workspace/sparse", 5_000_000_000],
      ]);
      expect(bytes).toBe(5_000_000_016);
    });
  });

  describe(`${name}: handing over`, () => {
    it("handing over happens once for each content, even after a restart", async () => {
      const storage = create();
      const folder = storage.open().of(here);
      const [a, b] = ["/workspace/output/a.csv", "/workspace/output/b.csv"];
      await runThatWrites(folder, { "output/a.csv": "1", "output/b.csv": "1" });
      expect(await folder.handOver([a, b])).toEqual([a, b]);
      expect(await storage.open().of(here).handOver([a, b])).toEqual([]);
      await runThatWrites(folder, { "output/a.csv": "1", "output/b.csv": "2" });
      expect(await folder.handOver([a, b])).toEqual([b]);
      await runThatWrites(folder, { "output/b.csv": "1" });
      expect(await folder.handOver([a, b])).toEqual([b]);
    });
  });

  describe(`${name}: forgetting`, () => {
    it("forgetting removes what came with these messages and with no other", async () => {
      const folder = create().open().of(here);
      await folder.attach(attached("both.csv", "1"), from("turn-1"));
      await folder.attach(attached("both.csv", "1"), from("turn-2"));
      await folder.attach(attached("one.csv", "2"), from("turn-1"));
      await folder.attach(attached("two.csv", "3"), from("turn-2"));
      expect(await folder.forget(["turn-1"])).toEqual({
        removed: ["/workspace/input/one.csv"],
        made_from_them: [],
      });
      expect(await pathsIn(folder)).toEqual(["/workspace/input/both.csv", "/workspace/input/two.csv"]);
      const second = await folder.forget(["turn-2", "turn-1", "unknown"]);
      expect(second.removed.toSorted()).toEqual(["/workspace/input/both.csv", "/workspace/input/two.csv"]);
      expect(await folder.list()).toMatchObject({ files: [], bytes: 0 });
    });

    it("forgetting names files made from the forgotten ones, and from those, that still exist", async () => {
      const folder = create().open().of(here);
      await folder.attach(attached("orders 2026.csv", "1"), from("turn-1"));
      await folder.attach(attached("other.csv", "2"), from("turn-1"));
      const run = (text: string, files: Record<string, string>, more = {}) =>
        runThatWrites(folder, files, { text, ...more });
      await run("pd.read_csv('input/orders 2026.csv')", { "clean.csv": "c", "gone.csv": "g" });
      await run("plot('/workspace/clean.csv')", { "output/plot.png": "p" });
      await run(JSON.stringify({ file: "output/plot.png" }), { "deck.pptx": "d" }, skill("slides"));
      await run("print(1)", { "unrelated.txt": "u" });
      await folder.remove("gone.csv");
      const { removed, made_from_them } = await folder.forget(["turn-1"]);
      expect(removed.toSorted()).toEqual(["/workspace/input/orders 2026.csv", "/workspace/input/other.csv"]);
      expect(made_from_them.toSorted()).toEqual([
        "/workspace/clean.csv",
        "/workspace/output/plot.png",
        "/workspace/skills/slides/deck.pptx",
      ]);
      expect(await textAt(folder, "clean.csv")).toBe("c");
    });

    it("forgetting in a thread that has no folder changes nothing", async () => {
      const storage = create();
      const folder = storage.open().of(here);
      expect(await folder.forget(["turn-1"])).toEqual({ removed: [], made_from_them: [] });
      expect(await folder.interrupted("call")).toEqual([]);
      expect(await folder.handOver(["output/a"])).toEqual([]);
      await folder.clear();
      expect(await folder.list()).toEqual({ files: [], bytes: 0, most_bytes: maxBytes });
      expect(await Array.fromAsync(storage.open().all())).toEqual([]);
    });
  });

  describe(`${name}: all folders`, () => {
    it("all folders are listed with their threads and their last change, and no others", async () => {
      const storage = create();
      const folders = storage.open();
      const began = Date.now();
      await folders.of(here).attach(attached("a.csv", "1"), from("turn-1"));
      await runThatWrites(folders.of(elsewhere), { "a.txt": "1" });
      const cleared = { namespace: "slack:T1:C1", thread: "1.2" };
      await runThatWrites(folders.of(cleared), { "a.txt": "1" });
      await folders.of(cleared).clear();
      const all = await Array.fromAsync(storage.open().all());
      const threads = all.map(({ place }) => place);
      expect(threads.toSorted((a, b) => a.thread.localeCompare(b.thread))).toEqual([here, elsewhere]);
      for (const { changed_at } of all) expect(changed_at).toBeGreaterThan(began - 5_000);
    });
  });
}
