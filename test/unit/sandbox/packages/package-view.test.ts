import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { createDiskWorkingFolders } from "../../../../src/storage/folders/disk-working-folders.ts";
import { noSignal } from "../../../support/fakes/folder-code.ts";
import { needs } from "../../../support/needs.ts";
import { ScriptFixture, scriptRequest } from "../script-fixture.ts";

/** What a guide's command line finds of its package in the working folder. */
describe("a guide's own command lines", needs("bubblewrap"), () => {
  const fixture = new ScriptFixture();
  const data = mkdtempSync(join(tmpdir(), "knack-view-"));
  const folders = createDiskWorkingFolders(data, { maxBytes: 50_000_000 });
  let sandbox: Sandbox;
  let threads = 0;
  let folder = folders.of({ namespace: "n:w:c", thread: "t" });

  beforeAll(async () => {
    sandbox = await createSandbox({ dataDir: fixture.dataDir });
  });
  afterAll(() => {
    fixture[Symbol.dispose]();
    rmSync(data, { recursive: true, force: true });
  });

  const files = {
    "SKILL.md": "A guide.",
    "scripts/x.py": "import sys\nprint('x', *sys.argv[1:])\n",
    "scripts/lib.sh": "echo lib\n",
    "templates/page.html": "<p>page</p>",
    "forms.md": "forms",
  };
  const open = (package_: Record<string, string> = files) => {
    threads += 1;
    folder = folders.of({ namespace: "n:w:c", thread: `t${threads}` });
    return fixture.skill(package_);
  };
  const run = async (skill: ReturnType<typeof open>, line: string, call = line) => {
    const how = { writer: { kind: "agent" as const }, turn_id: "t", call_id: call, text: line };
    const { value, changed } = await folder.use(
      how,
      (working) =>
        sandbox.scripts.run(
          scriptRequest(skill, "", { work: { kind: "command", line }, working, timeout_ms: 20_000 }),
        ),
      noSignal,
    );
    const printed = "stdout" in value ? value.stdout + value.stderr : value.reason;
    return { printed: printed.trim(), changed: changed.map(({ path }) => path) };
  };

  it.each([
    ["a script by its path", "python3 scripts/x.py a b", "x a b"],
    ["a pipe", "python3 scripts/x.py a | tr a z", "x z"],
    [
      "a chain that changes the folder",
      "cd templates && cat page.html && bash ../scripts/lib.sh",
      "<p>page</p>lib",
    ],
    ["a script as an argument of another", "bash -c 'python3 $1' _ scripts/x.py", "x"],
    [
      "a template that is copied and changed",
      "cp templates/page.html p && sed -i s/page/mine/ p && cat p",
      "<p>mine</p>",
    ],
    ["a file beside the guide", "cat forms.md ./SKILL.md", "formsA guide."],
  ])("%s works as the guide says it", async (_what, line, printed) => {
    expect((await run(open(), line)).printed).toBe(printed);
  });

  it("the package is read-only, and no file of it counts as made", async () => {
    const skill = open();
    const { printed, changed } = await run(skill, "echo own > own.txt; echo x > scripts/x.py; ls");
    expect(printed).toContain("Read-only file system");
    expect(changed).toEqual(["/workspace/skills/probe/own.txt"]);
    expect((await folder.list()).files.map(({ path }) => path)).toEqual(["/workspace/skills/probe/own.txt"]);
  });

  it("what a skill wrote itself stays under its name", async () => {
    const skill = open();
    await run(skill, "rm scripts && mkdir scripts && echo mine > scripts/x.py", "first");
    expect((await run(skill, "cat scripts/x.py forms.md", "second")).printed).toBe("mine\nforms");
  });

  it("what a newer version of the package no longer has is gone", async () => {
    await run(open(), "ls", "first");
    const newer = fixture.skill({ "SKILL.md": "A guide.", "tools/y.sh": "echo y\n" });
    expect((await run(newer, "ls -1 --hide=output; bash tools/y.sh", "second")).printed).toBe(
      ["SKILL.md", "input", "tools", "y"].join("\n"),
    );
  });
});
