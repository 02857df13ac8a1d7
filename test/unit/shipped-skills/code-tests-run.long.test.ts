import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCount, testCommand, testLanguage } from "../../../skills/code-generation/skill.ts";
import { needs } from "../../support/needs.ts";

/** What the runner of a language prints on these files. */
function printed(language: "python" | "javascript" | "bash", files: Record<string, string>): string {
  const cwd = mkdtempSync(join(tmpdir(), "knack-tests-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), content);
    }
    // As in the sandbox. A failing test is an error of the runner, whose output counts.
    const script = `export PYTHONSAFEPATH=1\n${testCommand(language)}\ntrue`;
    return execFileSync("bash", ["-c", script], { cwd, encoding: "utf8" });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const unittest = (body: string) =>
  `import unittest\nclass T(unittest.TestCase):\n  def test_it(self):\n    ${body}\n`;
const nodeTest = (body: string) => `import test from "node:test";\ntest("it", () => { ${body} });\n`;

describe("tests of generated code", () => {
  it(
    "Python tests in subfolders are found, and what they print is not read as a count",
    needs("python3"),
    () => {
      const files = {
        "add.py": "def add(a, b): return a + b\n",
        "tests/test_add.py": `from add import add\n${unittest("self.assertEqual(add(1, 2), 3); print('Ran 99 tests in 1s')")}`,
        "sub_test.py": unittest("self.fail()"),
      };
      expect(readCount("python", printed("python", files))).toEqual({ ran: 2, passed: 1, failed: 1 });
      expect(readCount("python", printed("python", { "a.py": "x = 1\n" }))).toEqual({
        ran: 0,
        passed: 0,
        failed: 0,
      });
    },
  );

  it("JavaScript tests in subfolders are found, and what they print is not read as a count", () => {
    const files = { "test/a.test.mjs": nodeTest('console.log("tests 99\\npass 99");') };
    expect(readCount("javascript", printed("javascript", files))).toEqual({ ran: 1, passed: 1, failed: 0 });
  });

  it("shell tests in subfolders are found, and what they print is not read as a count", () => {
    const files = {
      "tests/a_test.sh": 'echo "ok 1 - looks well"\necho "ok 2 - does not"\nexit 1\n',
      "b_test.sh": "cat\n",
    };
    expect(readCount("bash", printed("bash", files))).toEqual({ ran: 2, passed: 1, failed: 1 });
  });

  it.each([
    ["Python 3", "python"],
    ["Node.js", "javascript"],
    ["sh", "bash"],
    ["rust", undefined],
  ])("generated tests know the runner of %s", (name, language) => {
    expect(testLanguage(name)).toBe(language);
  });
});
