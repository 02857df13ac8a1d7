import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../../src/sandbox/create-sandbox.ts";
import { needs } from "../../../support/needs.ts";
import { ScriptFixture } from "../script-fixture.ts";

describe("what a skill imports and nothing provides", needs("bubblewrap", "python3"), () => {
  const fixture = new ScriptFixture();
  let sandbox: Sandbox;
  beforeAll(async () => {
    const none = "http://127.0.0.1:9/";
    const packages = { pythonIndex: none, npmRegistry: none, hosts: [], maxBytes: 0, maxMs: 0 };
    sandbox = await createSandbox({ dataDir: fixture.dataDir, packages });
  });
  afterAll(() => fixture[Symbol.dispose]());

  const missing = (files: Record<string, string>) => {
    const skill = fixture.skill(files);
    const paths = Object.keys(files).map((path) => ({ path, bytes: 0 }));
    return sandbox.prepared.missingImports({
      ...skill,
      hash: JSON.stringify(files),
      files: { list: async () => paths, read: async () => ({ ok: false, message: "" }) },
    });
  };

  it.each([
    [
      "a package that is not there",
      { "a.py": "import nobody_has_this.part as x\nfrom nor_this import y\n" },
      ["nobody_has_this", "nor_this"],
    ],
    ["Python's own modules", { "a.py": "import json, os.path\nfrom collections import abc\n" }, []],
    [
      "modules of the skill",
      {
        "scripts/a.py": "import helper\nfrom lib.core import x\n",
        "scripts/helper.py": "",
        "lib/core.py": "",
      },
      [],
    ],
    [
      "what it can do without",
      { "a.py": "try:\n  import nobody_has_this\nexcept ImportError:\n  pass\n" },
      [],
    ],
    ["what only one function needs", { "a.py": "def f():\n  import nobody_has_this\n" }, []],
    [
      "a file that is no Python",
      { "a.py": "import (", "b.py": "import nobody_has_this\n" },
      ["nobody_has_this"],
    ],
    [
      "a file that would do something",
      { "a.py": "import nobody_has_this\nraise SystemExit('ran')\n" },
      ["nobody_has_this"],
    ],
    ["no Python at all", { "a.sh": "import nobody_has_this" }, []],
  ])("%s", async (_what, files, names) => {
    expect(await missing(files)).toEqual(names);
  });
});
