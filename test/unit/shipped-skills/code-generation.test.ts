import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { readCount } from "../../../skills/code-generation/test-results.ts";
import { validatePackage } from "../../../src/skills/validate-package.ts";
import { exited, fakeCode } from "../../support/fake-code.ts";
import { createSkillBench } from "../../support/skill-bench.ts";

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
  it("is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/code-generation")).toEqual({ valid: true, errors: [] });
  });

  it("writes files, runs their tests in the sandbox, and hands them over", async () => {
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

  it("repairs what fails, and tells what still does", async () => {
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

  it("puts many files into one archive", async () => {
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
    ["no sandbox", { answers: [written()] }, "No code can be run here"],
  ])("says that nothing was run for %s", async (_name, options, words) => {
    const run = await createSkillBench(options as object).run("code-generation", { task: "Add" });
    expect(run.output).toMatchObject({ tests: { ran: 0 }, notes: [expect.stringContaining(words)] });
  });

  it("takes no path out of its folder", async () => {
    const files = [{ path: "../../etc/passwd", purpose: "", content: "x" }];
    const run = await createSkillBench({
      answers: [written({ files }), written({ files }), written({ files })],
    }).run("code-generation", { task: "Add" });
    expect(run.status).toBe("error");
  });

  it.each([
    ["python", "Ran 4 tests in 0.01s\n\nFAILED (failures=1, errors=1)\n", { ran: 4, passed: 2, failed: 2 }],
    ["python", "Traceback (most recent call last)", undefined],
    ["javascript", "# tests 2\n# pass 2\n# fail 0\n", { ran: 2, passed: 2, failed: 0 }],
    ["bash", "ok - a_test.sh\nnot ok - b_test.sh\n", { ran: 2, passed: 1, failed: 1 }],
    ["bash", "", undefined],
  ])("reads the counts of %s tests: %j", (language, output, count) => {
    expect(readCount(language, output)).toEqual(count);
  });

  it("costs what its example costs", async () => {
    const bench = createSkillBench({ code: fakeCode(async () => tap(3, 0)), answers: [written()] });
    await bench.run("code-generation", { task: "Write a function that adds two numbers, with tests" });
    expect(await bench.cost("code-generation")).toEqual({
      tools: 150,
      guide: 90,
      calls: 1,
      asked: 190,
      answered: 80,
    });
  });
});
