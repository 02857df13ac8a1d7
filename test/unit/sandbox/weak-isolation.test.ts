import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProgramError } from "../../../src/core/skill/programs.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { startProgram, writeModule } from "./program-fixture.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

const look = `import { readFileSync, writeFileSync, readdirSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { Worker } from "node:worker_threads";
const attempt = (action) => { try { return action() ?? "done"; } catch (error) { return error.code; } };
const skill = process.env.KNACK_SKILL_DIR;
console.log(JSON.stringify({
  own: attempt(() => readFileSync(skill + "/notes.txt", "utf8")),
  database: attempt(() => readFileSync(process.env.DATABASE, "utf8")),
  environment: attempt(() => readFileSync("/proc/" + process.ppid + "/environ", "utf8")),
  passwd: attempt(() => readFileSync("/etc/passwd", "utf8").length),
  workspace: attempt(() => writeFileSync("file", "x")),
  skill: attempt(() => writeFileSync(skill + "/file", "x")),
  child: attempt(() => spawnSync("/bin/id").status),
  worker: attempt(() => new Worker("1", { eval: true }) && "started"),
}));`;

const held = {
  own: "notes",
  database: "ERR_ACCESS_DENIED",
  environment: "ERR_ACCESS_DENIED",
  passwd: "ERR_ACCESS_DENIED",
  workspace: "done",
  skill: "ERR_ACCESS_DENIED",
  child: "ERR_ACCESS_DENIED",
  worker: "ERR_ACCESS_DENIED",
};

describe("a sandbox without bubblewrap", () => {
  const fixture = new ScriptFixture();
  const files = { "look.mjs": look, "notes.txt": "notes", "run.sh": "echo ran" };
  const skill = fixture.skill(files);
  const database = join(fixture.dataDir, "tokens.db");
  const env = { DATABASE: database, NODE_OPTIONS: "--allow-child-process" };
  let strict: Sandbox;
  let lenient: Sandbox;
  beforeAll(async () => {
    mkdirSync(fixture.dataDir);
    writeFileSync(database, "TOP-SECRET");
    const options = { dataDir: fixture.dataDir, bwrap: "/nowhere/bwrap" };
    strict = await createSandbox({ ...options, allowWeak: ["another"] });
    lenient = await createSandbox({ ...options, allowWeak: ["probe"] });
  });
  afterAll(() => fixture[Symbol.dispose]());

  it("a sandbox without bubblewrap refuses code that did not ship, and names what to do and what to set", async () => {
    const lacks = strict.describe().lacks;
    expect(lacks?.problem).toContain("not installed");
    const reason = `${lacks?.problem} ${lacks?.cure} An operator who trusts probe can name it in skills.execution.allow_weak.`;
    expect(await strict.programs.allows(skill)).toEqual({ ok: false, reason });
    expect(await strict.programs.allows(skill)).toEqual({ ok: false, reason });
    expect(await strict.scripts.run(scriptRequest(skill, "run.sh"))).toEqual({ status: "refused", reason });
    const module = writeModule(fixture.root, { "program.mjs": "" });
    await expect(startProgram(strict.programs, { skill, module })).rejects.toThrow(ProgramError);
  });

  it("a sandbox without bubblewrap runs what the operator named, and says what confines it and what does not", async () => {
    expect(await lenient.programs.allows(skill)).toEqual({ ok: true, unconfined: true });
    expect((await runToEnd(lenient.scripts, scriptRequest(skill, "run.sh"))).stdout).toBe("ran\n");
    const { isolation, detail } = lenient.describe();
    expect(isolation).toBe("process");
    for (const said of ["probe", "can read what the bot can", "network is open"])
      expect(detail).toContain(said);
    expect(strict.describe().detail).not.toContain("probe");
  });

  it("a sandbox without bubblewrap keeps a skill's Node code to its own files and without other programs", async () => {
    const { stdout } = await runToEnd(lenient.scripts, scriptRequest(skill, "look.mjs", { env }));
    expect(JSON.parse(stdout)).toEqual(held);
    const module = writeModule(fixture.root, { "look.mjs": look });
    const program = await startProgram(lenient.programs, { skill, module, env });
    expect(await program.next()).toEqual(held);
    await program.ended;
  });

  it("a sandbox without bubblewrap finds programs on the bot's PATH, wherever they really are", async () => {
    const folder = join(fixture.root, "homebrew");
    mkdirSync(folder);
    writeFileSync(join(folder, "python3"), '#!/bin/sh\necho "$(command -v python3) $1"\n', { mode: 0o755 });
    const shipped = fixture.skill({ "run.py": "print('of the system')" }, "bundled");
    const options = { dataDir: fixture.dataDir, bwrap: "/nowhere/bwrap" };
    const sandbox = await createSandbox({ ...options, searchPath: [folder] });
    const { stdout } = await runToEnd(sandbox.scripts, scriptRequest(shipped, "run.py"));
    expect(stdout).toMatch(new RegExp(`^${folder}/python3 .*/run\\.py\n$`));
  });

  it("a sandbox with bubblewrap says that nothing weaker is in force", needs("bubblewrap"), async () => {
    const sandbox = await createSandbox({ dataDir: fixture.dataDir, allowWeak: ["probe"] });
    expect(sandbox.describe().isolation).toBe("bubblewrap");
    expect(sandbox.describe().detail).not.toContain("probe");
  });
});
