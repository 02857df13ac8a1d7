/** The table of promises (docs/security-promises.md) and the tests that prove them: neither may have what the other does not. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listedInvariants } from "../support/invariants.ts";

/** A test file and its text. */
type TestFile = readonly [path: string, text: string];

/** The ids at the end of the names of tests and suites: `it("an answer is short [answer-1, answer-2]", …)`. */
function idsIn(text: string): string[] {
  const names = /\(\s*(["'`])(?:(?!\1)[^\\]|\\.)* \[((?:[a-z]+-\d+(?:, )?)+)\]\1,/g;
  return [...text.matchAll(names)].flatMap(([, , ids = ""]) => ids.split(", "));
}

/** What is wrong with a table of promises, for the tests that there are. Tests name invariants of the code, too. */
function problems(
  table: string,
  tests: readonly TestFile[],
  invariants: ReadonlySet<string> = new Set(),
): string[] {
  const named = new Map(tests.map(([path, text]) => [path, new Set(idsIn(text))]));
  const rows = [...table.matchAll(/^\| ([^ |]+) \| ([^|]+) \| ([^|]*)\|$/gm)].slice(1);
  const ids = new Set(rows.map(([, id]) => id));
  const found = rows.flatMap(([, id = "", , cell = ""], at) => {
    const files = [...cell.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => inRepository(file));
    return [
      ...(rows.findIndex(([, other]) => other === id) < at ? [`${id} is there twice`] : []),
      ...(files.length === 0 ? [`${id} has no test`] : []),
      ...files.filter((file) => !named.get(file)?.has(id)).map((file) => `${file} does not name ${id}`),
    ];
  });
  const unknown = [...named].flatMap(([path, inside]) =>
    [...inside]
      .filter((id) => !ids.has(id) && !invariants.has(id))
      .map((id) => `${path} names ${id}, which no promise has`),
  );
  return [...found, ...unknown];
}

const inRepository = (file: string) => (/^(test|\.ci)\//.test(file) ? file : `test/unit/${file}`);

describe("the table of promises", () => {
  it("the table of promises has a test for each promise, and a promise for each id in a test", () => {
    const files = [...globSync("test/**/*.ts"), ...globSync(".ci/*.test.ts")].filter(
      (file) => file !== "test/unit/promises.test.ts",
    );
    const table = readFileSync("docs/security-promises.md", "utf8");
    expect(table.match(/^\| [a-z]+-\d+ \|/gm)?.length).toBeGreaterThan(60);
    expect(
      problems(
        table,
        files.map((file) => [file, readFileSync(file, "utf8")]),
        new Set(listedInvariants().keys()),
      ),
    ).toEqual([]);
  });

  it("the check of promises reports what is missing, unknown or there twice", () => {
    const head = "| id | promise | tests |\n|---|---|---|\n";
    const rows = [
      "| lock-1 | It locks. | `lock.test.ts` |",
      "| lock-2 | It opens. | `lock.test.ts`, `gone.test.ts` |",
      "| lock-2 | It opens again. | `lock.test.ts` |",
      "| lock-3 | It does not rust. | |",
    ];
    const test = 'it("a lock locks [lock-1]", f);\nit.each([["x"]])(\n  "it\'s %s [lock-2, lock-9]",\n  f);';
    expect(problems(head + rows.join("\n"), [["test/unit/lock.test.ts", test]])).toEqual([
      "test/unit/gone.test.ts does not name lock-2",
      "lock-2 is there twice",
      "lock-3 has no test",
      "test/unit/lock.test.ts names lock-9, which no promise has",
    ]);
    expect(idsIn('const text = "no name [lock-1]";\nit("a key [see lock-1] fits", f);')).toEqual([]);
  });
});

describe("the pages about security", () => {
  it("security in detail has at most 2,500 words", () => {
    const page = "docs/security-details.md";
    expect(existsSync(page)).toBe(true);
    expect(readFileSync(page, "utf8").split(/\s+/).length).toBeLessThanOrEqual(2_500);
  });
});
