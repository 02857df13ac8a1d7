import { pattern } from "../../src/base/pattern.ts";
import { type CodeLanguage, codeLanguages } from "../../src/core/ports/work-context.ts";

/** What a test runner counted. */
export interface TestCount {
  ran: number;
  passed: number;
  failed: number;
}

const names: Readonly<Record<CodeLanguage, RegExp>> = {
  python: /^(python ?3?|py)$/i,
  javascript: /^(javascript|js|node(\.?js)?)$/i,
  bash: /^(bash|sh|shell)$/i,
};

/** The language whose runner tests what is written in this one; undefined where there is none. */
export function testLanguage(name: string): CodeLanguage | undefined {
  return codeLanguages.find((language) => names[language].test(name.trim()));
}

/** How tests are started in the folder of the files, those in folders of it included. */
export function testCommand(language: CodeLanguage): string {
  const commands: Record<CodeLanguage, string> = {
    // The sandbox keeps the folder out of where Python imports from.
    python: `find . -name 'test_*.py' -print0 -o -name '*_test.py' -print0 | sort -z | PYTHONPATH=".\${PYTHONPATH:+:$PYTHONPATH}" xargs -0 python3 -m unittest -v 2>&1`,
    javascript: "node --test --test-reporter=tap 2>&1",
    // What a test prints is set in, so that it counts as no result.
    bash: `set -o pipefail
find . -name '*test*.sh' | sort | while read -r file; do
  if bash "$file" </dev/null 2>&1 | sed 's/^/    /'; then echo "ok - $file"; else echo "not ok - $file"; fi
done`,
  };
  return commands[language];
}

/** Reads the counts a runner printed at its end; undefined when it printed none. */
export function readCount(language: CodeLanguage, output: string): TestCount | undefined {
  if (language === "python") return unittestCount(output);
  return language === "javascript" ? tapCount(output) : okCount(output);
}

/** The last one: what is tested prints too, before the runner does. */
function lastMatch(pattern: RegExp, output: string): string | undefined {
  return [...output.matchAll(pattern)].at(-1)?.[1];
}

/** https://docs.python.org/3/library/unittest.html: `Ran 3 tests in 0.001s`, `FAILED (failures=1, errors=1)`. */
function unittestCount(output: string): TestCount | undefined {
  const ran = Number(lastMatch(/^Ran (\d+) tests? in /gm, output) ?? Number.NaN);
  if (Number.isNaN(ran)) return undefined;
  const summary = lastMatch(/^FAILED \((.*)\)$/gm, output) ?? "";
  const count = (name: string) => Number(pattern()`${name}=(\d+)`.exec(summary)?.[1] ?? 0);
  const failed = Math.min(ran, count("failures") + count("errors"));
  return { ran, passed: ran - failed, failed };
}

/** https://nodejs.org/api/test.html#test-reporters: `# tests 3`, `# pass 2`, `# fail 1`. */
function tapCount(output: string): TestCount | undefined {
  const count = (name: string) => Number(lastMatch(pattern("gm")`^# ${name} (\d+)$`, output) ?? Number.NaN);
  const [ran, passed, failed] = [count("tests"), count("pass"), count("fail")];
  if (ran === undefined || Number.isNaN(ran)) return undefined;
  return { ran, passed: passed ?? 0, failed: failed ?? 0 };
}

function okCount(output: string): TestCount | undefined {
  const passed = output.match(/^ok\b/gm)?.length ?? 0;
  const failed = output.match(/^not ok\b/gm)?.length ?? 0;
  return passed + failed === 0 ? undefined : { ran: passed + failed, passed, failed };
}
