import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SkillSource } from "../../../src/core/skill/skill.ts";
import { isYoung } from "../../../src/skills/directory-listings.ts";
import { skillText, sourceOf, temporaryFolder, writeFiles } from "./temporary-folder.ts";

const idsOf = async (source: SkillSource) => (await source.load()).skills.map((skill) => skill.id);
const codesOf = async (source: SkillSource) => (await source.load()).diagnostics.map((each) => each.code);

const weather = {
  "weather/SKILL.md": skillText("weather"),
  "weather/scripts/forecast.py": "print('sun')\n",
};

test("a folder is loaded as a document skill with its place, hash, guide and files", async () => {
  const root = temporaryFolder(weather);
  const { skills, diagnostics } = await sourceOf(root).load();
  expect(diagnostics).toEqual([]);
  expect(skills).toMatchObject([
    {
      ...{ id: "weather", kind: "document", instructions: "Body", tools: [] },
      origin: { source: "workspace", precedence: 3, path: path.join(root, "weather") },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
  expect(await skills[0]?.files?.list()).toEqual([
    { path: "SKILL.md", bytes: skillText("weather").length },
    { path: "scripts/forecast.py", bytes: 13 },
  ]);
});

test("the folder source answers the same object while nothing changes", async () => {
  const root = temporaryFolder(weather);
  const source = sourceOf(root);
  const first = await source.load();
  expect(await source.load()).toBe(first);
  await untilTrusted(path.join(root, "weather/scripts/forecast.py"));
  expect(await source.load()).toBe(first);
  expect(await source.load()).toBe(first);
  expect(await Promise.all([source.load(), source.load(), source.load()])).toEqual([first, first, first]);
});

test("a skill's hash depends only on names and contents", async () => {
  const [one, two, three] = [weather, weather, { ...weather, "weather/scripts/more.py": "" }].map((files) =>
    sourceOf(temporaryFolder(files)).load(),
  );
  const hashes = (await Promise.all([one, two, three])).map((loaded) => loaded?.skills[0]?.hash);
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

const changes: [string, (root: string) => void][] = [
  ["a changed guide", (root) => writeFiles(root, { "weather/SKILL.md": skillText("weather", "Other") })],
  ["a changed script", (root) => writeFiles(root, { "weather/scripts/forecast.py": "print('rain')\n" })],
  [
    "a change that keeps the size",
    (root) => writeFiles(root, { "weather/scripts/forecast.py": "print('fog')\n" }),
  ],
  ["an added file", (root) => writeFiles(root, { "weather/references/new.md": "new" })],
  ["an added hidden file", (root) => writeFiles(root, { "weather/scripts/.config": "new" })],
  ["a removed file", (root) => rmSync(path.join(root, "weather/scripts/forecast.py"))],
  [
    "a renamed file",
    (root) =>
      renameSync(path.join(root, "weather/scripts/forecast.py"), path.join(root, "weather/scripts/f.py")),
  ],
];

test.each(changes)(
  "%s is seen by the next load, and the earlier snapshot stays as it was",
  async (_, change) => {
    const root = temporaryFolder(weather);
    const source = sourceOf(root);
    const before = await source.load();
    const copy = { ...before.skills[0] };
    change(root);
    const after = await source.load();
    expect(after).not.toBe(before);
    expect(after.skills[0]?.hash).not.toBe(copy.hash);
    expect({ ...before.skills[0] }).toEqual(copy);
    expect(await source.load()).toBe(after);
  },
);

test("a change is seen even if size and times were restored", async () => {
  const root = temporaryFolder(weather);
  const source = sourceOf(root);
  const file = path.join(root, "weather/scripts/forecast.py");
  const before = await source.load();
  utimesSync(file, 1000, 1000);
  await untilTrusted(file);
  await source.load();
  writeFileSync(file, "print('ice')\n");
  utimesSync(file, 1000, 1000);
  await untilTrusted(file);
  expect((await source.load()).skills[0]?.hash).not.toBe(before.skills[0]?.hash);
});

test("many changes within one tick of the file system's clock are each seen", async () => {
  const root = temporaryFolder(weather);
  const source = sourceOf(root);
  const hashes = new Set<string | undefined>();
  for (let round = 0; round < 50; round += 1) {
    writeFiles(root, { "weather/scripts/forecast.py": String(round).padStart(4, "0") });
    hashes.add((await source.load()).skills[0]?.hash);
  }
  expect(hashes.size).toBe(50);
});

test("added and removed skills are seen, wherever they are", async () => {
  const root = temporaryFolder(weather);
  const source = sourceOf(root);
  expect(await idsOf(source)).toEqual(["weather"]);
  writeFiles(root, { "group/deep/clock/SKILL.md": skillText("clock") });
  expect(await idsOf(source)).toEqual(["clock", "weather"]);
  renameSync(path.join(root, "group/deep/clock"), path.join(root, "clock"));
  expect(await idsOf(source)).toEqual(["clock", "weather"]);
  rmSync(path.join(root, "weather"), { recursive: true });
  expect(await idsOf(source)).toEqual(["clock"]);
});

test("an unchanged skill stays the same object when another changes", async () => {
  const root = temporaryFolder({ ...weather, "clock/SKILL.md": skillText("clock") });
  const source = sourceOf(root);
  const before = await source.load();
  writeFiles(root, { "weather/scripts/forecast.py": "print('rain')\n" });
  const after = await source.load();
  expect(after.skills[0]).toBe(before.skills[0]);
  expect(after.skills[1]).not.toBe(before.skills[1]);
});

test("a load that is asked for while another runs sees what changed in between", async () => {
  const root = temporaryFolder(
    Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`s${at}/SKILL.md`, skillText(`s${at}`)])),
  );
  const source = sourceOf(root);
  const first = source.load();
  writeFiles(root, { "added/SKILL.md": skillText("added") });
  const second = await source.load();
  await first;
  expect(second.skills.some((skill) => skill.id === "added")).toBe(true);
});

test("after five minutes contents are read again, and an equal skill stays the same object", async () => {
  let now = 1000;
  const root = temporaryFolder(weather);
  await untilTrusted(path.join(root, "weather/scripts/forecast.py"));
  const source = sourceOf(root, { now: () => now });
  const before = await source.load();
  now += 6 * 60_000;
  expect(await source.load()).toBe(before);
});

test("the search skips hidden folders and node_modules, stops at a SKILL.md, and says what it skipped", async () => {
  const root = temporaryFolder({
    ...weather,
    ".hidden/lib/one/SKILL.md": skillText("one"),
    ".empty/notes.md": "Nothing.",
    "node_modules/two/SKILL.md": skillText("two"),
    "weather/inner/SKILL.md": skillText("inner"),
    "weather/templates/SKILL.md": skillText("template"),
    "a/b/c/d/e/six/SKILL.md": skillText("six"),
  });
  const { skills, diagnostics } = await sourceOf(root).load();
  expect(skills.map(({ id }) => id)).toEqual(["six", "weather"]);
  const told = diagnostics.map(({ path: at, code, message }) => [path.relative(root, at), code, message]);
  expect(told).toEqual([
    [".hidden", "not_searched", expect.stringContaining("lib/one")],
    ["node_modules", "not_searched", expect.stringContaining("two")],
    ["weather", "inner_skills", expect.stringContaining("(inner)")],
  ]);
});

test("packages and files of other programs beside the skills are named, with the way that leads on", async () => {
  const root = temporaryFolder({
    "desk/.claude-plugin/plugin.json": "{}",
    "desk/.mcp.json": "{}",
    "desk/commands/go.md": "Go.",
    "desk/skills/letter/SKILL.md": skillText("letter"),
    "desk/skills/parts.zip": "PK",
    "pix.mcpb": "PK",
    "letter.skill": "PK",
  });
  const { skills, diagnostics } = await sourceOf(root).load();
  expect(skills.map(({ id }) => id)).toEqual(["letter"]);
  expect(
    diagnostics.map(({ path: at, message }) => `${path.relative(root, at)}: ${message}`).toSorted(),
  ).toEqual([
    expect.stringMatching(/^desk: .*knack skills install FOLDER.*"from"/),
    expect.stringMatching(/^letter\.skill: .*knack skills install FILE/),
    expect.stringMatching(/^pix\.mcpb: .*"from"/),
  ]);
});

test.each([
  ".claude",
  ".agents",
  ".cursor",
  ".gemini",
  ".github",
  ".codex",
  ".curated",
  ".experimental",
  ".system",
])("skills are found where agents keep them, in %s", async (folder) => {
  const root = temporaryFolder({ [`project/${folder}/skills/one/SKILL.md`]: skillText("one") });
  expect(await idsOf(sourceOf(root))).toEqual(["one"]);
});

test("a root that is itself a skill is loaded", async () => {
  const root = path.join(temporaryFolder(weather), "weather");
  expect(await idsOf(sourceOf(root))).toEqual(["weather"]);
});

test("a missing root is empty, and reported only where a person named it", async () => {
  const root = path.join(temporaryFolder(), "none");
  expect(await sourceOf(root).load()).toEqual({ skills: [], diagnostics: [] });
  expect(await codesOf(sourceOf(root, { mustExist: true }))).toEqual(["missing_folder"]);
  const source = sourceOf(root);
  await source.load();
  writeFiles(root, weather);
  expect(await idsOf(source)).toEqual(["weather"]);
});

test("links that leave the root are refused, for folders, guides and files alike [package-3]", async () => {
  const outside = temporaryFolder({ ...weather, "secret.txt": "secret" });
  const root = temporaryFolder({ "inside/SKILL.md": skillText("inside"), "half/readme.md": "x" });
  symlinkSync(path.join(outside, "weather"), path.join(root, "weather"));
  symlinkSync(path.join(outside, "weather/SKILL.md"), path.join(root, "half/SKILL.md"));
  symlinkSync(path.join(outside, "secret.txt"), path.join(root, "inside/secret.txt"));
  const { skills, diagnostics } = await sourceOf(root).load();
  expect(skills.map((skill) => skill.id)).toEqual(["inside"]);
  expect(diagnostics.map((each) => each.code)).toEqual(Array(3).fill("link_leaves_root"));
  expect(diagnostics.map((each) => path.relative(root, each.path)).toSorted()).toEqual([
    "half/SKILL.md",
    "inside/secret.txt",
    "weather",
  ]);
  expect(await skills[0]?.files?.read("secret.txt")).toMatchObject({ ok: false });
});

test("a link may stand for a skill in a folder that an operator named, and nothing else there", async () => {
  const linked = temporaryFolder({
    ...weather,
    "weather/own.md": "own",
    "secret.txt": "secret",
    "sub/x.md": "x",
  });
  symlinkSync(path.join(linked, "secret.txt"), path.join(linked, "weather/secret.txt"));
  symlinkSync("own.md", path.join(linked, "weather/again.md"));
  const root = temporaryFolder({ "inside/SKILL.md": skillText("inside") });
  symlinkSync(path.join(linked, "weather"), path.join(root, "weather"));
  symlinkSync(path.join(linked, "sub"), path.join(root, "sub"));
  symlinkSync(path.join(linked, "secret.txt"), path.join(root, "inside/secret.txt"));
  const source = sourceOf(root, { linkFolders: [linked, path.join(linked, "none")] });
  const { skills, diagnostics } = await source.load();
  expect(skills.map(({ id }) => id).toSorted()).toEqual(["inside", "weather"]);
  expect(diagnostics.map(({ code }) => code)).toEqual(Array(3).fill("link_leaves_root"));
  const files = skills.find(({ id }) => id === "weather")?.files;
  expect(await files?.read("again.md")).toEqual({ ok: true, text: "own" });
  expect(await files?.read("secret.txt")).toMatchObject({ ok: false });
  writeFiles(linked, { "weather/own.md": "changed" });
  const [changed] = (await source.load()).skills.filter(({ id }) => id === "weather");
  expect(await changed?.files?.read("own.md")).toEqual({ ok: true, text: "changed" });
});

test("a link within the root is followed, a circle is not, and a changed target is seen", async () => {
  const root = temporaryFolder({ ...weather, "shared/terms.md": "one", "..more/terms.md": "more" });
  symlinkSync("../shared", path.join(root, "weather/shared"));
  symlinkSync("../..more", path.join(root, "weather/more"));
  symlinkSync("..", path.join(root, "weather/loop"));
  symlinkSync("nowhere", path.join(root, "weather/broken"));
  const source = sourceOf(root);
  const before = await source.load();
  expect(before.diagnostics.map((each) => each.code)).toEqual(["broken_link"]);
  expect(await before.skills[0]?.files?.read("shared/terms.md")).toEqual({ ok: true, text: "one" });
  expect(await before.skills[0]?.files?.read("more/terms.md")).toEqual({ ok: true, text: "more" });
  writeFiles(root, { "shared/terms.md": "three" });
  expect((await source.load()).skills[0]?.hash).not.toBe(before.skills[0]?.hash);
});

test("a SKILL.md that is binary is not loaded", async () => {
  const root = temporaryFolder({ "pic/SKILL.md": Buffer.from([0x89, 0x50, 0, 1, 2]) });
  const latin = temporaryFolder({ "pic/SKILL.md": Buffer.from("---\nname: caf\xe9\n---\n", "latin1") });
  expect(await codesOf(sourceOf(root))).toEqual(["binary"]);
  expect(await codesOf(sourceOf(latin))).toEqual(["binary"]);
});

test("a SKILL.md over 256 KB is not loaded", async () => {
  const root = temporaryFolder({ "long/SKILL.md": skillText("long", "x".repeat(256 * 1024)) });
  expect(await codesOf(sourceOf(root))).toEqual(["document_too_large"]);
});

test("a folder over 10 MB is not loaded until it is smaller", async () => {
  const root = temporaryFolder({ ...weather, "weather/film.bin": Buffer.alloc(10 * 1024 * 1024) });
  const source = sourceOf(root);
  expect(await source.load()).toMatchObject({ skills: [], diagnostics: [{ code: "folder_too_large" }] });
  rmSync(path.join(root, "weather/film.bin"));
  expect(await idsOf(source)).toEqual(["weather"]);
});

test("a folder of more files than it may have is not loaded, and what links lead to counts", async () => {
  const root = temporaryFolder(weather);
  mkdirSync(path.join(root, "many"));
  for (let at = 0; at < 9; at += 1) writeFileSync(path.join(root, `many/${at}`), "");
  for (let at = 0; at < 2; at += 1) symlinkSync("../many", path.join(root, `weather/${at}`));
  const source = sourceOf(root, { maxFiles: 25 });
  expect(await idsOf(source)).toEqual(["weather"]);
  symlinkSync("../many", path.join(root, "weather/last"));
  expect(await codesOf(source)).toEqual(["folder_too_large"]);
});

test("a node_modules that makes a folder too large is left out, and a small one is part of the skill", async () => {
  const root = temporaryFolder({ ...weather, "weather/node_modules/a/index.js": "1" });
  const source = sourceOf(root, { maxFiles: 20 });
  const filesOf = async () => {
    const { skills } = await source.load();
    return { hash: skills[0]?.hash, paths: (await skills[0]?.files?.list())?.map((each) => each.path) };
  };
  const small = await filesOf();
  expect(small.paths).toContain("node_modules/a/index.js");
  for (let at = 0; at < 20; at += 1) writeFileSync(path.join(root, `weather/node_modules/a/${at}`), "");
  const large = await filesOf();
  expect(large.paths).toEqual(["SKILL.md", "scripts/forecast.py"]);
  expect(large.hash).not.toBe(small.hash);
  expect((await source.load()).diagnostics).toMatchObject([
    { code: "node_modules_left_out", severity: "warning", path: path.join(root, "weather/node_modules") },
  ]);
  rmSync(path.join(root, "weather/node_modules"), { recursive: true });
  expect((await filesOf()).hash).toBe(large.hash);
  expect((await source.load()).diagnostics).toEqual([]);
});

test("an entry that is neither file nor folder is left out and never read", async () => {
  const root = temporaryFolder(weather);
  const server = createServer().listen(path.join(root, "weather/socket"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await sourceOf(root).load()).toMatchObject({
    skills: [{ id: "weather" }],
    diagnostics: [{ code: "not_a_file" }],
  });
});

test("a folder that cannot be read is reported and hides no other", async () => {
  const root = temporaryFolder({
    ...weather,
    "locked/SKILL.md": skillText("locked"),
    "half/SKILL.md": skillText("half"),
  });
  chmodSync(root, 0o755);
  chmodSync(path.join(root, "locked"), 0o000);
  chmodSync(path.join(root, "half/SKILL.md"), 0o000);
  asOrdinaryUser();
  const { skills, diagnostics } = await sourceOf(root).load();
  expect(skills.map((skill) => skill.id)).toEqual(["weather"]);
  expect(diagnostics.map((each) => [each.code, path.relative(root, each.path)]).toSorted()).toEqual([
    ["unreadable", "half/SKILL.md"],
    ["unreadable", "locked"],
  ]);
});

/** Until the file is so old that its times alone tell whether it changed. */
async function untilTrusted(file: string): Promise<void> {
  await vi.waitUntil(() => !isYoung(statSync(file), Date.now()), { interval: 10 });
}

test("a change within the last tick of a file system's clock is not trusted yet", () => {
  expect(isYoung({ mtimeMs: 0, ctimeMs: 1000 }, 1010)).toBe(true);
  expect(isYoung({ mtimeMs: 5000, ctimeMs: 1000 }, 4000)).toBe(true);
  expect(isYoung({ mtimeMs: 1000, ctimeMs: 1000 }, 1200)).toBe(false);
});

/** Permissions mean nothing to root: the rest of the test runs as nobody. */
function asOrdinaryUser(): void {
  if (process.geteuid?.() !== 0) return;
  onTestFinished(() => process.seteuid?.(0));
  process.seteuid?.(65534);
}
