import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeLanguage, ScriptOutcome } from "../../../../src/core/ports/work-means.ts";
import type { MountedFolder } from "../../../../src/core/ports/working-folder.ts";
import type { ScriptWork } from "../../../../src/core/skill/programs.ts";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { createDiskWorkingFolders } from "../../../../src/storage/folders/disk-working-folders.ts";
import { attached, noSignal } from "../../../support/fakes/folder-code.ts";
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
    "scripts/list.sh": "echo *\n",
    "templates/page.html": "<p>page</p>",
    "forms.md": "forms",
  };
  const open = (package_: Record<string, string> = files) => {
    threads += 1;
    folder = folders.of({ namespace: "n:w:c", thread: `t${threads}` });
    return fixture.skill(package_);
  };
  const use = async (call: string, work: (working: MountedFolder) => Promise<ScriptOutcome>) => {
    const how = { writer: { kind: "agent" as const }, turn_id: "t", call_id: call, text: call };
    const { value, changed } = await folder.use(how, work, noSignal);
    const printed = "stdout" in value ? value.stdout + value.stderr : value.reason;
    return { printed: printed.trim(), changed: changed.map(({ path }) => path) };
  };
  const run = (
    skill: Skill,
    line: string,
    call = line,
    work: ScriptWork = { kind: "command", line },
    skills: readonly Skill[] = [],
  ) =>
    use(call, (working) =>
      sandbox.scripts.run(scriptRequest(skill, "", { work, skills, working, timeout_ms: 20_000 })),
    );
  const code = (text: string, skills: readonly Skill[] = [], language: CodeLanguage = "bash") =>
    use(text, (working) => {
      const limits = { signal: noSignal, timeout_ms: 20_000, max_output_bytes: 100_000 };
      return sandbox.code.run({ language, code: text, skills, working, ...limits });
    });

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
    expect(changed).toEqual(["/workspace/own.txt"]);
    expect((await folder.list()).files.map(({ path }) => path)).toEqual(["/workspace/own.txt"]);
  });

  it("an entry of the thread goes before the skill's of that name, which stays below skills/ID", async () => {
    const skill = open();
    await code("mkdir scripts; echo mine > scripts/x.py; echo my forms > forms.md");
    const line = "cat scripts/x.py forms.md skills/probe/forms.md; tail -1 $KNACK_SKILL_DIR/scripts/x.py";
    expect((await run(skill, line)).printed).toBe("mine\nmy forms\nformsprint('x', *sys.argv[1:])");
  });

  it("code, scripts and command lines see one folder, folders included, and no file of a skill is kept in it", async () => {
    const skill = open();
    await folder.attach(attached("in.csv", "1,2"), { turn_id: "t" });
    await code("mkdir -p my-skill/d && echo name > my-skill/SKILL.md && echo d > my-skill/d/f", [skill]);
    const line =
      "cat my-skill/SKILL.md input/in.csv; cp -r my-skill copy; cd scripts && cat ../copy/d/f && pwd";
    expect((await run(skill, line)).printed).toBe("name\n1,2d\n/workspace/scripts");
    const script = await run(skill, "", "script", { kind: "script", path: "scripts/list.sh" });
    expect(script.printed).toBe("SKILL.md copy forms.md input my-skill output scripts skills templates");
    const after = await code("cat copy/d/f; python3 scripts/x.py a; cat skills/probe/forms.md", [skill]);
    expect(after.printed).toBe("d\nx a\nforms");
    const kept = ["copy/SKILL.md", "copy/d/f", "input/in.csv", "my-skill/SKILL.md", "my-skill/d/f"];
    expect((await folder.list()).files.map(({ path }) => path)).toEqual(
      kept.map((path) => `/workspace/${path}`),
    );
    expect(script.changed).toEqual([]);
  });

  it("two skills with scripts of the same name each run their own, and code the one activated last", async () => {
    const [one, two] = [open(), fixture.skill({ "scripts/x.py": "print('two')\n", "two.md": "2" })];
    const other = { ...two, id: "other" };
    expect((await run(one, "python3 scripts/x.py; cat two.md", "1", undefined, [other])).printed).toBe(
      "x\n2",
    );
    expect((await run(other, "python3 scripts/x.py; cat forms.md", "2", undefined, [one])).printed).toBe(
      "two\nforms",
    );
    const line = "python3 scripts/x.py; python3 skills/probe/scripts/x.py; python3 skills/other/scripts/x.py";
    expect((await code(line, [other, one])).printed).toBe("two\nx\ntwo");
  });

  it("a command line in code finds the modules beside a guide's script, as scripts in a package do; other code does not", async () => {
    const skill = open({
      "scripts/__init__.py": "",
      "scripts/pack.py": "from office import helper\n",
      "scripts/office/__init__.py": "",
      "scripts/office/helper.py": "print('h')",
    });
    const line =
      "python3 scripts/pack.py && cd scripts && python3 -u pack.py && python3 -m scripts.office.helper";
    expect((await run(skill, line)).printed).toBe("h\nh\nh");
    expect((await code(line, [skill])).printed).toBe("h\nh\nh");
    await code("mkdir mine; echo 'import beside' > mine/x.py; touch mine/beside.py");
    expect((await code("python3 mine/x.py", [skill])).printed).toContain("ModuleNotFoundError");
    expect((await code("from office import helper", [skill], "python")).printed).toContain(
      "ModuleNotFoundError",
    );
  });

  it.each([
    ["writing", "echo x > scripts/x.py", "Read-only file system"],
    ["adding", "touch templates/new", "Read-only file system"],
    ["writing a file beside the guide", "echo x > forms.md", "Read-only file system"],
    ["writing below skills/ID", "echo x > skills/probe/forms.md", "Read-only file system"],
    ["making a skill", "mkdir skills/mine", "Read-only file system"],
    ["removing", "rm -r templates", "Read-only file system"],
    ["moving", "mv templates t", "busy"],
    ["changing rights", "chmod 777 scripts/x.py $KNACK_SKILL_DIR", "Read-only file system"],
  ])("%s a skill's files is refused, in words, by command lines and code", async (_what, line, words) => {
    const skill = open();
    for (const { printed } of [await run(skill, line), await code(line, [skill])])
      expect(printed).toContain(words);
    expect((await run(skill, "cat scripts/lib.sh forms.md templates/page.html", "after")).printed).toBe(
      "echo lib\nforms<p>page</p>",
    );
  });

  it("links that code put in the place of a skill's entries lead nobody out", async () => {
    const skill = open();
    const secret = join(fixture.root, "secret.txt");
    writeFileSync(secret, "TOP-SECRET");
    await code(
      `ln -s ${fixture.root} scripts; ln -s ${secret} forms.md; ln -s /etc templates; ln -s ${secret} s`,
    );
    const line =
      "cat scripts/secret.txt forms.md s; cat templates/hostname; bash $KNACK_SKILL_DIR/scripts/lib.sh";
    const { printed } = await run(skill, line);
    expect(printed).not.toContain("TOP-SECRET");
    expect(printed).toMatch(/^lib\n/);
    expect(readFileSync(secret, "utf8")).toBe("TOP-SECRET");
  });

  it("a link in a skill's folder shows nothing of the machine", async () => {
    const skill = open();
    writeFileSync(join(fixture.root, "secret.txt"), "TOP-SECRET");
    symlinkSync(fixture.root, join(skill.origin.path, "out"));
    symlinkSync("forms.md", join(skill.origin.path, "alias.md"));
    expect((await run(skill, "cat alias.md out/secret.txt")).printed).toMatch(/^formscat: out\/secret.txt/);
  });

  it("what a skill of this thread no longer has, or a skill that is put away, is gone", async () => {
    const skill = open();
    await run(skill, "ls", "first");
    const newer = fixture.skill({ "SKILL.md": "A guide.", "tools/y.sh": "echo y\n" });
    expect((await run(newer, "ls -1 --hide=output; bash tools/y.sh", "second")).printed).toBe(
      ["SKILL.md", "input", "skills", "tools", "y"].join("\n"),
    );
    expect((await code("ls; mkdir scripts; echo mine > SKILL.md")).printed).toBe("input\noutput\nskills");
    expect((await code("ls")).printed).toBe("SKILL.md\ninput\noutput\nscripts\nskills");
  });
});
