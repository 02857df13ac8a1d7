import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeLanguage, ScriptOutcome } from "../../../../src/core/ports/work-means.ts";
import type { Preparation } from "../../../../src/core/skill/packages.ts";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import type { Outcome } from "../../../../src/core/values/failure.ts";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { sharingProcesses } from "../../../support/fakes/sharing-processes.ts";
import { needs } from "../../../support/needs.ts";
import { type PackageServers, startPackageServers } from "../../../support/skills/package-servers.ts";
import { ScriptFixture, scriptRequest } from "../script-fixture.ts";

const longest = 60_000;

/** A skill that knows its files, as a loaded one does. */
function withFiles(skill: Skill, paths: readonly string[]): Skill {
  return {
    ...skill,
    code: { runs: "scripts" },
    files: {
      list: async () => paths.map((path) => ({ path, bytes: 1 })),
      read: async () => ({ ok: false, message: "" }),
    },
  };
}

describe("prepared packages", { ...needs("bubblewrap", "python3-pip", "npm"), timeout: longest }, () => {
  const fixture = new ScriptFixture();
  let servers: PackageServers;
  let sandbox: Sandbox;
  const run = async (language: CodeLanguage, code: string): Promise<ScriptOutcome> =>
    await sandbox.code.run({
      ...{ language, code, signal: new AbortController().signal },
      ...{ timeout_ms: 20_000, max_output_bytes: 10_000 },
    });
  const printed = async (language: CodeLanguage, code: string) => {
    const outcome = await run(language, code);
    return outcome.status === "exited" ? outcome.stdout + outcome.stderr : outcome.status;
  };
  const done = async (outcome: Promise<Outcome<Preparation>>) =>
    expect(await outcome).toMatchObject({ ok: true, value: { state: "done" } });
  const prepared = join(fixture.dataDir, "prepared");

  beforeAll(async () => {
    servers = await startPackageServers();
    servers.wheel("fruit-core", "1.0");
    servers.wheel("fruit", "1.0", { requires: ["fruit-core>=1"] });
    servers.wheel("fruit", "2.0", { requires: ["fruit-core>=1"] });
    servers.wheel("nuts", "0.1");
    servers.npm("pips", "1.2.0");
    servers.npm("core", "3.0.0", { manifest: { dependencies: { pips: "^1.0.0" } } });
    sandbox = await createSandbox({ dataDir: fixture.dataDir, ...servers.options });
    expect(sandbox.describe()).toMatchObject({ isolation: "bubblewrap" });
  });
  afterAll(async () => {
    await servers[Symbol.asyncDispose]();
    fixture[Symbol.dispose]();
  });

  it("prepared wheels are installed with what they need, and code finds them without a network", async () => {
    expect(await sandbox.prepared.add("python", ["fruit==1.0"], "ada")).toMatchObject({
      ok: true,
      value: { state: "done", message: expect.stringContaining("2 packages") },
    });
    expect(await printed("python", "import fruit, fruit_core\nprint(fruit.version)")).toBe("1.0\n");
    expect(await printed("bash", "python3 -c 'import fruit; print(fruit.version)'")).toBe("1.0\n");
    expect(await sandbox.code.means()).toMatchObject({
      packages: { python: ["fruit 1.0", "1 dependency of these"] },
    });
    expect(servers.server.requests.every(({ url }) => /^\/(simple|files)\//.test(url))).toBe(true);
  });

  it("prepared packages stay, by their hash, when more are added, and unrequested ones are removed", async () => {
    await done(sandbox.prepared.add("python", ["nuts"], "ada"));
    const { sets } = await sandbox.prepared.list();
    expect(sets).toMatchObject([
      {
        language: "python",
        asked: ["fruit==1.0", "nuts"],
        packages: [
          { name: "fruit", version: "1.0" },
          { name: "nuts", version: "0.1" },
          { name: "fruit-core", version: "1.0" },
        ],
        by: "ada",
      },
    ]);
    const version = await readFile(join(prepared, "python", "current"), "utf8");
    const lock = await readFile(join(prepared, "python", version, "requirements.lock"), "utf8");
    expect(lock.trim().split("\n")).toEqual(
      ["fruit==1.0", "nuts==0.1", "fruit-core==1.0"].map((pin) =>
        expect.stringMatching(new RegExp(`^${pin} --hash=sha256:[0-9a-f]{64}$`)),
      ),
    );
    await done(sandbox.prepared.add("python", ["fruit>1"], "ada"));
    expect(await printed("python", "import fruit\nprint(fruit.version)")).toBe("2.0\n");
    await done(sandbox.prepared.remove("python", ["fruit"], "ada"));
    expect(await printed("python", "import nuts, fruit_core")).toContain("No module named 'fruit_core'");
    await done(sandbox.prepared.remove("python", ["nuts"], "ada"));
    expect(await sandbox.prepared.list()).toMatchObject({ sets: [] });
    expect(await printed("python", "import nuts")).toContain("No module named 'nuts'");
  });

  it("prepared packages of npm are installed with what they need, pinned by a lock", async () => {
    await done(sandbox.prepared.add("node", ["core@^3"], "ada"));
    const code = 'import core from "core"; import pips from "pips"; console.log(core, pips);';
    expect(await printed("javascript", code)).toBe("core 3.0.0 pips 1.2.0\n");
    servers.npm("pips", "1.3.0");
    servers.npm("oak", "1.0.0");
    await done(sandbox.prepared.add("node", ["oak"], "ada"));
    expect(await printed("javascript", code)).toBe("core 3.0.0 pips 1.2.0\n");
    expect(await sandbox.code.means()).toMatchObject({
      packages: { javascript: ["core 3.0.0", "oak 1.0.0", "1 dependency of these"] },
    });
    await done(sandbox.prepared.add("node", [], "ada"));
    expect(await printed("javascript", code)).toBe("core 3.0.0 pips 1.3.0\n");
  });

  it("prepared packages in use by running code stay while others replace them", async () => {
    servers.wheel("late", "1.0");
    await done(sandbox.prepared.add("python", ["late"], "ada"));
    const before = await readFile(join(prepared, "python", "current"), "utf8");
    const began = Promise.withResolvers<void>();
    const folder = join(fixture.root, "thread");
    await mkdir(join(folder, "output"), { recursive: true });
    const mounts = [{ from: folder, to: "/workspace", writable: true }];
    const running = sandbox.code.run({
      language: "python",
      code: `import os, time
print("began", flush=True)
while not os.path.exists("/workspace/go"): time.sleep(0.05)
import late
print(late.version)`,
      working: {
        ...{ mounts, working: "/workspace", output: "/workspace/output", room: 1_000_000 },
        exceeded: async () => undefined,
      },
      ...{ signal: new AbortController().signal, timeout_ms: 40_000, max_output_bytes: 10_000 },
      onLine: () => began.resolve(),
    });
    await began.promise;
    servers.wheel("late", "2.0");
    await done(sandbox.prepared.add("python", ["late"], "ada"));
    expect(await readdir(join(prepared, "python"))).toContain(before);
    expect(await printed("python", "import late\nprint(late.version)")).toBe("2.0\n");
    await writeFile(join(folder, "go"), "");
    expect(await running).toMatchObject({ exit_code: 0, stdout: "began\n1.0\n" });
  });

  it("prepared packages stay as they were when the next set cannot be built", async () => {
    expect(await sandbox.prepared.add("python", ["nothing-like-this"], "ada")).toMatchObject({
      ok: false,
      message: expect.stringMatching(/No matching distribution.*nothing-like-this.*are unchanged/),
    });
    expect(await printed("python", "import late\nprint(late.version)")).toBe("2.0\n");
    expect((await readdir(join(prepared, "python"))).filter((name) => name.startsWith("build"))).toEqual([]);
    const again = await createSandbox({ dataDir: fixture.dataDir, ...servers.options });
    expect(await again.code.means()).toMatchObject({ packages: { python: ["late 2.0"] } });
  });

  it("prepared packages of a skill are shown to it alone, until its list changes [package-6]", async () => {
    const files = {
      "requirements.txt": "nuts==0.1  # for cracking\n",
      "package.json": JSON.stringify({ dependencies: { oak: "1" } }),
      "scripts/run.py": "import nuts\nprint(nuts.version)",
      "scripts/general.py": "import late",
      "scripts/run.mjs": 'import oak from "oak"; console.log(oak);',
    };
    const skill = withFiles(fixture.skill(files), Object.keys(files));
    expect(await sandbox.prepared.lacks(skill)).toContain("knack sandbox prepare probe");
    await done(sandbox.prepared.prepare(skill, "ada"));
    expect(await sandbox.prepared.lacks(skill)).toBeUndefined();
    const script = async (path: string) => await sandbox.scripts.run(scriptRequest(skill, path));
    expect(await script("scripts/run.py")).toMatchObject({ stdout: "0.1\n" });
    expect(await script("scripts/run.mjs")).toMatchObject({ stdout: "oak 1.0.0\n" });
    expect(await script("scripts/general.py")).toMatchObject({ exit_code: 1 });
    expect(await printed("python", "import nuts")).toContain("No module named");
    const line = { kind: "command", line: "python3 -c 'import nuts; print(nuts.version)'" } as const;
    expect(await sandbox.scripts.run({ ...scriptRequest(skill, ""), work: line })).toMatchObject({
      stdout: "0.1\n",
    });

    const changed = fixture.skill({ ...files, "requirements.txt": "nuts\nlate\n" });
    expect(await sandbox.prepared.lacks(withFiles(changed, Object.keys(files)))).toContain("changed since");
    const elsewhere = withFiles(
      fixture.skill({ ...files, "requirements.txt": "nuts @ https://evil.example/nuts.whl\n" }),
      Object.keys(files),
    );
    expect(await sandbox.prepared.lacks(elsewhere)).toContain("is no package");
    expect(await sandbox.prepared.prepare(elsewhere, "ada")).toMatchObject({ ok: false, status: 409 });
    await sandbox.prepared.drop("probe");
    expect(await script("scripts/run.py")).toMatchObject({ exit_code: 1 });
    const left = (await sandbox.prepared.list()).sets.filter((set) => set.skill === "probe");
    expect(left).toEqual([]);
  });

  it("a long preparation continues, reports its state, and prepares nothing else in between", async () => {
    const patient = await createSandbox({
      ...{ dataDir: join(fixture.root, "other"), preparePatienceMs: 0 },
      ...servers.options,
    });
    expect(await patient.prepared.add("python", ["nuts"], "ada")).toMatchObject({
      ok: true,
      value: { state: "working", message: expect.stringContaining("knack sandbox list") },
    });
    expect(await patient.prepared.add("node", ["oak"], "ben")).toMatchObject({ ok: false, status: 409 });
    expect(await patient.prepared.list()).toMatchObject({ sets: [], working: { what: "Python: nuts" } });
    await expect
      .poll(async () => (await patient.prepared.list()).working, { timeout: longest })
      .toBeUndefined();
    expect(await patient.prepared.list()).toMatchObject({ sets: [{ asked: ["nuts"] }], last: { ok: true } });
  });

  it("a preparation of one process is refused by another one meanwhile, which then uses what came of it", async () => {
    const processes = sharingProcesses();
    const options = { dataDir: join(fixture.root, "shared"), ...servers.options };
    const [one, two] = [
      await createSandbox({ ...options, mutex: processes.next(), preparePatienceMs: 0 }),
      await createSandbox({ ...options, mutex: processes.next() }),
    ];
    const before = await two.prepared.changes();
    await one.prepared.add("python", ["nuts"], "ada");
    expect(await two.prepared.add("node", ["oak"], "ben")).toMatchObject({
      status: 409,
      message: expect.stringContaining("by another process of this bot"),
    });
    await expect.poll(async () => (await one.prepared.list()).working, { timeout: longest }).toBeUndefined();
    expect(await two.prepared.changes()).not.toBe(before);
    expect(await two.code.means()).toMatchObject({ packages: { python: ["nuts 0.1"] } });
    await done(two.prepared.remove("python", ["nuts"], "ben"));
    expect(await one.code.means()).not.toHaveProperty("packages.python");
    await Promise.all([one.close(), two.close()]);
  });

  it("a preparation is stopped when the sandbox is closed, and nothing of it is left", async () => {
    const dataDir = join(fixture.root, "closed");
    const closing = await createSandbox({ dataDir, ...servers.options, preparePatienceMs: 0 });
    await closing.prepared.add("python", ["nuts"], "ada");
    await closing.close();
    expect(await closing.prepared.list()).toMatchObject({ sets: [], last: { ok: false } });
    expect(await readdir(join(dataDir, "prepared", "python"))).toEqual([]);
  });

  it("prepared packages for another Python are reported and not shown to code", async () => {
    await done(sandbox.prepared.add("python", ["nuts"], "ada"));
    const version = join(prepared, "python", await readFile(join(prepared, "python", "current"), "utf8"));
    const text = await readFile(join(version, "set.json"), "utf8");
    const runtime = JSON.parse(text).runtime;
    await writeFile(join(version, "set.json"), text.replace(`"runtime": "${runtime}"`, '"runtime": "3.1"'));
    sandbox = await createSandbox({ dataDir: fixture.dataDir, ...servers.options });
    const { sets } = await sandbox.prepared.list();
    expect(sets.find(({ language }) => language === "python")?.problem).toBe(
      `It was prepared for Python 3.1, and it is Python ${runtime} now: no code sees it. Prepare it again with \`knack sandbox add python\`.`,
    );
    expect(await printed("python", "import nuts")).toContain("No module named");
    expect((await sandbox.code.means()) as object).not.toHaveProperty("packages.python");
    await done(sandbox.prepared.add("python", [], "ada"));
    expect(await printed("python", "import nuts\nprint(nuts.version)")).toBe("0.1\n");
  });

  it("a skill whose list none of its code needs has nothing prepared", async () => {
    const files = {
      "requirements.txt": "nuts\n",
      "package.json": '{"dependencies":{"oak":"1"}}',
      "run.sh": "echo",
    };
    const skill = withFiles(fixture.skill(files), Object.keys(files));
    expect(await sandbox.prepared.lacks(skill)).toBeUndefined();
    expect(await sandbox.prepared.prepare(skill, "ada")).toMatchObject({ ok: false });
  });

  it("code does not see a node_modules that the skill does not know", async () => {
    const files = {
      "run.mjs": `import { readdirSync } from "node:fs";
let found = [];
try { found = readdirSync("/skill/node_modules"); } catch {}
console.log(found.length, await import("hidden").then((module) => module.default, () => "none"));`,
      "node_modules/hidden/index.js": "export default 'seen'",
      "node_modules/hidden/package.json": '{"type":"module","main":"index.js"}',
    };
    const folder = fixture.skill(files);
    const unread = withFiles(folder, ["run.mjs"]);
    expect(await sandbox.scripts.run(scriptRequest(unread, "run.mjs"))).toMatchObject({ stdout: "0 none\n" });
    const read = withFiles(folder, Object.keys(files));
    expect(await sandbox.scripts.run(scriptRequest(read, "run.mjs"))).toMatchObject({
      stdout: expect.stringContaining("seen"),
    });
  });
});
