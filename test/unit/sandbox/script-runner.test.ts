import { chmodSync, existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptRunner } from "../../../src/core/skill/programs.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { runToEnd, ScriptFixture, scriptRequest } from "./script-fixture.ts";

/** Whether any process on the machine has this text in its command line. */
async function isRunning(text: string): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return commands.some((command) => command.includes(text));
}

const withBubblewrap = { isolation: "bubblewrap", bwrap: "/usr/bin/bwrap" };
const withProcesses = { isolation: "process", bwrap: "/nowhere/bwrap" };
describe("a script runner with bubblewrap", needs("bubblewrap", "python3"), () =>
  runsScripts(withBubblewrap),
);
describe("a script runner with processes alone", needs("python3"), () => runsScripts(withProcesses));

function runsScripts({ isolation, bwrap }: typeof withBubblewrap): void {
  const fixture = new ScriptFixture();
  const skillOf = (files: Record<string, string>) => fixture.skill(files, "bundled");
  let sandbox: Sandbox;
  let runner: ScriptRunner;

  beforeAll(async () => {
    sandbox = await createSandbox({ dataDir: fixture.dataDir, bwrap });
    runner = sandbox.scripts;
  });
  afterAll(() => fixture[Symbol.dispose]());

  it("the script runner says what isolation is in force", () => {
    expect(sandbox.describe()).toMatchObject({ isolation });
  });

  it("the script runner passes arguments and input, and answers output, errors and exit code", async () => {
    const skill = skillOf({
      "scripts/echo.py":
        "import sys\nprint(sys.argv[1:], sys.stdin.read())\nprint('oops', file=sys.stderr)\nsys.exit(3)",
    });
    const request = scriptRequest(skill, "scripts/echo.py", {
      args: ["a b", "$(id)", "--x"],
      stdin: "grüße",
    });
    expect(await runner.run(request)).toEqual({
      status: "exited",
      exit_code: 3,
      stdout: "['a b', '$(id)', '--x'] grüße\n",
      stderr: "oops\n",
      truncated: false,
    });
  });

  it("the script runner runs an executable with a shebang, and refuses a file without one", async () => {
    const skill = skillOf({
      tool: "#!/usr/bin/env -S python3 -I\nprint('shebang')",
      "data.txt": "hello",
      foreign: "#!/usr/bin/perl6x\n",
    });
    expect(await runner.run(scriptRequest(skill, "tool"))).toMatchObject({ status: "refused" });
    for (const name of ["tool", "foreign"]) chmodSync(join(skill.origin.path, name), 0o755);
    expect((await runToEnd(runner, scriptRequest(skill, "tool"))).stdout).toBe("shebang\n");
    expect(await runner.run(scriptRequest(skill, "data.txt"))).toMatchObject({
      status: "refused",
      reason: expect.stringContaining(".py, .js, .mjs, .cjs or .sh"),
    });
    expect(await runner.run(scriptRequest(skill, "foreign"))).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("/usr/bin/perl6x"),
    });
  });

  it("the script runner runs a skill whose files only their owner can read", async () => {
    const skill = skillOf({
      "private.sh": "cat data/notes.txt 2>/dev/null || cat $KNACK_SKILL_DIR/data/notes.txt",
      "data/notes.txt": "notes",
    });
    chmodSync(join(skill.origin.path, "data/notes.txt"), 0o600);
    chmodSync(join(skill.origin.path, "private.sh"), 0o600);
    expect((await runToEnd(runner, scriptRequest(skill, "private.sh"))).stdout).toBe("notes");
  });

  it("the script runner kills an endless loop at its time limit and keeps what it wrote", async () => {
    const skill = skillOf({ "loop.py": "print('begun', flush=True)\nwhile True: pass" });
    const outcome = await runner.run(scriptRequest(skill, "loop.py", { timeout_ms: 2_000 }));
    expect(outcome).toEqual({ status: "timed_out", stdout: "begun\n", stderr: "" });
  });

  it("the script runner removes what killed bots left of their runs at the next start, and no run of its own", async () => {
    const runs = join(fixture.dataDir, "workspaces");
    const left = ["run-AbC123", "run-00ff00ff00ff-AbC123"].map((name) => join(runs, name));
    for (const folder of left) {
      await mkdir(join(folder, "workspace"), { recursive: true });
      await writeFile(join(folder, "workspace", "large"), "x");
    }
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const running = runner.run(
      scriptRequest(skillOf({ "stay.sh": "echo began; sleep 60" }), "stay.sh", {
        ...{ signal: controller.signal, timeout_ms: 60_000, onLine: () => begin() },
      }),
    );
    await began;
    await createSandbox({ dataDir: fixture.dataDir, bwrap });
    expect(left.filter(existsSync)).toEqual([]);
    expect(await readdir(runs)).toHaveLength(1);
    controller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
  });

  it("the script runner leaves no grandchild behind when aborted", async () => {
    const marker = `9${Date.now()}.${isolation.length}`;
    const skill = skillOf({ "family.sh": `sleep ${marker} & sleep ${marker} & echo up; wait` });
    const controller = new AbortController();
    const running = runner.run(
      scriptRequest(skill, "family.sh", {
        signal: controller.signal,
        onLine: () => controller.abort(new Error("stopped by a person")),
      }),
    );
    await expect(running).rejects.toThrow("stopped by a person");
    expect(await isRunning(marker)).toBe(false);
    expect(await readdir(join(fixture.dataDir, "workspaces"))).toEqual([]);
  });

  it("the script runner does not wait for what a finished script left running", async () => {
    const marker = `8${Date.now()}.${isolation.length}`;
    const skill = skillOf({ "daemon.sh": `sleep ${marker} & echo left` });
    expect((await runToEnd(runner, scriptRequest(skill, "daemon.sh"))).stdout).toBe("left\n");
    expect(await isRunning(marker)).toBe(false);
  });
}

describe("a script runner with any isolation", needs("python3"), () => {
  const fixture = new ScriptFixture();
  const skillOf = (files: Record<string, string>) => fixture.skill(files, "bundled");
  let runner: ScriptRunner;

  beforeAll(async () => {
    runner = (await createSandbox({ dataDir: fixture.dataDir, bwrap: withProcesses.bwrap })).scripts;
  });
  afterAll(() => fixture[Symbol.dispose]());

  it.each([
    ["run.js", "console.log(require('node:path').basename('/a/js'))", "js"],
    ["run.mjs", "import { basename } from 'node:path'; console.log(basename('/a/mjs'))", "mjs"],
    ["run.cjs", "console.log(require('node:path').basename('/a/cjs'))", "cjs"],
    ["run.sh", "[[ a == a ]] && echo bash", "bash"],
    [
      "lines.sh",
      '#!/bin/bash\r\nset -e\r\nif [ -z "$1" ]; then\r\n  echo "$(basename "$BASH_SOURCE"):$#:$(cat)" | od -An -c | tr -d " "\r\nfi\r\n',
      "lines.sh:0:\\n",
    ],
  ])("the script runner runs %s with the interpreter of its extension", async (name, text, expected) => {
    expect((await runToEnd(runner, scriptRequest(skillOf({ [name]: text }), name))).stdout.trim()).toBe(
      expected,
    );
  });

  it("the script runner finds a script by its path in any spelling", async () => {
    const skill = skillOf({ "scripts/gro\u0308\u00dfe.sh": "echo found" });
    for (const path of [
      "scripts\\gr\u00f6\u00dfe.sh",
      "scripts/gro\u0308\u00dfe.sh",
      "./scripts/gr\u00f6\u00dfe.sh",
    ])
      expect((await runToEnd(runner, scriptRequest(skill, path))).stdout).toBe("found\n");
    expect(await runner.run(scriptRequest(skill, "scripts\\..\\..\\x.sh"))).toMatchObject({
      status: "refused",
    });
  });

  it("the script runner hands on lines as they arrive", async () => {
    const lines: string[] = [];
    const skill = skillOf({ "lines.py": "print('one'); print('zwölf'); print('end', end='')" });
    await runToEnd(runner, scriptRequest(skill, "lines.py", { onLine: (line) => lines.push(line) }));
    expect(lines).toEqual(["one", "zwölf", "end"]);
  });

  it("the script runner cuts 5 MB of output at the limit and says so", async () => {
    const skill = skillOf({ "spam.sh": "head -c 5000000 /dev/zero | tr '\\0' 'x'; echo done >&2" });
    const outcome = await runToEnd(runner, scriptRequest(skill, "spam.sh", { max_output_bytes: 1_000 }));
    expect(outcome).toMatchObject({ exit_code: 0, truncated: true, stderr: "done\n" });
    expect(outcome.stdout).toBe("x".repeat(1_000));
  });

  it("the script runner stops what prints 100 MB, keeps the output up to the limit and says so", async () => {
    const skill = skillOf({ "spam.sh": "echo odd >&2; head -c 100000000 /dev/zero; echo done >&2" });
    const outcome = await runToEnd(runner, scriptRequest(skill, "spam.sh", { max_output_bytes: 1_000 }));
    expect(outcome).toMatchObject({ truncated: true, stdout: "\0".repeat(1_000) });
    expect(outcome.stderr).toMatch(/^odd\nIt printed more than 8 MB and was stopped/);
    expect(outcome.exit_code).not.toBe(0);
  });

  it("the script runner cuts between characters, not within one", async () => {
    const skill = skillOf({ "umlauts.py": "print('ä' * 100)" });
    const outcome = await runToEnd(runner, scriptRequest(skill, "umlauts.py", { max_output_bytes: 5 }));
    expect(outcome.stdout).toBe("ää");
  });

  it("the script runner refuses what cannot be passed to a process", async () => {
    const skill = skillOf({ "a.sh": "true" });
    for (const changes of [{ args: ["a\0b"] }, { env: { "A=B": "x" } }, { args: ["x".repeat(3_000_000)] }]) {
      expect(await runner.run(scriptRequest(skill, "a.sh", changes))).toMatchObject({ status: "refused" });
    }
  });

  it("the script runner survives a script that does not read its input", async () => {
    const skill = skillOf({ "deaf.sh": "exit 0" });
    const outcome = await runToEnd(runner, scriptRequest(skill, "deaf.sh", { stdin: "x".repeat(1_000_000) }));
    expect(outcome.exit_code).toBe(0);
  });
});

describe("a script runner without bubblewrap", () => {
  it("a script runner without bubblewrap refuses scripts that did not ship with the bot, and says why [sandbox-9]", async () => {
    using fixture = new ScriptFixture();
    const { scripts: runner } = await createSandbox({ dataDir: fixture.dataDir, bwrap: "/nowhere/bwrap" });
    const skill = fixture.skill({ "a.sh": "echo ran" }, "managed");
    const reason = expect.stringMatching(
      /bubblewrap, which is not installed.*name it in skills\.execution\.allow_weak/s,
    );
    expect(await runner.allows(skill)).toEqual({ ok: false, reason });
    expect(await runner.run(scriptRequest(skill, "a.sh"))).toEqual({ status: "refused", reason });
    expect(await runner.allows(fixture.skill({}, "bundled"))).toEqual({ ok: true });
  });

  it("a script runner without bubblewrap gives bundled scripts a cleared environment and a temporary workspace", async () => {
    using fixture = new ScriptFixture();
    const { scripts: runner } = await createSandbox({ dataDir: fixture.dataDir, bwrap: "/nowhere/bwrap" });
    const skill = fixture.skill({ "env.sh": "env; echo data > file; pwd" }, "bundled");
    const { stdout } = await runToEnd(runner, scriptRequest(skill, "env.sh", { env: { DECLARED: "1" } }));
    const names = stdout.match(/^[A-Z_]+(?==)/gm) ?? [];
    const own = [
      "DECLARED",
      "HOME",
      "KNACK_OUTPUT_DIR",
      "KNACK_SKILL_DIR",
      "KNACK_WORKSPACE",
      "LANG",
      "PATH",
      "PYTHONDONTWRITEBYTECODE",
      "PYTHONPATH",
      "PYTHONSAFEPATH",
      "PYTHONUNBUFFERED",
      "TMPDIR",
    ];
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name)).sort()).toEqual(own);
    expect(existsSync(stdout.trim().split("\n").at(-1) ?? "")).toBe(false);
  });

  it("a script runner without bubblewrap is used when bubblewrap exists and does not work", async () => {
    using fixture = new ScriptFixture();
    const sandbox = await createSandbox({ dataDir: fixture.dataDir, bwrap: "/usr/bin/false" });
    expect(sandbox.describe()).toEqual({
      isolation: "process",
      detail: expect.stringContaining("does not work here"),
      lacks: {
        problem: expect.stringContaining("does not work here"),
        cure: expect.stringContaining("docs/container.md"),
      },
    });
  });
});
