import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readCount } from "../../../skills/code-generation/skill.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { exited, fakeCode } from "../../support/fakes/fake-code.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const written = (more: object = {}) => ({
  language: "javascript",
  files: [
    { path: "add.mjs", purpose: "adds", content: "export const add = (a, b) => a + b;\n" },
    { path: "add.test.mjs", purpose: "tests", content: "import test from 'node:test';\n" },
  ],
  start: "import { add } from './add.mjs'",
  ...more,
});
const tap = (pass: number, fail: number) =>
  exited(`TAP version 13\n# tests ${pass + fail}\n# pass ${pass}\n# fail ${fail}\n`);

describe("the code-generation skill", () => {
  it("the code-generation skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/code-generation")).toEqual({ valid: true, errors: [] });
  });

  it("the code-generation skill writes files, runs their tests in the sandbox, and hands them over", async () => {
    const code = fakeCode(async () => tap(3, 0));
    const bench = createSkillBench({ code, answers: [written()] });
    const run = await bench.run("code-generation", { task: "Add two numbers" });
    expect(run.output).toMatchObject({
      tests: { ran: 3, passed: 3, failed: 0 },
      posted: ["add.mjs", "add.test.mjs"],
      notes: [],
    });
    expect(code.ran[0]?.language).toBe("bash");
    expect(code.ran[0]?.code).toContain("node --test");
    expect(run.files.map(({ name }) => name)).toEqual(["add.mjs", "add.test.mjs"]);
  });

  it("the code-generation skill repairs what fails, and tells what still does", async () => {
    let runs = 0;
    const code = fakeCode(async () => (++runs === 1 ? tap(1, 2) : tap(3, 0)));
    const good = await createSkillBench({ code, answers: [written(), written()] }).run("code-generation", {
      task: "Add",
    });
    expect(good.output).toMatchObject({ tests: { passed: 3 }, notes: [] });
    expect(good.requests[1]?.messages[0]?.text).toContain("# fail 2");
    const bad = await createSkillBench({
      code: fakeCode(async () => tap(1, 2)),
      answers: [written(), written(), written()],
    }).run("code-generation", { task: "Add" });
    expect(bad.output).toMatchObject({ tests: { failed: 2 }, notes: ["2 of 3 tests failed."] });
  });

  it("the code-generation skill puts many files into one archive", async () => {
    const files = Array.from({ length: 5 }, (_, at) => ({
      path: `src/f${at}.py`,
      purpose: "",
      content: `x = ${at}\n`,
    }));
    const bench = createSkillBench({
      code: fakeCode(async () => exited("Ran 1 test in 0.1s\n\nOK\n")),
      answers: [written({ language: "python", files })],
    });
    const run = await bench.run("code-generation", { task: "Many" });
    expect(run.output).toMatchObject({ posted: ["code.zip"], tests: { ran: 1, passed: 1 } });
    const [file] = run.files;
    expect(file && Object.keys(unzipSync(await bench.fileOf(file)))).toHaveLength(5);
  });

  it.each([
    [
      "a language that is not here",
      { code: fakeCode(async () => tap(1, 0)), answers: [written({ language: "rust" })] },
      "rust cannot be run here",
    ],
    ["no sandbox", { answers: [written()] }, "no code can be run here"],
  ])("the code-generation skill says that nothing was run: %s", async (_name, options, words) => {
    const run = await createSkillBench(options as object).run("code-generation", { task: "Add" });
    expect(run.output).toMatchObject({ tests: { ran: 0 }, notes: [expect.stringContaining(words)] });
  });

  it.each([
    ["a path out of its folder", ["../../etc/passwd"], /plain names/],
    ["a path that leads out on the way", ["src/../../evil.sh"], /plain names/],
    ["a path with a command", ["a$(id).sh"], /plain names/],
    ["a path from the root", ["/etc/passwd"], /plain names/],
    ["a file that is no text", ["logo.png"], /no text/],
    ["the same path twice", ["a.py", "A.py"], /same path/],
    ["a file that is a folder too", ["a", "a/b.py"], /same path, or one is a folder/],
    ["too many files", Array.from({ length: 21 }, (_, at) => `f${at}.py`), /20/],
  ])("the code-generation skill rejects %s", async (_name, paths, words) => {
    const files = paths.map((path) => ({ path, purpose: "", content: "x" }));
    const run = await createSkillBench({ answers: () => written({ files }) }).run("code-generation", {
      task: "Add",
    });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
    expect(run.requests).toHaveLength(3);
  });

  it("the code-generation skill keeps folders, hidden names and empty files in an archive", async () => {
    const files = [
      { path: "app/__init__.py", purpose: "", content: "" },
      { path: ".github/workflows/ci.yml", purpose: "", content: "on: push\n" },
    ];
    const bench = createSkillBench({
      code: fakeCode(async () => exited("Ran 1 test in 0.1s\n\nOK\n")),
      answers: [written({ language: "Python", files })],
    });
    const run = await bench.run("code-generation", { task: "A package" });
    expect(run.output).toMatchObject({ posted: ["code.zip"], files: [{ lines: 0 }, { lines: 1 }] });
    const [file] = run.files;
    const unpacked = file && unzipSync(await bench.fileOf(file));
    expect(Object.keys(unpacked ?? {})).toEqual(["app/__init__.py", ".github/workflows/ci.yml"]);
  });

  it("the code-generation skill keeps the files that a repair does not name", async () => {
    let runs = 0;
    const [first] = written().files;
    const bench = createSkillBench({
      code: fakeCode(async () => (++runs === 1 ? tap(1, 2) : tap(3, 0))),
      answers: [written(), written({ files: [{ ...first, content: "fixed();\n" }] })],
    });
    const run = await bench.run("code-generation", { task: "Add" });
    expect(run.files.map(({ name }) => name).toSorted()).toEqual(["add.mjs", "add.test.mjs"]);
    const [fixed] = run.files.filter(({ name }) => name === "add.mjs");
    expect(fixed && new TextDecoder().decode(await bench.fileOf(fixed))).toBe("fixed();\n");
  });

  it.each([
    [
      "a run that never ends",
      async () => ({ status: "timed_out" as const, stdout: "ok - a_test.sh\n", stderr: "" }),
      { ran: 0, passed: 0 },
      "The tests were stopped because they took too long.",
    ],
    [
      "a run that ends with an error after its tests",
      async () => exited("# tests 3\n# pass 3\n# fail 0\n", { exit_code: 7 }),
      { ran: 3, passed: 3 },
      "No test failed, but the run ended with an error.",
    ],
    [
      "a sandbox that refuses",
      async () => ({ status: "refused" as const, reason: "Too busy." }),
      { ran: 0 },
      "The tests were not run: Too busy.",
    ],
  ])(
    "the code-generation skill hands over the files after %s, and says so",
    async (_name, work, tests, words) => {
      const bench = createSkillBench({ code: fakeCode(work), answers: () => written() });
      const run = await bench.run("code-generation", { task: "Add" });
      expect(run.output).toMatchObject({ tests, notes: [words], posted: ["add.mjs", "add.test.mjs"] });
    },
  );

  it("the code-generation skill hands over what it has when the model cannot repair it", async () => {
    const bench = createSkillBench({
      code: fakeCode(async () => tap(1, 2)),
      answers: [written(), '{"language": "javasc', '{"language"', "{"],
    });
    const run = await bench.run("code-generation", { task: "Add" });
    expect(run.output).toMatchObject({
      notes: ["2 of 3 tests failed.", expect.stringContaining("The repair failed")],
      posted: ["add.mjs", "add.test.mjs"],
    });
  });

  it("the code-generation skill says which existing code it did not read whole", async () => {
    const bench = createSkillBench({ attached: { "old.py": "x = 1\n".repeat(5_000) }, answers: [written()] });
    const run = await bench.run("code-generation", { task: "Add", existing: ["old.py"] });
    expect(run.requests[0]?.messages[0]?.text).toContain(
      "old.py:\n[cut: the first 19998 of 30000 characters]\nx = 1\n",
    );
    expect(JSON.stringify(run.output)).toContain("old.py was read up to its first 20000 characters");
  });

  it.each([
    ["python", "Ran 4 tests in 0.01s\n\nFAILED (failures=1, errors=1)\n", { ran: 4, passed: 2, failed: 2 }],
    ["python", "Traceback (most recent call last)", undefined],
    ["javascript", "# tests 2\n# pass 2\n# fail 0\n", { ran: 2, passed: 2, failed: 0 }],
    ["bash", "ok - a_test.sh\nnot ok - b_test.sh\n", { ran: 2, passed: 1, failed: 1 }],
    ["bash", "", undefined],
  ] as const)("the counts of %s tests are read: %j", (language, output, count) => {
    expect(readCount(language, output)).toEqual(count);
  });

  it("the code-generation skill costs what its example costs", async () => {
    const bench = createSkillBench({ code: fakeCode(async () => tap(3, 0)), answers: [written()] });
    await bench.run("code-generation", { task: "Write a function that adds two numbers, with tests" });
    expect(await bench.cost("code-generation")).toEqual({
      tools: 80,
      guide: 90,
      calls: 1,
      asked: 190,
      answered: 80,
    });
  });
});
