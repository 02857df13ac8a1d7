import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sealFolder } from "../../../../src/sandbox/build-folder.ts";
import {
  PreparedSets,
  type SetManifest,
  type SetName,
} from "../../../../src/sandbox/prepare/prepared-sets.ts";

const python: SetName = { language: "python" };

const dayMs = 24 * 60 * 60_000;
const age = (path: string, ms: number) => {
  const then = new Date(Date.now() - ms);
  utimesSync(path, then, then);
};

const manifest = (version: string): SetManifest => ({
  language: "python",
  asked: ["fruit"],
  packages: [{ name: "fruit", version, hashes: ["sha256:0"] }],
  runtime: "3.11",
  prepared_at: 1,
  by: "ada",
  bytes: 1,
});

describe("the sets of prepared packages", () => {
  let root: string;
  let sets: PreparedSets;
  const put = async (name: SetName, version: string) => {
    const build = await sets.makeBuild(name);
    await mkdir(join(build, "site"));
    await writeFile(join(build, "site", "fruit.py"), version);
    await sets.swap(name, join(build, "site"), manifest(version), `fruit==${version}\n`);
    rmSync(build, { recursive: true });
  };
  const seen = async (in_ = sets) => {
    const set = await in_.get(python);
    return set && (await readFile(join(set.folder, "fruit.py"), "utf8"));
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "knack-sets-"));
    sets = new PreparedSets(root);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("prepared sets replace a version by the next in one step", async () => {
    expect(await seen()).toBeUndefined();
    await put(python, "1");
    await put(python, "2");
    expect(await seen()).toBe("2");
    expect(await seen(new PreparedSets(root))).toBe("2");
  });

  it.each(["build", "version", "next"])(
    "prepared sets have the old version after a crash (left behind: %s)",
    async (left) => {
      await put(python, "1");
      const folder = join(root, "python");
      if (left === "build") mkdirSync(join(folder, "build-1", "install"), { recursive: true });
      if (left !== "build")
        mkdirSync(join(folder, "v-00000000-0000-0000-0000-000000000000", "packages"), { recursive: true });
      if (left === "next") writeFileSync(join(folder, "next"), "v-00000000-0000-0000-0000-000000000000");
      for (const name of readdirSync(folder)) age(join(folder, name), dayMs + 1_000);
      const later = new PreparedSets(root);
      await later.clean();
      expect(await seen(later)).toBe("1");
      expect(await readdir(folder)).toEqual(["current", expect.stringMatching(/^v-/)]);
    },
  );

  it("prepared sets have no version where nothing was ever complete, or files of it are gone", async () => {
    age(await sets.makeBuild(python), dayMs + 1_000);
    const later = new PreparedSets(root);
    await later.clean();
    expect(await later.get(python)).toBeUndefined();
    expect(await readdir(root)).toEqual([]);
    await put(python, "1");
    const set = await sets.get(python);
    rmSync(join(set?.folder ?? "", "..", "set.json"));
    expect(await seen(new PreparedSets(root))).toBeUndefined();
    expect(await new PreparedSets(root).all()).toEqual([]);
  });

  it("prepared sets keep those of skills apart, whatever they are called", async () => {
    for (const skill of ["../python", "a/b", "a_b"]) await put({ language: "python", skill }, skill);
    expect(await seen()).toBeUndefined();
    expect(await sets.all()).toHaveLength(3);
    await sets.remove({ language: "python", skill: "a/b" });
    expect(await sets.all()).toHaveLength(2);
  });

  describe("in a folder that processes share", () => {
    let other: PreparedSets;
    beforeEach(() => {
      other = new PreparedSets(root);
    });

    it("shared sets are seen as another process left them, each change is noticed, and nothing else", async () => {
      const seenChanges = new Set<string>();
      const look = async () => {
        expect(await other.changes()).toBe(await other.changes());
        seenChanges.add(await other.changes());
        return await seen(other);
      };
      expect(await look()).toBeUndefined();
      await put(python, "1");
      expect(await look()).toBe("1");
      await put(python, "2");
      expect(await look()).toBe("2");
      expect(await other.get(python)).toBe(await other.get(python));
      await sets.remove(python);
      expect(await look()).toBeUndefined();
      expect(seenChanges.size).toBe(4);
    });

    it("shared sets keep a replaced or removed version for a day, because another process may use it", async () => {
      await put(python, "1");
      const used = await other.get(python);
      const version = join(used?.folder ?? "", "..");
      age(version, 2 * dayMs);
      await put(python, "2");
      await sets.remove(python);
      await new PreparedSets(root).clean();
      expect(readdirSync(join(root, "python"))).toHaveLength(2);
      expect(await readFile(join(used?.folder ?? "", "fruit.py"), "utf8")).toBe("1");
      age(version, dayMs + 1_000);
      await sets.clean();
      expect(existsSync(version)).toBe(false);
      expect(readdirSync(join(root, "python"))).toHaveLength(1);
    });

    it("shared sets keep what another process is building when a process starts, and not what a dead one left", async () => {
      const [building, dead] = [await sets.makeBuild(python), await sets.makeBuild({ language: "node" })];
      age(dead, dayMs + 1_000);
      await other.clean();
      expect(existsSync(building)).toBe(true);
      expect(await readdir(root)).toEqual(["python"]);
    });
  });

  it("prepared sets seal no folder with a link that leads out, or with too much", async () => {
    const folder = join(root, "made");
    await mkdir(join(folder, "deep"), { recursive: true });
    await writeFile(join(folder, "deep", "x.js"), "12345");
    await symlink("deep/x.js", join(folder, "fine"));
    expect(await sealFolder(folder, 100)).toBe(5);
    await expect(sealFolder(folder, 4)).rejects.toThrow(/larger than/);
    for (const target of ["/etc/passwd", "../outside", "deep/../../outside"]) {
      await symlink(target, join(folder, "bad"));
      await expect(sealFolder(folder, 100)).rejects.toThrow(/bad in it leads out/);
      rmSync(join(folder, "bad"));
    }
  });
});
