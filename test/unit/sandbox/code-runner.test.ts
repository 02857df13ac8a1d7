import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeLanguage, ScriptOutcome } from "../../../src/core/ports/work-means.ts";
import type { CallOfCode, CodeRunner } from "../../../src/core/skill/programs.ts";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../support/needs.ts";
import { temporaryFolders } from "../../support/temporary-folders.ts";

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "knack-code-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const place = { namespace: "console:local:general", thread: "t1" };

/** Code in the folder of a thread, as a model's call runs it. */
async function run(
  code: CodeRunner,
  language: CodeLanguage,
  text: string,
  {
    folders = temporaryFolders(),
    timeout_ms = 20_000,
    onCall,
  }: { folders?: ReturnType<typeof temporaryFolders>; timeout_ms?: number; onCall?: CallOfCode } = {},
): Promise<ScriptOutcome> {
  const { signal } = new AbortController();
  const how = { writer: { kind: "agent" as const }, turn_id: "turn", call_id: text.slice(0, 50), text };
  const { value } = await folders.of(place).use(
    how,
    (working) =>
      code.run({
        language,
        code: text,
        working,
        signal,
        timeout_ms,
        max_output_bytes: 100_000,
        ...(onCall && { onCall }),
      }),
    signal,
  );
  return value;
}

describe("code of a model", needs("bubblewrap", "python3"), () => {
  let code: CodeRunner;
  beforeAll(async () => {
    code = (await createSandbox({ dataDir })).code;
  });

  it.each([
    ["python", "import os, sys\nprint(os.getcwd(), sys.version_info >= (3,))", "/workspace True"],
    [
      "javascript",
      "import { cwd } from 'node:process';\nconsole.log(cwd(), await Promise.resolve(1));",
      "/workspace 1",
    ],
    ["bash", 'echo "$PWD $KNACK_OUTPUT_DIR"', "/workspace /workspace/output"],
  ] as const)("code of a model runs in %s, in the folder of the thread", async (language, text, printed) => {
    expect(await code.means()).toMatchObject({ ok: true, languages: ["python", "javascript", "bash"] });
    expect(await run(code, language, text)).toMatchObject({ exit_code: 0, stdout: `${printed}\n` });
  });

  it("code of a model finds what an earlier run left, and cannot change what people attached", async () => {
    const folders = temporaryFolders();
    const data = new TextEncoder().encode("theirs");
    await folders.of(place).attach({ name: "a.txt", media_type: "text/plain", data }, { turn_id: "turn" });
    await run(code, "bash", "mkdir -p kept && echo ours > kept/b.txt", { folders });
    const later = await run(code, "python", 'print(open("kept/b.txt").read(), open("input/a.txt").read())', {
      folders,
    });
    expect(later).toMatchObject({ exit_code: 0, stdout: "ours\n theirs\n" });
    const changed = await run(code, "bash", "echo mine > input/a.txt; rm -f input/a.txt; cat input/a.txt", {
      folders,
    });
    expect(changed).toMatchObject({ stdout: "theirs", stderr: expect.stringContaining("Read-only") });
  });

  it("code of a model reaches no network, and not the bot's environment", async () => {
    const tried = await run(
      code,
      "python",
      'import os, socket\nprint(sorted(name for name in os.environ if "KEY" in name or "TOKEN" in name))\nsocket.create_connection(("1.1.1.1", 80), 2)',
    );
    expect(tried).toMatchObject({
      exit_code: 1,
      stdout: "[]\n",
      stderr: expect.stringContaining("unreachable"),
    });
  });

  it("code of a model is stopped when its time is up, with what it printed", async () => {
    const late = await run(code, "bash", "echo begun; sleep 60", { timeout_ms: 3_000 });
    expect(late).toMatchObject({ status: "timed_out", stdout: "begun\n" });
  });

  it.each([
    [
      "python",
      [
        "from knack_tools import call, ToolError",
        'print(sum(len(call("lookup", part=part)["log"]) for part in (1, 2)))',
        'try:\n    call("nothing")\nexcept ToolError as error:\n    print(error)',
      ].join("\n"),
    ],
    [
      "javascript",
      [
        'import { call } from "./knack-tools.mjs";',
        'const found = await Promise.all([1, 2].map((part) => call("lookup", { part })));',
        "console.log(found[0].log.length + found[1].log.length);",
        'await call("nothing").catch((error) => console.log(error.message));',
      ].join("\n"),
    ],
  ] as const)(
    "code of a model calls tools from %s and computes on what they return",
    async (language, text) => {
      const onCall: CallOfCode = async (tool, input) => {
        if (tool !== "lookup") throw new Error(`There is no tool ${tool}.`);
        return { log: "é".repeat(100_000 * Number((input as { part: number }).part)) };
      };
      const outcome = await run(code, language, text, { onCall });
      expect(outcome).toMatchObject({ stdout: "300000\nThere is no tool nothing.\n", exit_code: 0 });
    },
  );

  it("code of a model gets a reason for a call that is none, and has no way to call without an answerer", async () => {
    const raw = [
      "import os, socket",
      "line = socket.socket(socket.AF_UNIX)",
      'line.connect(os.environ.get("KNACK_CALLS", "/opt/calls"))',
      'line.sendall(b"nonsense\\n")',
      "print(line.recv(1000).decode())",
    ].join("\n");
    const answered = await run(code, "python", raw, { onCall: async () => "called" });
    expect(answered).toMatchObject({ stdout: '{"error":"A call is {tool, input} in JSON."}\n' });
    const without = await run(code, "python", raw);
    expect(without).toMatchObject({ exit_code: 1, stderr: expect.stringContaining("No such file") });
  });

  it("code of a model imports nothing from the folder [sandbox-8]", async () => {
    const folders = temporaryFolders();
    await run(
      code,
      "bash",
      "echo 'raise SystemExit(\"planted\")' | tee json.py sitecustomize.py > usercustomize.py",
      { folders },
    );
    expect(await run(code, "python", "import json\nprint(json.dumps(1))", { folders })).toMatchObject({
      stdout: "1\n",
    });
    expect(await run(code, "bash", "python3 -c 'import json; print(2)'", { folders })).toMatchObject({
      stdout: "2\n",
    });
  });
});

describe("without bubblewrap", () => {
  it("code of a model does not run without bubblewrap, whatever an operator allows skills [sandbox-9]", async () => {
    const { code } = await createSandbox({
      dataDir,
      bwrap: "/nonexistent/bwrap",
      allowWeak: ["run_code", ""],
    });
    expect(await code.means()).toMatchObject({ ok: false, reason: expect.stringMatching(/bubblewrap/i) });
    expect(await run(code, "bash", "echo ran")).toMatchObject({ status: "refused" });
  });
});
