import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, zipOf } from "./build-archives.ts";
import { byAnna, only, packagePlace, skillNamed, upload } from "./package-place.ts";

const archive = (body = "Say hello.") =>
  zipOf([
    { name: "SKILL.md", data: skillText("greeting", body) },
    { name: "run.sh", data: "echo hello" },
  ]);

async function installed() {
  const place = await packagePlace();
  const packages = await place.open();
  await packages.install(upload(archive()), byAnna);
  return { ...place, packages, folder: join(place.folders.skills, "greeting") };
}

describe("an installed skill", () => {
  it("an installed skill may be used while its files are unchanged, and costs no new object", async () => {
    const { packages, load } = await installed();
    const loaded = await load();
    const verified = await packages.verify(loaded);
    expect(only(verified.skills).problems).toBeUndefined();
    expect(await packages.verify(loaded)).toBe(verified);
    expect(await packages.verifyBeforeRun(only(loaded.skills))).toEqual({ ok: true });
  });

  it("an installed skill cannot be used once a file changed, is new or is gone, and says since when [package-2]", async () => {
    const { packages, load, folder } = await installed();
    const before = only((await load()).skills);
    await writeFile(join(folder, "run.sh"), "echo evil!");
    const verified = await packages.verify(await load());
    expect(only(verified.skills).problems?.[0]).toMatch(/changed since it was installed on 2026-03-01/);
    expect(verified.diagnostics).toMatchObject([{ code: "changed_since_install", severity: "error" }]);
    // A turn that began before still holds the old skill: what is on disk counts.
    expect(await packages.verifyBeforeRun(before)).toMatchObject({ ok: false });
    await writeFile(join(folder, "run.sh"), "echo hello");
    expect(await packages.verifyBeforeRun(before)).toEqual({ ok: true });
    await writeFile(join(folder, "more.sh"), "");
    expect(await packages.verifyBeforeRun(before)).toMatchObject({ ok: false });
    await rename(join(folder, "more.sh"), join(folder, "../more.sh"));
    await rename(join(folder, "run.sh"), join(folder, "../run.sh"));
    await symlink("../run.sh", join(folder, "run.sh"));
    expect(await packages.verifyBeforeRun(before)).toMatchObject({ ok: false });
  });

  it("an installed skill is judged by the copy that will run", async () => {
    const { packages, load, folder, root } = await installed();
    const skill = only((await load()).skills);
    await mkdir(join(root, "copy"));
    await writeFile(join(root, "copy/SKILL.md"), await readFile(join(folder, "SKILL.md")));
    await writeFile(join(root, "copy/run.sh"), "echo hello");
    expect(await packages.verifyBeforeRun(skill, join(root, "copy"))).toEqual({ ok: true });
    await writeFile(join(root, "copy/run.sh"), "echo evil");
    expect(await packages.verifyBeforeRun(skill, join(root, "copy"))).toMatchObject({ ok: false });
    expect(await packages.verifyBeforeRun(skill, join(root, "gone"))).toMatchObject({ ok: false });
  });

  it("a skill that was put there by hand does not count as installed", async () => {
    const { packages, load, folder } = await installed();
    await mkdir(join(folder, "../planted"));
    await writeFile(join(folder, "../planted/SKILL.md"), skillText("planted"));
    const { skills } = await packages.verify(await load());
    expect(skillNamed(skills, "greeting").problems).toBeUndefined();
    expect(skillNamed(skills, "planted").problems?.[0]).toMatch(/was not installed/);
    expect(await packages.verifyBeforeRun(skillNamed(skills, "planted"))).toMatchObject({ ok: false });
  });

  it("a skill of another source is not checked", async () => {
    const { packages, load } = await installed();
    const skill = only((await load()).skills);
    const own = { ...skill, origin: { ...skill.origin, source: "workspace" }, hash: "other" };
    expect(await packages.verifyBeforeRun(own)).toEqual({ ok: true });
  });
});

describe("after a crash", () => {
  /** What a change leaves behind when the bot dies in it; `moved` is how far it got. */
  async function crashed(moved: "nothing" | "old" | "both") {
    const place = await installed();
    const change = join(place.folders.staging, "left");
    const ready = join(change, "ready/skills/greeting");
    await mkdir(ready, { recursive: true });
    await writeFile(join(ready, "SKILL.md"), skillText("greeting", "Half installed."));
    const unit = { place: "skills", name: "greeting", tree: "ab", skill_ids: ["greeting"] };
    await writeFile(join(change, "journal.json"), JSON.stringify({ units: [unit] }));
    await mkdir(join(change, "old/skills"), { recursive: true });
    if (moved !== "nothing") await rename(place.folder, join(change, "old/skills/greeting"));
    if (moved === "both") await rename(ready, place.folder);
    return place;
  }

  it.each(["nothing", "old", "both"] as const)(
    "a crash leaves the old version, complete (moved: %s)",
    async (moved) => {
      const place = await crashed(moved);
      const packages = await place.open();
      expect(await place.staged()).toEqual([]);
      const verified = await packages.verify(await place.load());
      expect(only(verified.skills).problems).toBeUndefined();
      expect(await readFile(join(place.folder, "SKILL.md"), "utf8")).toContain("Say hello.");
    },
  );

  it("a crash keeps what had been registered and removes its leftovers", async () => {
    const place = await installed();
    const entry = (await place.store.get("packages:index")) as { greeting: { tree: string } };
    const change = join(place.folders.staging, "left");
    await mkdir(join(change, "old/skills/greeting"), { recursive: true });
    const unit = { place: "skills", name: "greeting", tree: entry.greeting.tree, skill_ids: ["greeting"] };
    await writeFile(join(change, "journal.json"), JSON.stringify({ units: [unit] }));
    const packages = await place.open();
    expect(await place.staged()).toEqual([]);
    expect(only((await packages.verify(await place.load())).skills).problems).toBeUndefined();
  });

  it("a removal that was not registered is undone after a crash", async () => {
    const place = await installed();
    const change = join(place.folders.staging, "left");
    await mkdir(join(change, "old/skills"), { recursive: true });
    await rename(place.folder, join(change, "old/skills/greeting"));
    const unit = { place: "skills", name: "greeting", skill_ids: ["greeting"] };
    await writeFile(join(change, "journal.json"), JSON.stringify({ units: [unit] }));
    const packages = await place.open();
    expect(only((await packages.verify(await place.load())).skills).problems).toBeUndefined();
  });

  it("leftovers without a journal are removed after a crash, and those with an unreadable one stay", async () => {
    const place = await installed();
    await mkdir(join(place.folders.staging, "unpacked/tree"), { recursive: true });
    await mkdir(join(place.folders.staging, "unclear"));
    await writeFile(join(place.folders.staging, "unclear/journal.json"), "{");
    await place.open();
    expect(await place.staged()).toEqual(["unclear"]);
  });
});
