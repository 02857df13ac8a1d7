import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { type ScriptedModel, scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { needs } from "../../support/needs.ts";
import { createTestApp, type TestAppOptions } from "../../support/test-app.ts";
import { sourceOf, temporaryFolder } from "./temporary-folder.ts";

const dataDir = mkdtempSync(join(tmpdir(), "knack-scripts-"));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ dataDir });
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const head = "name: probe\ndescription: Probes";
const env = "import os, sys\nfor name in sys.argv[1:]: print(name, os.environ.get(name))";

/** An app whose one skill has these files, and whose model calls its tools in turn, each in a round of its own. */
function setUp(
  files: Record<string, string>,
  calls: readonly { call: string; with: Record<string, unknown> }[],
  {
    frontmatter = head,
    body = "Body",
    inactive,
    ...more
  }: TestAppOptions & { frontmatter?: string; body?: string; inactive?: true } = {},
) {
  const root = temporaryFolder({
    "probe/SKILL.md": `---\n${frontmatter}\nactive: ${inactive !== true}\n---\n${body}\n`,
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`probe/${name}`, text])),
  });
  const model = scriptedModel([
    ...calls.map((call) => [{ ...call, with: { skill_name: "probe", ...call.with } }]),
    "Done.",
  ]);
  // Bundled, so that the tests say the same where only processes are to be had.
  const sources = [sourceOf(root, { source: "bundled" })];
  return { app: createTestApp(model, { sources, scripts: sandbox.scripts, ...more }), model };
}

const run = (script: string, args: readonly string[] = [], stdin = "") => ({
  call: "run_skill_script",
  with: { script, args, stdin },
});

const results = (model: ScriptedModel) => toolResults(model.requests.at(-1)?.messages ?? []);

test(
  "entry points in Python, JavaScript and shell run by their names, with arguments and input",
  needs("python3"),
  async () => {
    const files = {
      "scripts/a.py": "import sys; print('python', *sys.argv[1:], sys.stdin.read())",
      "scripts/b.js": "console.log('node', ...process.argv.slice(2), require('fs').readFileSync(0, 'utf8'))",
      "scripts/c.sh": 'echo bash "$@" "$(cat)"',
    };
    const names = ["python", "node", "bash"];
    const { app, model } = setUp(
      files,
      names.map((name) => run(name, ["a b", "c"], "in")),
      {
        frontmatter: `${head}\nentry_points: {python: scripts/a.py, node: scripts/b.js, bash: scripts/c.sh}`,
      },
    );
    await app.ask("go");
    expect(results(model).map((text) => text.trim())).toEqual(names.map((name) => `${name} a b c in`));
  },
);

test(
  "the folder of the skill can be written as the guide writes it, in paths and in arguments",
  needs("python3"),
  async () => {
    const files = {
      "scripts/show.py": "import sys; print(open(sys.argv[1]).read())",
      "data/x.txt": "from the folder",
    };
    const { app, model } = setUp(
      files,
      [
        run("$KNACK_SKILL_DIR/scripts/show.py", ["$KNACK_SKILL_DIR/data/x.txt"]),
        run("{baseDir}/scripts/show.py", ["{baseDir}/data/x.txt"]),
        { call: "read_skill_file", with: { file_path: "$KNACK_SKILL_DIR/data/x.txt" } },
      ],
      { body: "Run `python3 {baseDir}/scripts/show.py {baseDir}/data/x.txt`." },
    );
    await app.ask("go");
    expect(model.requests[0]?.system).toContain(
      "python3 $KNACK_SKILL_DIR/scripts/show.py $KNACK_SKILL_DIR/data",
    );
    expect(results(model).map((text) => text.trim())).toEqual(Array(3).fill("from the folder"));
  },
);

test("the result of activation says how the guide works here", async () => {
  const { app, model } = setUp({ "x.sh": "echo x" }, [{ call: "activate_skill", with: {} }], {
    inactive: true,
  });
  await app.ask("go");
  expect(results(model)[0]).toContain("Body\n\nHow this guide works here:\n- read_skill_file");
});

test(
  "a script knows who asks and where, and the operator's settings for the skill cannot change that",
  needs("python3"),
  async () => {
    const names = [
      "TOKEN",
      "UNDECLARED",
      "KNACK_USER_ID",
      "KNACK_THREAD_ID",
      "KNACK_PERMISSIONS",
      "KNACK_SKILL_ID",
    ];
    const linx = ["LINX_AGENT_ID", "LINX_USER_ID", "LINX_SESSION_ID"];
    const skillEnv = {
      probe: { TOKEN: "t", UNDECLARED: "u", LINX_USER_ID: "mallory", KNACK_PERMISSIONS: "all" },
    };
    const { app, model } = setUp({ "env.py": env }, [run("env.py", [...names, ...linx])], {
      frontmatter: `${head}\nrequires: {env: [TOKEN, LINX_USER_ID, KNACK_PERMISSIONS]}`,
      skillEnv,
    });
    await app.ask("go");
    expect(results(model)[0]?.trim().split("\n")).toEqual([
      ...[
        "TOKEN t",
        "UNDECLARED None",
        "KNACK_USER_ID ada",
        "KNACK_THREAD_ID t1",
        "KNACK_PERMISSIONS operator",
      ],
      ...["KNACK_SKILL_ID probe", "LINX_AGENT_ID chat", "LINX_USER_ID ada", "LINX_SESSION_ID t1"],
    ]);
  },
);

test("files that a script leaves come with the answer", async () => {
  const script =
    'mkdir -p "$KNACK_OUTPUT_DIR/charts" && echo a,b > "$KNACK_OUTPUT_DIR/charts/sales.csv" && echo made';
  const { app, model } = setUp({ "make.sh": script }, [run("make.sh")]);
  const { turnId, events } = await app.ask("go");
  expect(results(model)[0]).toMatch(
    /^made\n+\[files the person gets with your answer: \/workspace\/output\/charts\/sales.csv \(4 B\)\]$/,
  );
  const file = events.find((event) => event.type === "file");
  expect(file).toMatchObject({ media_type: "text/csv", bytes: 4 });
  const stored = await app.files.get(turnId, file?.type === "file" ? file.name : "");
  expect(Buffer.from(stored?.data ?? []).toString()).toBe("a,b\n");
});

test(
  "a script that is given $KNACK_OUTPUT_DIR in an argument, with or without braces, leaves its file there",
  needs("bubblewrap", "python3"),
  async () => {
    const script = "import sys; open(sys.argv[1], 'w').write('noted')";
    const { app } = setUp({ "write.py": script }, [
      run("write.py", ["$KNACK_OUTPUT_DIR/plain.txt"]),
      run("write.py", [`\${KNACK_OUTPUT_DIR}/braced.txt`]),
    ]);
    const { events } = await app.ask("go");
    expect(events.filter((event) => event.type === "file")).toMatchObject([
      { name: "plain.txt", bytes: 5 },
      { name: "braced.txt", bytes: 5 },
    ]);
  },
);

test(
  "a successful script's error output is reported and named, or its end where it is long",
  needs("bubblewrap", "python3"),
  async () => {
    const { app, model } = setUp(
      { "pipe.sh": "ls /missing | sort; seq 10000 >&2; echo done; echo last >&2" },
      [run("pipe.sh")],
    );
    await app.ask("go");
    expect(results(model)[0]).toMatch(/^done\n\[error output: \[cut: the last \d+ of \d+ characters\]\n/);
    expect(results(model)[0]).toMatch(/10000\nlast\]$/);
    expect(results(model)[0]?.length).toBeLessThan(2_200);
  },
);

test(
  "a Python script finds the modules of its skill from the skill's folder",
  needs("bubblewrap", "python3"),
  async () => {
    const files = {
      "scripts/main.py":
        "from scripts.helpers.text import shout\nimport lib.numbers\nprint(shout(lib.numbers.two))",
      "scripts/helpers/text.py": "def shout(value): return f'{value}!'",
      "lib/numbers.py": "two = 2",
    };
    const frontmatter = `${head}\nallowed-tools: Bash`;
    const calls = [
      run("scripts/main.py"),
      { call: "run_skill_script", with: { command: "python3 $KNACK_SKILL_DIR/scripts/main.py" } },
    ];
    const { app, model } = setUp(files, calls, { frontmatter });
    await app.ask("go");
    expect(results(model).map((text) => text.trim())).toEqual(["2!", "2!"]);
  },
);

test("a guide says where its commands work, what is kept there, and what the person gets", async () => {
  const frontmatter = `${head}\nallowed-tools: Bash`;
  const { app, model } = setUp({}, [{ call: "activate_skill", with: {} }], { frontmatter, inactive: true });
  await app.ask("go");
  expect(results(model)[0]).toMatch(
    /share \/workspace, which keeps its files\..* unless the thread has an entry of that name: \/workspace\/skills\/probe has them always\..* output \(\$KNACK_OUTPUT_DIR\) the person gets/,
  );
});

test(
  "a command line of the guide runs as scripts do: variables, folder, arguments and files",
  needs("bubblewrap"),
  async () => {
    const skillEnv = { probe: { TOKEN: "t" } };
    const frontmatter = `${head}\nmetadata: {openclaw: {always: true, requires: {bins: [sort], env: [TOKEN]}}}`;
    const line =
      'echo "$TOKEN $1" | cat - "{baseDir}/data.txt" | sort > "$KNACK_OUTPUT_DIR/all.txt"; cat "$KNACK_OUTPUT_DIR/all.txt"';
    const { app, model } = setUp(
      { "data.txt": "a\nz\n" },
      [{ call: "run_skill_script", with: { command: line, args: ["one"] } }],
      { frontmatter, skillEnv },
    );
    const { events } = await app.ask("go");
    expect(results(model)[0]).toMatch(/^a\nt one\nz\n/);
    expect(events.find((event) => event.type === "file")).toMatchObject({ name: "all.txt" });
  },
);

test("a command line never runs where only processes isolate code, if the skill did not ship", async () => {
  const weak = await createSandbox({ dataDir, bwrap: "no-such-bwrap" });
  expect(weak.describe()).toMatchObject({ isolation: "process" });
  const frontmatter = `${head}\nallowed-tools: Bash`;
  const calls = [{ call: "run_skill_script", with: { command: "echo hi" } }, run("x.sh")];
  const { app, model } = setUp({ "x.sh": "echo hi" }, calls, { frontmatter, scripts: weak.scripts });
  await app.ask("go");
  expect(results(model)[0]).toContain("Command lines run with bubblewrap only");
  expect(results(model)[1]?.trim()).toBe("hi");
});

test(
  "a guide that names no programs has command lines too, and a call names one thing to run",
  needs("bubblewrap"),
  async () => {
    const { app, model } = setUp({ "x.sh": "echo x" }, [
      { call: "run_skill_script", with: { command: "echo hi" } },
      { call: "run_skill_script", with: { command: "echo hi", script: "x.sh" } },
      { call: "run_skill_script", with: {} },
    ]);
    await app.ask("go");
    expect(results(model)[0]).toContain("hi");
    expect(results(model)[1]).toContain("Give either script or command.");
    expect(results(model)[2]).toContain("Give either script or command.");
  },
);

test("a script has the time limit its skill sets", async () => {
  const frontmatter = `${head}\nmax_execution_seconds: 0.3`;
  const { app, model } = setUp({ "hang.sh": "while true; do :; done" }, [run("hang.sh")], { frontmatter });
  await app.ask("go");
  expect(results(model)[0]).toContain("hang.sh was stopped: it took longer than 0.3 s");
});

test("output beyond the limit is cut and marked", needs("python3"), async () => {
  const script = "print('x' * 3_000_000)";
  const { app } = setUp({ "talk.py": script }, [run("talk.py")]);
  const { events } = await app.ask("go");
  const finished = events.find((event) => event.type === "tool_finished");
  const output = String(finished?.type === "tool_finished" ? finished.output : "");
  expect(output.length).toBeLessThan(1_100_000);
  expect(output).toMatch(/^\[cut: the program printed more than is kept; /);
});

test(
  "a script that fails reports its error, and the variables it was not given",
  needs("python3"),
  async () => {
    const { app, model } = setUp({ "fail.py": "import sys; sys.exit('no key')" }, [run("fail.py")], {
      frontmatter: `${head}\nmetadata: {openclaw: {primaryEnv: API_KEY}}`,
    });
    await app.ask("go");
    expect(results(model)[0]).toContain("fail.py ended with 1: no key");
    expect(results(model)[0]).toContain("API_KEY, which an operator gives it under skills.env.probe");
  },
);

test.each([
  ["fail.py", "import yaml_of_nobody, sys", "`knack sandbox add python yaml_of_nobody`"],
  ["fail.py", "raise ModuleNotFoundError(\"No module named 'PIL'\")", "`knack sandbox add python pillow`"],
  ["fail.mjs", 'import "@nobody/thing/part";', "`knack sandbox add node @nobody/thing`"],
])(
  "a script that lacks a module is answered with the operator's command (%s: %s)",
  needs("python3"),
  async (name, text, command) => {
    const { app, model } = setUp({ [name]: text }, [run(name)], { frontmatter: head });
    await app.ask("go");
    expect(results(model)[0]).toContain(command);
  },
);

test.each([
  ["a traceback of Python", "fail.py", "import subprocess\nsubprocess.run(['nobodys-office', 'x'])"],
  [
    "an error of Node",
    "fail.mjs",
    "import {execFileSync} from 'node:child_process'; execFileSync('nobodys-office')",
  ],
  ["bash", "fail.sh", "nobodys-office --headless"],
  ["bash, and the script goes on", "fail.sh", "nobodys-office --headless | cat"],
  ["sh", "fail.sh", "sh -c 'nobodys-office x'"],
  ["env", "fail.sh", "env nobodys-office"],
  ["timeout", "fail.sh", "timeout 9 nobodys-office"],
])(
  "a script that lacks a program is answered with what an operator can do (%s)",
  needs("python3"),
  async (_, name, text) => {
    const { app, model } = setUp({ [name]: text }, [run(name)], { frontmatter: head });
    await app.ask("go");
    expect(results(model)[0]).toContain(
      "an operator can install the program nobodys-office on the bot's machine",
    );
  },
);

test.each([
  ["a file that is missing", "fail.py", "open('nobodys-office')"],
  ["a folder that is missing", "fail.py", "import subprocess; subprocess.run(['true'], cwd='/no/office')"],
  ["a text that was not found", "fail.sh", "echo 'HTTP 404: office: not found' >&2; exit 1"],
])("nobody is told to install what is no program (%s)", needs("python3"), async (_, name, text) => {
  const { app, model } = setUp({ [name]: text }, [run(name)], { frontmatter: head });
  await app.ask("go");
  expect(results(model)[0]).toMatch(/not found|No such file/);
  expect(results(model)[0]).not.toContain("install the program");
});

test("a script outside the skill, or that it does not have, is not run, and the entry points are named", async () => {
  const frontmatter = `${head}\nentry_points: {forecast: f.py}`;
  const scripts = ["../other/x.py", "/etc/passwd", "missing.py", "constructor"];
  const { app, model } = setUp(
    { "f.py": "print(1)" },
    scripts.map((script) => run(script)),
    { frontmatter },
  );
  await app.ask("go");
  expect(results(model)).toEqual(
    scripts.map(() => expect.stringMatching(/"code":\s*"refused"[\s\S]*Its entry points: forecast\./)),
  );
});
