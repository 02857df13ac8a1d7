import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folderLimits, type MountedFolder } from "../../../src/core/ports/working-folder.ts";
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
import { type FoldersUnderContract, here } from "./working-folders-contract.ts";

/** What every store of working folders does with the runs of code in them. */
export function workingFolderRunsContract(name: string, create: () => FoldersUnderContract): void {
  describe(`${name}: a run`, () => {
    it("a run leaves a file that is found by its name in either form of its letters", async () => {
      const folder = create().open().of(here);
      await runThatWrites(folder, { "gro\u0308\u00dfe.txt": "x" });
      const opened = await folder.open("/workspace/gr\u00f6\u00dfe.txt");
      await opened?.close();
      expect(opened?.path).toBe("/workspace/gro\u0308\u00dfe.txt");
      expect(await folder.open("/workspace/gr\u00f6\u00df.txt")).toBeUndefined();
    });

    it("a run begins with its folders, sees what exists, and tells what it changed", async () => {
      const folder = create().open().of(here);
      await folder.attach(attached("a.csv", "1"), { turn_id: "t" });
      await runThatWrites(folder, { "keep.txt": "k", "change.txt": "c", "remove.txt": "r" });
      const { value, changed } = await folder.use(
        useOf(),
        async (mounted) => {
          await writes({ "change.txt": "changed", "output/new.txt": "n" })(mounted);
          rmSync(onDisk(mounted, "/workspace/remove.txt"));
          return mounted;
        },
        noSignal,
      );
      expect(value).toMatchObject({ working: "/workspace", output: "/workspace/output" });
      expect(value.mounts.map(({ to, writable }) => [to, writable])).toEqual([
        ["/workspace", true],
        ["/workspace/input", false],
        ["/workspace/skills", false],
      ]);
      expect(changed.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
        { path: "/workspace/change.txt", bytes: 7, change: "changed" },
        { path: "/workspace/output/new.txt", bytes: 1, change: "made" },
        { path: "/workspace/remove.txt", bytes: 1, change: "removed" },
      ]);
      expect(await runThatWrites(folder, {})).toEqual([]);
    });

    it("a run can be the bot's own, which writes a file for the person: whole, under a safe name, through no link", async () => {
      const folder = create().open().of(here);
      const data = (text: string) => new TextEncoder().encode(text);
      const { call_id, turn_id, text, writer } = useOf();
      const write = (name: string, content: string) =>
        folder.write({ name, data: data(content) }, { call_id, turn_id, text, writer }, noSignal);
      expect(await write("../a/notes.md", "one")).toEqual([
        { path: "/workspace/output/_a_notes.md", bytes: 3, change: "made" },
      ]);
      await folder.use(
        useOf(),
        async (mounted) => {
          const path = onDisk(mounted, "/workspace/output/link.md");
          symlinkSync("/etc/hostname", path);
        },
        noSignal,
      );
      await write("link.md", "two");
      expect(await textAt(folder, "/workspace/output/link.md")).toBe("two");
      await expect(write("large.bin", "x".repeat(5_000_001))).rejects.toThrow(/full|room/i);
      expect(await textAt(folder, "/workspace/output/large.bin")).toBeUndefined();
    });

    it("a run of a skill has a part of its own, and sees files of others only where its call names them", async () => {
      const folder = create().open().of(here);
      await folder.attach(attached("a.csv", "1"), { turn_id: "t" });
      await runThatWrites(folder, { "data/sales.csv": "s", "secret.txt": "x" });
      await runThatWrites(folder, { "notes.txt": "n" }, skill("other"));
      const text = JSON.stringify({ files: ["/workspace/data/sales.csv", "notes.txt"] });
      const { value: mounted, changed } = await folder.use(
        useOf({ ...skill("a/../b"), text }),
        async (working) => {
          await writes({ "made.txt": "m" })(working);
          return working;
        },
        noSignal,
      );
      expect(mounted.mounts.map(({ to, writable }) => `${writable ? "rw" : "ro"} ${to}`)).toEqual([
        "rw /workspace/skills/a_.._b",
        "ro /workspace/input",
        "ro /workspace/data/sales.csv",
        "ro /workspace/skills/other/notes.txt",
      ]);
      expect(mounted).toMatchObject({
        working: "/workspace/skills/a_.._b",
        output: "/workspace/skills/a_.._b/output",
      });
      expect(inWords(changed)).toEqual(["made /workspace/skills/a_.._b/made.txt"]);
      expect(await textAt(folder, "skills/a_.._b/made.txt")).toBe("m");
    });

    it("a run of a skill is never shown the target of a link that code put in a file's place", async () => {
      const folder = create().open().of(here);
      await runThatWrites(folder, { "data.txt": "harmless" });
      const planted = await folder.use(
        useOf(),
        async (working) => {
          const path = onDisk(working, "/workspace/data.txt");
          rmSync(path);
          symlinkSync("/etc/passwd", path);
          return await folder.use(
            useOf({ ...skill("b"), text: "data.txt" }),
            async (other) => other,
            noSignal,
          );
        },
        noSignal,
      );
      expect(planted.value.value.mounts.map(({ to }) => to)).not.toContain("/workspace/data.txt");
    });

    it("a run queues with others in the same part, and works in parallel with those in other parts", async () => {
      const folder = create().open().of(here);
      const order: string[] = [];
      const gates = { first: Promise.withResolvers<void>(), begun: Promise.withResolvers<void>() };
      const first = folder.use(
        useOf(),
        async () => {
          order.push("first begins");
          gates.begun.resolve();
          await gates.first.promise;
          order.push("first ends");
        },
        noSignal,
      );
      await gates.begun.promise;
      const second = folder.use(useOf(), async () => void order.push("second"), noSignal);
      await folder.use(useOf(skill("a")), async () => void order.push("skill"), noSignal);
      gates.first.resolve();
      await Promise.all([first, second]);
      expect(order).toEqual(["first begins", "skill", "first ends", "second"]);
    });

    it("a run that was stopped while it waited does not begin", async () => {
      const folder = create().open().of(here);
      const gate = Promise.withResolvers<void>();
      const first = folder.use(useOf(), () => gate.promise, noSignal);
      const stop = new AbortController();
      const began: string[] = [];
      const second = folder.use(useOf(), async () => void began.push("second"), stop.signal);
      stop.abort(new Error("stopped"));
      gate.resolve();
      await first;
      await expect(second).rejects.toThrow("stopped");
      expect(began).toEqual([]);
    });

    it("a run that shares its part tells what it left although another one began in between", async () => {
      const folder = create().open().of(here);
      const shared = { ...skill("a"), shared: true as const };
      const gate = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const first = folder.use(
        useOf(shared),
        async (working) => {
          await writes({ "output/first.txt": "1" })(working);
          written.resolve();
          await gate.promise;
        },
        noSignal,
      );
      await written.promise;
      const second = folder.use(
        useOf(shared),
        async (working) => {
          gate.resolve();
          await first;
          await writes({ "output/second.txt": "2" })(working);
        },
        noSignal,
      );
      const told = [inWords((await first).changed), inWords((await second).changed)];
      expect(told).toEqual([
        ["made /workspace/skills/a/output/first.txt"],
        ["made /workspace/skills/a/output/second.txt"],
      ]);
    });

    it("a run that fails leaves what it made, and reports it on request, and with what the repeated call does", async () => {
      const storage = create();
      const folder = storage.open().of(here);
      const how = useOf();
      const failing = folder.use(
        how,
        async (working) => {
          await writes({ "half.txt": "h" })(working);
          throw new Error("no more");
        },
        noSignal,
      );
      await expect(failing).rejects.toThrow("no more");
      expect(inWords(await storage.open().of(here).interrupted(how.call_id))).toEqual([
        "made /workspace/half.txt",
      ]);
      const { changed } = await folder.use(how, writes({ "whole.txt": "w" }), noSignal);
      expect(inWords(changed)).toEqual(["made /workspace/half.txt", "made /workspace/whole.txt"]);
      expect(await runThatWrites(folder, {})).toEqual([]);
    });

    it("a run finds an output folder whatever the previous one put in its place", async () => {
      const folder = create().open().of(here);
      const output = (working: MountedFolder) => onDisk(working, working.output);
      const replace = async (by: (path: string) => void) => {
        await folder.use(
          useOf(),
          async (working) => {
            rmSync(output(working), { recursive: true, force: true });
            by(output(working));
          },
          noSignal,
        );
        expect(await runThatWrites(folder, { "output/a.txt": String(Math.random()) })).toContainEqual(
          expect.stringMatching(/(made|changed) \/workspace\/output\/a\.txt/),
        );
      };
      await replace(() => {});
      await replace((path) => symlinkSync("/etc", path));
      await replace((path) => symlinkSync("/nowhere/at/all", path));
      await replace((path) => writeFileSync(path, "I am a file"));
      const paths = await pathsIn(folder);
      const moved = paths.filter((path) => path.startsWith("/workspace/output-"));
      expect(await Promise.all(moved.map((path) => textAt(folder, path)))).toEqual(["I am a file"]);
    });
  });

  describe(`${name}: a run in a folder that is full`, () => {
    it("a run in a full folder is told so while it writes, keeps what it wrote, and may tidy up afterwards", async () => {
      const folder = create().open().of(here);
      await folder.attach(attached("in.bin", "x".repeat(2_000_000)), { turn_id: "t" });
      const filled = await folder.use(
        useOf(),
        async (working) => {
          const before = await working.exceeded();
          await writes({ "a.bin": "x".repeat(2_500_000), ".hidden": "y".repeat(1_000_000) })(working);
          return [working.room, before, await working.exceeded()];
        },
        noSignal,
      );
      expect(filled.value).toEqual([
        3_000_000,
        undefined,
        expect.stringMatching(/5\.5 MB of 5\.0 MB are used\. What is there is kept/),
      ]);
      expect(inWords(filled.changed)).toEqual(["made /workspace/a.bin"]);
      await expect(folder.attach(attached("b.bin", "x"), { turn_id: "t" })).rejects.toMatchObject({
        code: "folder_full",
      });
      const tidied = await folder.use(
        useOf(),
        async (working) => {
          const { room } = working;
          await writes({ "list.txt": "what to keep" })(working);
          const before = await working.exceeded();
          rmSync(onDisk(working, "/workspace/.hidden"));
          return [room, before];
        },
        noSignal,
      );
      expect(tidied.value).toEqual([1_000_000, undefined]);
      expect(await folder.attach(attached("b.bin", "x"), { turn_id: "t" })).toBeDefined();
    });

    it("a run in a full folder is told of folders that are too deep to be examined", async () => {
      const folder = create().open().of(here);
      const { value } = await folder.use(
        useOf(),
        async (working) => {
          await writes({ [`${"d/".repeat(60)}big.bin`]: "x" })(working);
          return await working.exceeded();
        },
        noSignal,
      );
      expect(value).toMatch(/more than 40 deep\. What is there is kept/);
    });
  });

  describe(`${name}: a run that ended with the bot`, () => {
    /** Begins a run that never ends, as one does whose bot is killed. */
    async function killed(
      storage: FoldersUnderContract,
      how: ReturnType<typeof useOf>,
      files: Record<string, string>,
    ) {
      const folder = storage.open().of(here);
      const left = Promise.withResolvers<void>();
      void folder.use(
        how,
        async (working) => {
          await writes(files)(working);
          left.resolve();
          return await new Promise<never>(() => {});
        },
        noSignal,
      );
      await left.promise;
    }

    it("a run that ended with the bot has told nobody what it changed: the next bot does, as often as it is asked", async () => {
      const storage = create();
      const how = useOf();
      await killed(storage, how, { "output/a.txt": "a" });
      const folder = storage.open().of(here);
      expect(await folder.interrupted("another")).toEqual([]);
      expect(inWords(await folder.interrupted(how.call_id))).toEqual(["made /workspace/output/a.txt"]);
      const next = storage.open().of(here);
      expect(inWords(await next.interrupted(how.call_id))).toEqual(["made /workspace/output/a.txt"]);
    });

    it("a run that ended with the bot is not taken for the next one, which tells only what it did", async () => {
      const storage = create();
      const [agents, skills] = [useOf(), useOf(skill("a"))];
      await killed(storage, agents, { "a.txt": "a" });
      await killed(storage, skills, { "s.txt": "s" });
      const folders = storage.open();
      expect(await runThatWrites(folders.of(here), { "b.txt": "b" })).toEqual(["made /workspace/b.txt"]);
      expect(inWords(await folders.of(here).interrupted(agents.call_id))).toEqual(["made /workspace/a.txt"]);
      expect(inWords(await folders.of(here).interrupted(skills.call_id))).toEqual([
        "made /workspace/skills/a/s.txt",
      ]);
    });

    it("a run that ended with the bot left files that count as made from what its call named", async () => {
      const storage = create();
      await storage.open().of(here).attach(attached("in.csv", "1"), { turn_id: "t" });
      const how = useOf({ text: "open('input/in.csv')" });
      await killed(storage, how, { "a.txt": "a" });
      const folder = storage.open().of(here);
      await folder.interrupted(how.call_id);
      expect((await folder.forget(["t"])).made_from_them).toEqual(["/workspace/a.txt"]);
    });

    it("a run that ended with the bot may be repeated where that is safe, and then tells what both did", async () => {
      const storage = create();
      const how = useOf();
      await killed(storage, how, { "output/a.txt": "a" });
      const folder = storage.open().of(here);
      const { changed } = await folder.use(how, writes({ "output/b.txt": "b" }), noSignal);
      expect(inWords(changed)).toEqual(["made /workspace/output/a.txt", "made /workspace/output/b.txt"]);
    });

    it("a run that ended before the bot died still tells what it changed", async () => {
      const storage = create();
      const how = useOf();
      await storage
        .open()
        .of(here)
        .use(how, writes({ "a.txt": "a" }), noSignal);
      expect(inWords(await storage.open().of(here).interrupted(how.call_id))).toEqual([
        "made /workspace/a.txt",
      ]);
    });
  });

  describe(`${name}: clearing`, () => {
    it("clearing takes the files of running code, which ends without a failure and changes nothing", async () => {
      const storage = create();
      const folder = storage.open().of(here);
      const { value, changed } = await folder.use(
        useOf(),
        async (working) => {
          await writes({ "a.txt": "a" })(working);
          await folder.clear();
          return await working.exceeded();
        },
        noSignal,
      );
      expect([value, changed]).toEqual([undefined, []]);
      expect(await Array.fromAsync(storage.open().all())).toEqual([]);
      expect(await runThatWrites(folder, { "b.txt": "b" })).toEqual(["made /workspace/b.txt"]);
    });
  });
}

/** What every store of working folders does with a run that makes too many files, which takes seconds. */
export function workingFolderLimitsContract(name: string, create: () => FoldersUnderContract): void {
  describe(`${name}: a run`, () => {
    it.each([
      ["files", folderLimits.files, [(path: string) => writeFileSync(path, "")]],
      [
        "links and folders",
        0,
        [(path: string) => symlinkSync("nowhere", path), (path: string) => mkdirSync(path)],
      ],
    ])("a run is told when it has too many %s, and existing files stay", async (_, listed, makers) => {
      const folder = create().open().of(here);
      const { value } = await folder.use(
        useOf(),
        async (working) => {
          const root = onDisk(working, "/workspace");
          for (let at = 0; at <= folderLimits.files; at += 1) makers[at % makers.length]?.(`${root}/${at}`);
          return await working.exceeded();
        },
        noSignal,
      );
      expect(value).toMatch(/more than 10,000 files.*What is there is kept: remove some/);
      expect((await folder.list()).files).toHaveLength(listed);
      expect(await runThatWrites(folder, {})).toEqual([]);
    });
  });
}
