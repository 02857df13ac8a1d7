import type { CodeLanguage } from "../../src/core/code.ts";

/** What a test runner counted. */
export interface TestCount {
  ran: number;
  passed: number;
  failed: number;
}

/** How tests are started in the folder of the files; undefined where there is no runner for the language. */
export function testCommand(language: string): string | undefined {
  const commands: Partial<Record<CodeLanguage, string>> = {
    python: "python3 -m unittest discover -v -p '*test*.py' 2>&1",
    javascript: "node --test --test-reporter=tap 2>&1",
    bash: 'for file in *test*.sh; do if bash "$file"; then echo "ok - $file"; else echo "not ok - $file"; fi; done 2>&1',
  };
  return commands[language as CodeLanguage];
}

/** Reads the counts a runner printed; undefined when it printed none. */
export function readCount(language: string, output: string): TestCount | undefined {
  if (language === "python") return unittestCount(output);
  if (language === "javascript") return tapCount(output) ?? okCount(output);
  return okCount(output);
}

/** https://docs.python.org/3/library/unittest.html: `Ran 3 tests in 0.001s`, `FAILED (failures=1, errors=1)`. */
function unittestCount(output: string): TestCount | undefined {
  const ran = Number(/^Ran (\d+) tests? in /m.exec(output)?.[1] ?? Number.NaN);
  if (Number.isNaN(ran)) return undefined;
  const summary = /^FAILED \((.*)\)$/m.exec(output)?.[1] ?? "";
  const count = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(summary)?.[1] ?? 0);
  const failed = Math.min(ran, count("failures") + count("errors"));
  return { ran, passed: ran - failed, failed };
}

/** https://nodejs.org/api/test.html#test-reporters: `# tests 3`, `# pass 2`, `# fail 1`. */
function tapCount(output: string): TestCount | undefined {
  const count = (name: string) =>
    Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(output)?.[1] ?? Number.NaN);
  const [ran, passed, failed] = [count("tests"), count("pass"), count("fail")];
  if (ran === undefined || Number.isNaN(ran)) return undefined;
  return { ran, passed: passed ?? 0, failed: failed ?? 0 };
}

function okCount(output: string): TestCount | undefined {
  const passed = output.match(/^ok\b/gm)?.length ?? 0;
  const failed = output.match(/^not ok\b/gm)?.length ?? 0;
  return passed + failed === 0 ? undefined : { ran: passed + failed, passed, failed };
}
