import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import {
  attached,
  noSignal,
  onDisk,
  pathsIn,
  runThatWrites,
  textAt,
  useOf,
} from "../../support/fakes/folder-code.ts";
import { workingFolderRunsContract } from "./working-folder-runs-contract.ts";
import { here, maxBytes, workingFoldersContract } from "./working-folders-contract.ts";

const folder = mkdtempSync(join(tmpdir(), "knack-folders-"));
let opened = 0;
afterAll(() => rmSync(folder, { recursive: true }));

function onNewDisk() {
  opened += 1;
  const root = join(folder, String(opened));
  return { root, open: () => createDiskWorkingFolders(root, { maxBytes }) };
}

workingFoldersContract("working folders on disk", onNewDisk);
workingFolderRunsContract("working folders on disk", onNewDisk);

describe("working folders on disk", () => {
  /** The folder of the thread `here`. */
  const threadIn = (root: string) => join(root, readdirSync(root)[0] ?? "");

  it("working folders on disk are for this user only, and leave no drafts and no copies", async () => {
    const { root, open } = onNewDisk();
    await open().of(here).attach(attached("a.txt", "1"), { turn_id: "t" });
    await runThatWrites(open().of(here), { "b.txt": "2" });
    await runThatWrites(
      open().of(here),
      { "c.txt": "3" },
      { writer: { kind: "skill", id: "s" }, text: "b.txt" },
    );
    expect(statSync(threadIn(root)).mode & 0o777).toBe(0o700);
    const names = readdirSync(threadIn(root)).toSorted();
    expect(names).toEqual(["files.json", "input", "runs.json", "skills", "thread.json", "work"]);
    for (const name of ["files.json", "runs.json", "thread.json"])
      expect(statSync(join(threadIn(root), name)).mode & 0o777).toBe(0o600);
  });

  it.each(["", "{", '{"a": 1}', "[]"])(
    "working folders on disk have their files although the index is damaged: %j",
    async (damage) => {
      const { root, open } = onNewDisk();
      await open().of(here).attach(attached("a.txt", "1"), { turn_id: "t" });
      await runThatWrites(open().of(here), { "b.txt": "22", "output/c.txt": "333" });
      for (const name of ["files.json", "runs.json", "thread.json"])
        writeFileSync(join(threadIn(root), name), damage);
      const damaged = open().of(here);
      expect(await pathsIn(damaged)).toHaveLength(3);
      expect(await textAt(damaged, "b.txt")).toBe("22");
      // Nothing looks as if the next run had made it, and the quota still counts what is there.
      expect(await runThatWrites(damaged, { "d.txt": "4" })).toEqual(["made /workspace/d.txt"]);
      const large = attached("large.bin", "x".repeat(maxBytes - 3));
      await expect(damaged.attach(large, { turn_id: "t" })).rejects.toMatchObject({ code: "folder_full" });
      expect(await Array.fromAsync(open().all())).toMatchObject([{ place: here }]);
    },
  );

  it("working folders on disk are removed with everything in them, however deep, but not what a link leads to", async () => {
    const { root, open } = onNewDisk();
    const outside = join(folder, "outside");
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, "precious.txt"), "p");
    await open()
      .of(here)
      .use(
        useOf(),
        async (working) => {
          const work = onDisk(working, "/workspace");
          symlinkSync(outside, join(work, "link"));
          symlinkSync(join(outside, "precious.txt"), join(work, "output", "file"));
          const deep = join(work, ...Array.from({ length: 500 }, () => "deep"));
          mkdirSync(deep, { recursive: true });
          symlinkSync(outside, join(deep, "link"));
          writeFileSync(join(deep, "file"), "f");
        },
        noSignal,
      );
    await open().of(here).clear();
    expect(readdirSync(root)).toEqual([]);
    expect(existsSync(join(outside, "precious.txt"))).toBe(true);
  });

  it("working folders on disk whose removal the bot's death interrupted are removed by the next look at all of them", async () => {
    const { root, open } = onNewDisk();
    await runThatWrites(open().of(here), { "a.txt": "1" });
    mkdirSync(join(root, "leaving-1", "work"), { recursive: true });
    writeFileSync(join(root, "leaving-1", "work", "secret"), "s");
    mkdirSync(join(root, "0123"));
    expect(await Array.fromAsync(open().all())).toMatchObject([{ place: here }]);
    expect(readdirSync(root)).toHaveLength(1);
  });

  it("working folders on disk keep no name of a file that was forgotten", async () => {
    const { root, open } = onNewDisk();
    const folder = open().of(here);
    await folder.attach(attached("zora-quill.csv", "1"), { turn_id: "t", by: "Zora" });
    await runThatWrites(folder, { "made.txt": "m" }, { text: "input/zora-quill.csv" });
    expect((await folder.forget(["t"])).made_from_them).toEqual(["/workspace/made.txt"]);
    const names = readdirSync(threadIn(root)).filter((name) => name.endsWith(".json"));
    const stored = names.map((name) => readFileSync(join(threadIn(root), name), "utf8")).join("\n");
    expect(stored).toContain("made.txt");
    expect(stored).not.toMatch(/zora/i);
  });

  it("working folders on disk stay usable where copies and drafts of a run were left that the bot died in", async () => {
    const { root, open } = onNewDisk();
    await runThatWrites(open().of(here), { "b.txt": "2" });
    const how = useOf({ writer: { kind: "skill", id: "s" }, text: "b.txt" });
    const begun = Promise.withResolvers<void>();
    void open()
      .of(here)
      .use(
        how,
        () => {
          begun.resolve();
          return new Promise<never>(() => {});
        },
        noSignal,
      );
    await begun.promise;
    const left = () => readdirSync(threadIn(root)).filter((name) => name.startsWith("shown-"));
    expect(left()).toHaveLength(1);
    await open().of(here).interrupted(how.call_id);
    expect(left()).toEqual([]);
  });
});
