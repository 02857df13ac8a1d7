import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, tarOf, tgzOf, zipOf } from "./build-archives.ts";
import { byAnna, only, packagePlace, signal, succeeded, upload } from "./package-place.ts";

/** A repository as people publish them; a value that begins with `->` is a link. */
const repository = {
  "README.md": "About",
  "AGENTS.md": "->CLAUDE.md",
  "CLAUDE.md": "For agents.",
  ".agents/skills": "->../skills",
  "shared/style.md": "Be brief.",
  "skills/letter/SKILL.md": skillText("letter"),
  "skills/letter/LICENSE": "->../../LICENSE",
  "skills/letter/references": "->../../shared",
  "skills/letter/gone.md": "->nowhere.md",
  LICENSE: "MIT",
  "skills/pack/SKILL.md": skillText("pack"),
  "skills/pack/parts.tar.gz": tgzOf([{ name: "x", data: "x" }]),
  "skills/broken/SKILL.md": "---\nname: broken\n---\n",
  ".claude/skills/inner/SKILL.md": skillText("inner"),
  ".claude/skills/letter/SKILL.md": skillText("letter", "A copy."),
  "catalogue/.curated/chosen/SKILL.md": skillText("chosen"),
  ".venv/lib/secret/SKILL.md": skillText("secret"),
  "archive/old.zip": zipOf([{ name: "SKILL.md", data: skillText("old") }]),
};
const found = ["chosen", "inner", "letter", "pack"];

async function folderOf(root: string, files: Record<string, string | Buffer>): Promise<string> {
  const folder = join(root, "repository");
  for (const [path, data] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    const link = typeof data === "string" && data.startsWith("->") ? data.slice(2) : undefined;
    if (link === undefined) await writeFile(target, data);
    else await symlink(link, target);
  }
  return folder;
}

const linkOf = (data: string | Buffer) =>
  typeof data === "string" && data.startsWith("->") ? data.slice(2) : undefined;

const archives = {
  zip: (files: Record<string, string | Buffer>) =>
    zipOf(
      Object.entries(files).map(([name, data]) => {
        const link = linkOf(data);
        return {
          name: `repo-main/${name}`,
          data: link ?? data,
          ...(link !== undefined && { mode: 0o120777 }),
        };
      }),
    ),
  tar: (files: Record<string, string | Buffer>) =>
    tarOf(
      Object.entries(files).map(([name, data]) => {
        const link = linkOf(data);
        return { name: `repo-main/${name}`, ...(link === undefined ? { data } : { type: "2", link }) };
      }),
    ),
};

describe("a repository in which not all is sound", () => {
  it.each(["folder", "zip", "tar"] as const)(
    "its sound skills are installed, and what is left out is named (%s)",
    async (kind) => {
      const place = await packagePlace();
      const packages = await place.open();
      const source =
        kind === "folder"
          ? { kind: "path" as const, path: await folderOf(place.root, repository) }
          : upload(archives[kind](repository), "repo.zip");
      const outcome = await packages.install(source, byAnna);
      const installed = succeeded(outcome);
      expect(installed.map(({ skill_id }) => skill_id).toSorted()).toEqual(found);
      const left = outcome.ok ? (outcome.left_out ?? []) : [];
      expect(left.map(({ path, code }) => `${code} ${path.replace(/^repo-main\/?/, "")}`)).toEqual([
        "missing_description skills/broken",
        "duplicate_skill .claude/skills/letter",
        "instructions CLAUDE.md",
        "not_searched .venv",
        "unused_files ",
      ]);
      const letter = join(place.folders.skills, "letter");
      expect((await readdir(letter, { recursive: true })).toSorted()).toEqual([
        "LICENSE",
        "SKILL.md",
        "references",
        "references/style.md",
      ]);
      expect(await readFile(join(letter, "LICENSE"), "utf8")).toBe("MIT");
      const codes = (id: string) =>
        installed.find(({ skill_id }) => skill_id === id)?.review.findings.map(({ code }) => code);
      expect(codes("letter")).toContain("broken_link");
      expect(codes("pack")).toContain("nested_archive");
      const loaded = await packages.verify(await place.load());
      expect(loaded.skills.every(({ problems }) => problems === undefined)).toBe(true);
    },
  );

  it("a SKILL.md at the root hides no other one, except among its own material", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const files = {
      "SKILL.md": skillText("all"),
      "one/SKILL.md": skillText("one"),
      "more/two/SKILL.md": skillText("two"),
      "templates/SKILL.md": skillText("template"),
      "test-fixtures/bad/SKILL.md": skillText("bad"),
    };
    const installed = succeeded(await packages.install(upload(archives.zip(files)), byAnna));
    expect(installed.map(({ skill_id }) => skill_id)).toEqual(["all", "one", "two"]);
    expect((await readdir(join(place.folders.skills, "all"))).toSorted()).toEqual([
      ...["SKILL.md", "more", "one", "templates", "test-fixtures"],
    ]);
  });

  it("a name that some system cannot store keeps out its own skill only", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const files = {
      "docs/what is this?.md": "x",
      "skills/one/SKILL.md": skillText("one"),
      "skills/two/SKILL.md": skillText("two"),
      "skills/two/aux.txt": "x",
      [`deep/${"d/".repeat(30)}x.java`]: "x",
    };
    const outcome = await packages.install(upload(archives.zip(files)), byAnna);
    expect(only(succeeded(outcome)).skill_id).toBe("one");
    expect(outcome).toMatchObject({
      left_out: [
        { path: "repo-main/skills/two", code: "reserved_name", message: expect.stringContaining("aux.txt") },
      ],
    });
  });

  it("links that go in circles or through each other end", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const files = {
      "skills/one/SKILL.md": "->../../text/guide.md",
      "text/guide.md": skillText("one"),
      "skills/one/up": "->..",
      "skills/one/all": "->../../text",
      "text/a": "->b",
      "text/b": "->a",
      "text/self": "->../text",
    };
    const path = await folderOf(place.root, files);
    expect(only(succeeded(await packages.install({ kind: "path", path }, byAnna))).skill_id).toBe("one");
    const there = await readdir(join(place.folders.skills, "one"), { recursive: true });
    expect(there.toSorted()).toEqual(["SKILL.md", "all", "all/guide.md"]);
  });

  it("links that multiply a few files are stopped", async () => {
    const packages = await (await packagePlace({ limits: { unpacked_bytes: 20_000, files: 50 } })).open();
    const names = Array.from({ length: 40 }, (_, at) => at);
    const links = (folder: string) =>
      Object.fromEntries(names.map((at) => [`${folder}/l${at}`, "->../shared"]));
    const shared = Object.fromEntries(names.map((at) => [`shared/${at}.md`, "x"]));
    const large = Object.fromEntries(
      names.flatMap((at) => [
        [`s${at}/SKILL.md`, skillText(`s${at}`)],
        [`s${at}/data`, "->../large"],
      ]),
    );
    const install = (files: Record<string, string>) => packages.install(upload(archives.tar(files)), byAnna);
    expect(await install({ ...large, large: "x".repeat(1_000) })).toMatchObject({ code: "too_large" });
    const many = {
      ...shared,
      ...links("many"),
      "many/SKILL.md": skillText("many"),
      "one/SKILL.md": skillText("one"),
    };
    expect(await install(many)).toMatchObject({
      value: [{ skill_id: "one" }],
      left_out: [{ code: "too_many_files" }, { code: "unused_files" }],
    });
  });
});

describe("choosing", () => {
  const many = (count: number) =>
    archives.zip(
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`skills/s${at}/SKILL.md`, skillText(`s${at}`)]),
      ),
    );

  it("only the chosen skills are read and installed, and an update keeps to them", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const path = await folderOf(place.root, {
      "a/SKILL.md": skillText("a"),
      "b/SKILL.md": skillText("b"),
      "c/SKILL.md": skillText("c"),
    });
    const source = { kind: "path" as const, path };
    const reviews = succeeded(await packages.review(source, { signal, only: ["C", "a"] }));
    expect(reviews.map(({ skill_id }) => skill_id)).toEqual(["a", "c"]);
    await packages.install(source, { ...byAnna, only: ["a", "c"] });
    const updated = succeeded(await packages.update("a", byAnna));
    expect(updated.map(({ skill_id }) => skill_id)).toEqual(["a", "c"]);
    expect(await packages.install(source, { ...byAnna, only: ["a", "bb"] })).toMatchObject({
      ok: false,
      code: "no_such_skill",
      reason: expect.stringMatching(/no skill called bb\. Did you mean b /),
    });
  });

  it("a package of more skills than were asked for names them, and more than 1,000 are never installed at once", async () => {
    const packages = await (await packagePlace()).open();
    const install = (count: number, most?: number) =>
      packages.install(upload(many(count)), { ...byAnna, most });
    expect(await install(3, 2)).toMatchObject({
      ok: false,
      code: "choose_skills",
      choices: [{ skill_id: "s0", description: "Greets people." }, { skill_id: "s1" }, { skill_id: "s2" }],
    });
    expect(await install(1_001)).toMatchObject({
      code: "choose_skills",
      reason: expect.stringMatching(/1001 skills; at most 1000.*and 961 more/),
    });
    expect((await packages.list()).length).toBe(0);
  });

  it("50 skills are installed at once", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    expect(succeeded(await packages.install(upload(many(50)), byAnna)).length).toBe(50);
    expect((await place.load()).skills.length).toBe(50);
  });

  it("a repository of 400 MB gives its sound skills, without reading the rest", async () => {
    const place = await packagePlace();
    const root = await folderOf(place.root, {
      "skills/small/SKILL.md": skillText("small"),
      "skills/large/SKILL.md": skillText("large"),
      "skills/large/model.bin": "",
      "film.mov": "",
    });
    for (const file of ["skills/large/model.bin", "film.mov"]) await truncate(join(root, file), 200_000_000);
    const outcome = await (await place.open()).install({ kind: "path", path: root }, byAnna);
    expect(succeeded(outcome).map(({ skill_id }) => skill_id)).toEqual(["small"]);
    expect(outcome.ok && outcome.left_out).toContainEqual(
      expect.objectContaining({ path: "skills/large", code: "too_large" }),
    );
  });

  it("a package that is too large as a whole gives the chosen part", async () => {
    const packages = await (await packagePlace({ limits: { unpacked_bytes: 3_000 } })).open();
    const file = (at: number) => Buffer.from(Array.from({ length: 1_000 }, (_, each) => (each * at) % 251));
    const files = Object.fromEntries(
      [1, 2, 3, 4].flatMap((at): [string, string | Buffer][] => [
        [`s${at}/SKILL.md`, skillText(`s${at}`)],
        [`s${at}/data.txt`, file(at)],
      ]),
    );
    const source = upload(archives.zip({ ...files, "docs/film.mp4": file(5) }));
    expect(await packages.install(source, byAnna)).toMatchObject({
      code: "too_large",
      reason: expect.stringContaining("--only"),
    });
    expect(await packages.install(source, { ...byAnna, only: ["s2", "s3"] })).toMatchObject({ ok: true });
  });

  it("a skill that alone is too large keeps out itself only", async () => {
    const packages = await (await packagePlace({ limits: { unpacked_bytes: 3_000 } })).open();
    const film = "x".repeat(4_000);
    const files = { "a/SKILL.md": skillText("a"), "b/SKILL.md": skillText("b"), "b/film.txt": film };
    const outcome = await packages.install(upload(archives.tar(files)), byAnna);
    expect(outcome).toMatchObject({
      value: [{ skill_id: "a" }],
      left_out: [{ path: "repo-main/b", code: "too_large", message: expect.stringContaining("film.txt") }],
    });
  });
});
