import { existsSync } from "node:fs";
import { mkdir, readdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, type TarEntry, tarOf, tgzOf, type ZipEntry, zipOf } from "./build-archives.ts";
import { byAnna, packagePlace, upload } from "./package-place.ts";

const document = { name: "SKILL.md", data: skillText("greeting") };

const zips: [code: string, what: string, entries: ZipEntry[]][] = [
  ["path_leaves_package", "../evil.sh", [{ name: "../evil.sh", data: "x" }]],
  ["path_leaves_package", "a/../../evil.sh", [{ name: "a/../../evil.sh", data: "x" }]],
  ["absolute_path", "/etc/passwd", [{ name: "/etc/passwd", data: "x" }]],
  ["drive_letter", "C:/evil.sh", [{ name: "C:/evil.sh", data: "x" }]],
  ["backslash", "..\\evil.sh", [{ name: "..\\evil.sh", data: "x" }]],
  ["nul_in_name", "a\\u0000b", [{ name: "a\0b", data: "x" }]],
  ["invisible_name", "a\\u202etxt.sh", [{ name: "a\u202etxt.sh", data: "x" }]],
  ["reserved_name", "aux.txt", [{ name: "aux.txt", data: "x" }]],
  ["reserved_name", "file.txt:stream", [{ name: "file.txt:stream", data: "x" }]],
  ["reserved_name", "name.", [{ name: "name.", data: "x" }]],
  ["too_deep", "d/d/d", [{ name: `${"d/".repeat(17)}x`, data: "x" }]],
  ["path_too_long", "nnnn", [{ name: "n".repeat(300), data: "x" }]],
  ["link", "passwords", [{ name: "passwords", data: "/etc/passwd", mode: 0o120777 }]],
  ["link", "a/up", [{ name: "a/up", data: "../b/../../outside", mode: 0o120777 }]],
  ["special_file", "pipe", [{ name: "pipe", mode: 0o010644 }]],
  ["special_file", "disk", [{ name: "disk", mode: 0o060644 }]],
  ["encrypted", "a.txt", [{ name: "a.txt", data: "x", flags: 1 }]],
  ["unknown_compression", "a.txt", [{ name: "a.txt", data: "x", method: 12 }]],
  ["lying_size", "a.txt", [{ name: "a.txt", data: "x".repeat(500), declared: 10 }]],
  ["lying_size", "b.txt", [{ name: "b.txt", data: "x", declared: 400 }]],
  ["broken_archive", "c.txt", [{ name: "c.txt", data: "x", crc: 7 }]],
  [
    "duplicate_name",
    "a.txt",
    [
      { name: "a.txt", data: "1" },
      { name: "a.txt", data: "2" },
    ],
  ],
  [
    "duplicate_name",
    "a/b",
    [
      { name: "a/b", data: "1" },
      { name: "a//./b", data: "2" },
    ],
  ],
  [
    "duplicate_name",
    "a",
    [
      { name: "a", data: "1" },
      { name: "a/b", data: "2" },
    ],
  ],
  [
    "names_differ_by_case",
    "RUN.sh",
    [
      { name: "run.sh", data: "1" },
      { name: "RUN.sh", data: "2" },
    ],
  ],
  [
    "names_differ_by_case",
    "Bin",
    [
      { name: "bin/a", data: "1" },
      { name: "Bin/b", data: "2" },
    ],
  ],
  [
    "names_differ_by_case",
    "é",
    [
      { name: "\u00e9", data: "1" },
      { name: "e\u0301", data: "2" },
    ],
  ],
  ["expands_too_much", "zeros", [{ name: "zeros", data: Buffer.alloc(2_000_000) }]],
];

const tars: [code: string, what: string, entries: TarEntry[]][] = [
  ["path_leaves_package", "../evil.sh", [{ name: "../evil.sh", data: "x" }]],
  ["absolute_path", "/etc/passwd", [{ name: "/etc/passwd", data: "x" }]],
  ["link", "passwords", [{ name: "passwords", type: "2", link: "/etc/passwd" }]],
  ["link", "up", [{ name: "a/up", type: "2", link: "../../outside" }]],
  ["link", "hard", [{ name: "hard", type: "1", link: "../outside" }]],
  ["special_file", "null", [{ name: "null", type: "3" }]],
  ["special_file", "disk", [{ name: "disk", type: "4" }]],
  ["special_file", "pipe", [{ name: "pipe", type: "6" }]],
  ["special_file", "odd", [{ name: "odd", type: "Z" }]],
  [
    "duplicate_name",
    "a.txt",
    [
      { name: "a.txt", data: "1" },
      { name: "./a.txt", data: "2" },
    ],
  ],
  [
    "names_differ_by_case",
    "A.txt",
    [
      { name: "a.txt", data: "1" },
      { name: "A.txt", data: "2" },
    ],
  ],
  ["expands_too_much", "zeros", [{ name: "zeros", data: Buffer.alloc(4_000_000) }]],
];

async function installing(data: Buffer, name: string) {
  const place = await packagePlace();
  const packages = await place.open();
  const outcome = await packages.install(upload(data, name), byAnna);
  expect(await readdir(place.folders.skills)).toEqual([]);
  expect(await place.staged()).toEqual([]);
  expect(await packages.list()).toEqual([]);
  expect(existsSync(join(place.root, "data/evil.sh"))).toBe(false);
  return outcome;
}

describe("a ZIP archive is refused, with the entry named and nothing left behind,", () => {
  it.each(zips)(
    "a ZIP archive is refused, with the entry named and nothing left behind, for %s (%s) [package-3]",
    async (code, what, entries) => {
      const outcome = await installing(zipOf([document, ...entries]), "greeting.zip");
      expect(outcome).toMatchObject({ ok: false, code, reason: expect.stringContaining(what) });
    },
  );

  it("a ZIP archive is refused when it is cut off", async () => {
    const whole = zipOf([document, { name: "more.txt", data: "more" }]);
    expect(await installing(whole.subarray(0, -30), "x.zip")).toMatchObject({ code: "broken_archive" });
  });

  it("a ZIP archive is refused with 2,001 files, and taken with the maximum", async () => {
    const files = Array.from({ length: 2_000 }, (_, at) => ({ name: `f/${at}`, data: "x", method: 0 }));
    const outcome = await installing(zipOf([document, ...files]), "many.zip");
    expect(outcome).toMatchObject({ code: "too_many_files", reason: expect.stringContaining("2000 files") });
    const fewer = (count: number) => upload(zipOf([document, ...files.slice(0, count - 1)]));
    const packages = await (await packagePlace({ limits: { files: 20 } })).open();
    expect(await packages.review(fewer(21), { signal: byAnna.signal })).toMatchObject({
      code: "too_many_files",
    });
    const reviewed = await packages.review(fewer(20), { signal: byAnna.signal });
    expect(reviewed).toMatchObject({ ok: true, value: [{ skill_id: "greeting", files: 20 }] });
  });
});

describe("a tar archive is refused, with the entry named and nothing left behind,", () => {
  it.each(tars)(
    "a tar archive is refused, with the entry named and nothing left behind, for %s (%s) [package-3]",
    async (code, what, entries) => {
      const outcome = await installing(tgzOf([document, ...entries]), "greeting.tgz");
      expect(outcome).toMatchObject({ ok: false, code, reason: expect.stringContaining(what) });
    },
  );

  it("a tar archive is refused when it is cut off", async () => {
    const whole = tarOf([document, { name: "more.txt", data: "x".repeat(3_000) }]);
    expect(await installing(whole.subarray(0, 2_500), "x.tar")).toMatchObject({ code: "broken_archive" });
    const packed = tgzOf([document]);
    expect(await installing(packed.subarray(0, -12), "x.tgz")).toMatchObject({ code: "broken_archive" });
  });

  it("a tar archive is refused when its header is damaged", async () => {
    const archive = tarOf([document]);
    archive[20] = 65;
    expect(await installing(archive, "x.tar")).toMatchObject({ code: "broken_archive" });
  });
});

describe("what is unpacked is counted while it comes:", () => {
  const big = { name: "big.txt", data: Buffer.from(Array.from({ length: 3_000 }, (_, at) => at % 251)) };
  it.each([
    ["ZIP", zipOf([document, big])],
    ["tar.gz", tgzOf([document, big])],
    ["tar", tarOf([document, big])],
  ])(
    "a %s over the unpacked limit is refused, and the archive itself may not be larger",
    async (_what, data) => {
      const over = await (await packagePlace({ limits: { unpacked_bytes: 3_000 } })).open();
      expect(await over.install(upload(data), byAnna)).toMatchObject({ code: "too_large" });
      const within = await (await packagePlace({ limits: { unpacked_bytes: 3_500 } })).open();
      expect(await within.install(upload(data), byAnna)).toMatchObject({ ok: true });
      const large = await (await packagePlace({ limits: { archive_bytes: data.length - 1 } })).open();
      expect(await large.install(upload(data), byAnna)).toMatchObject({ code: "archive_too_large" });
    },
  );
});

describe("a folder is refused", () => {
  it("a folder is refused for a link in it, a file of over 50 MB, and files that are over 50 MB together", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const source = join(place.root, "greeting");
    await mkdir(source);
    await writeFile(join(source, "SKILL.md"), document.data);
    await writeFile(join(source, "big.txt"), "");
    await truncate(join(source, "big.txt"), 50_000_001);
    const install = () => packages.install({ kind: "path", path: source }, byAnna);
    expect(await install()).toMatchObject({ code: "too_large", reason: expect.stringContaining("big.txt") });
    await truncate(join(source, "big.txt"), 49_999_999);
    expect(await install()).toMatchObject({ code: "too_large", reason: expect.stringContaining("big.txt") });
    await symlink("/etc/passwd", join(source, "passwords"));
    await truncate(join(source, "big.txt"), 10);
    expect(await install()).toMatchObject({ code: "link", reason: expect.stringContaining("passwords") });
    expect(await place.staged()).toEqual([]);
  });

  it("a folder is refused when it does not exist or holds no skill", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    const missing = await packages.install({ kind: "path", path: join(place.root, "gone") }, byAnna);
    expect(missing).toMatchObject({ code: "unreadable", reason: expect.stringContaining("ENOENT") });
    await mkdir(join(place.root, "empty"));
    const empty = await packages.install({ kind: "path", path: join(place.root, "empty") }, byAnna);
    expect(empty).toMatchObject({ code: "no_skill" });
  });
});

describe("bytes are judged by what they are, not by their name:", () => {
  it.each([
    ["a 7z archive called .zip", Buffer.from("377abcaf271c0004", "hex"), "unknown_format"],
    ["a web page called .tar.gz", Buffer.from("<!doctype html><p>Sign in"), "unknown_format"],
    ["a program", Buffer.from("7f454c460201010000", "hex"), "unknown_format"],
    ["an empty file", Buffer.alloc(0), "unknown_format"],
  ])("an archive is judged by its bytes: %s is refused", async (_what, data, code) => {
    expect(await installing(data, "greeting.zip")).toMatchObject({ ok: false, code });
  });

  it("a tar.gz called .zip and a bare SKILL.md are installed", async () => {
    const packages = await (await packagePlace()).open();
    expect(await packages.install(upload(tgzOf([document]), "x.zip"), byAnna)).toMatchObject({ ok: true });
    const single = upload(Buffer.from(skillText("alone")), "SKILL.md");
    expect(await packages.install(single, byAnna)).toMatchObject({ value: [{ skill_id: "alone" }] });
  });
});
