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
import type { FolderUse, MountedFolder, WorkingFolder } from "../../../src/core/ports/working-folder.ts";
import { createDiskWorkingFolders } from "../../../src/storage/folders/disk-working-folders.ts";
import {
  attached,
  inWords,
  noSignal,
  onDisk,
  pathsIn,
  runThatWrites,
  skill,
  textAt,
  useOf,
  writes,
} from "../../support/fakes/folder-code.ts";
import { sharingProcesses } from "../../support/fakes/sharing-processes.ts";
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
workingFolderRunsContract("working folders that processes share", () => {
  const { root } = onNewDisk();
  const processes = sharingProcesses();
  return {
    open() {
      // The processes before are dead, and their leases have ended.
      processes.pass(20_000);
      return createDiskWorkingFolders(root, { maxBytes, mutex: processes.next() });
    },
  };
});

describe("working folders of two processes", () => {
  function twoProcesses() {
    const { root } = onNewDisk();
    const processes = sharingProcesses();
    const open = () => createDiskWorkingFolders(root, { maxBytes, mutex: processes.next() }).of(here);
    return { one: open(), two: open() };
  }

  /** A run that has begun and written `first`, and writes `second` when told to end. */
  async function runInTwoSteps(
    folder: WorkingFolder,
    first: string,
    second: string,
    more: Partial<FolderUse>,
  ) {
    const [begun, gate] = [Promise.withResolvers<MountedFolder>(), Promise.withResolvers<void>()];
    const done = folder.use(
      useOf(more),
      async (working) => {
        await writes({ [first]: "1" })(working);
        begun.resolve(working);
        await gate.promise;
        await writes({ [second]: "2" })(working);
      },
      noSignal,
    );
    const working = await begun.promise;
    return {
      working,
      async end() {
        gate.resolve();
        return inWords((await done).changed);
      },
    };
  }

  it("two processes take turns in the same part of a folder", async () => {
    const { one, two } = twoProcesses();
    const first = await runInTwoSteps(one, "a.txt", "b.txt", {});
    const second = runThatWrites(two, { "c.txt": "3" });
    expect(await runThatWrites(two, { "s.txt": "s" }, skill("s"))).toEqual([
      "made /workspace/skills/s/s.txt",
    ]);
    expect(await first.end()).toEqual(["made /workspace/a.txt", "made /workspace/b.txt"]);
    expect(await second).toEqual(["made /workspace/c.txt"]);
  });

  it("two processes each tell what their own run of one skill left, and forgetting in one leaves the run of the other alone", async () => {
    const { one, two } = twoProcesses();
    await two.attach(attached("in.csv", "1"), { turn_id: "old" });
    await runThatWrites(two, { "notes.txt": "n" });
    const shared = { ...skill("s"), text: "notes.txt", shared: true as const };
    const running = await runInTwoSteps(one, "a.txt", "b.txt", shared);
    expect((await two.forget(["old"])).removed).toEqual(["/workspace/input/in.csv"]);
    expect(readFileSync(onDisk(running.working, "/workspace/notes.txt"), "utf8")).toBe("n");
    expect(await running.end()).toEqual(["made /workspace/skills/s/a.txt", "made /workspace/skills/s/b.txt"]);
  });

  it("two processes keep one another's attached files, names and quota", async () => {
    const { one, two } = twoProcesses();
    const texts = ["one", "two", "three", "four"];
    const kept = await Promise.all(
      texts.map((text, at) => (at % 2 === 0 ? one : two).attach(attached("a.csv", text), { turn_id: "t" })),
    );
    expect(await Promise.all(kept.map(({ path }) => textAt(one, path)))).toEqual(texts);
    const large = () => attached("large.bin", "x".repeat(maxBytes / 2));
    const both = [one, two].map((folder, at) =>
      folder.attach({ ...large(), name: `${at}.bin` }, { turn_id: "t" }),
    );
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("a process that takes over a call tells what the call did so far, and the late end of the first one changes nothing", async () => {
    const { one, two } = twoProcesses();
    const how = { call_id: "taken over", ...skill("s"), shared: true as const };
    const parked = await runInTwoSteps(one, "a.txt", "late.txt", how);
    expect(inWords(await two.interrupted(how.call_id))).toEqual(["made /workspace/skills/s/a.txt"]);
    expect(await runThatWrites(two, { "b.txt": "b" }, how)).toEqual(["made /workspace/skills/s/b.txt"]);
    await parked.end();
    expect(inWords(await two.interrupted(how.call_id))).toEqual(["made /workspace/skills/s/b.txt"]);
  });
});

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
