import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { skillText, sourceOf, temporaryFolder, writeFiles } from "./temporary-folder.ts";

async function filesOf(root: string) {
  const { skills } = await sourceOf(root).load();
  const files = skills[0]?.files;
  if (files === undefined) throw new Error("the skill has no files");
  return files;
}

const guide = {
  "guide/SKILL.md": skillText("guide"),
  "guide/references/terms.md": "Terms",
  "secret.txt": "secret",
};

test("a text file is read by its relative path", async () => {
  const files = await filesOf(temporaryFolder(guide));
  expect(await files.read("references/terms.md")).toEqual({ ok: true, text: "Terms" });
  expect(await files.read("./references/../references/terms.md")).toEqual({ ok: true, text: "Terms" });
});

test.each(["../secret.txt", "references/../../secret.txt", "/etc/passwd", "C:\\x", "..\\secret.txt"])(
  "the path %s leads out of the folder and is refused",
  async (wanted) => {
    const files = await filesOf(temporaryFolder(guide));
    expect(await files.read(wanted)).toMatchObject({
      ok: false,
      message: expect.stringContaining("leads out"),
    });
  },
);

test("a missing file is answered with the files there are", async () => {
  const files = await filesOf(temporaryFolder(guide));
  const answer = await files.read("terms.md");
  expect(answer).toMatchObject({ ok: false, message: expect.stringContaining("references/terms.md") });
});

test("hidden files are neither listed nor read", async () => {
  const files = await filesOf(
    temporaryFolder({ ...guide, "guide/.env": "TOKEN=1", "guide/.git/config": "x" }),
  );
  expect((await files.list()).map((file) => file.path)).toEqual(["SKILL.md", "references/terms.md"]);
  expect(await files.read(".env")).toMatchObject({ ok: false });
});

test("binary and overlong files are refused with the reason", async () => {
  const extra = { "guide/pic.png": Buffer.from([0x89, 0, 1]), "guide/long.txt": "x".repeat(256 * 1024 + 1) };
  const files = await filesOf(temporaryFolder({ ...guide, ...extra }));
  expect(await files.read("pic.png")).toMatchObject({ message: expect.stringContaining("not a text file") });
  expect(await files.read("long.txt")).toMatchObject({ message: expect.stringContaining("at most") });
});

test("a file changed or removed since the skill was loaded is refused", async () => {
  const root = temporaryFolder(guide);
  const files = await filesOf(root);
  writeFiles(root, { "guide/references/terms.md": "Other" });
  expect(await files.read("references/terms.md")).toMatchObject({
    message: expect.stringContaining("changed since"),
  });
  rmSync(path.join(root, "guide/references/terms.md"));
  expect(await files.read("references/terms.md")).toMatchObject({
    message: expect.stringContaining("changed since"),
  });
  expect(await (await filesOf(root)).list()).toHaveLength(1);
});
