import { describe, expect, it } from "vitest";
import type { CodeRequest } from "../../../src/core/skill/programs.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { exited, fakeCode, means } from "../../support/fakes/fake-code.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const plan = {
  language: "python",
  steps: ["read orders.csv", "sum the amounts"],
  checks: ["the rows are three"],
};
const program = { code: "print('rows 3\\ntotal 60')" };
const result = { result: "The total is 60.", checks: [{ what: "the rows are three", ok: true }] };
const printing = (...outputs: { code?: number; text: string }[]) => {
  let at = 0;
  return fakeCode(async (_request: CodeRequest) => {
    const { code = 0, text } = outputs[Math.min(at++, outputs.length - 1)] ?? { text: "" };
    return exited(code === 0 ? text : "", { exit_code: code, stderr: code === 0 ? "" : text });
  });
};
const orders = { "orders.csv": "id,amount\n1,10\n2,20\n3,30\n" };

describe("the code-execution skill", () => {
  it("the code-execution skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/code-execution")).toEqual({ valid: true, errors: [] });
  });

  it("the code-execution skill plans, runs and checks, and hands over the program", async () => {
    const code = printing({ text: "rows 3\ntotal 60" });
    const bench = createSkillBench({ code, attached: orders, answers: [plan, program, result] });
    const run = await bench.run("code-execution", { task: "Sum the amounts", files: ["orders.csv"] });
    expect(run.output).toMatchObject({
      ok: true,
      runs: 1,
      result: "The total is 60.",
      program: "program.py",
      output: "rows 3\ntotal 60",
      notes: [],
    });
    expect(run.steps).toEqual(["skill_code-execution", "plan", "write", "run", "check"]);
    expect(run.requests[0]?.messages[0]?.text).toContain("id,amount");
    expect(code.ran[0]).toMatchObject({ language: "python", code: program.code });
    expect(run.files.map(({ name }) => name)).toEqual(["program.py"]);
  });

  it("the code-execution skill repairs what failed with its error, in three runs at most", async () => {
    const once = createSkillBench({
      code: printing({ code: 1, text: "KeyError: amount" }, { text: "total 60" }),
      answers: [plan, program, program, result],
    });
    const repaired = await once.run("code-execution", { task: "Sum" });
    expect(repaired.output).toMatchObject({ ok: true, runs: 2 });
    expect(repaired.requests[2]?.messages[0]?.text).toContain("KeyError: amount");
    const never = createSkillBench({
      code: printing({ code: 1, text: "boom" }),
      answers: [plan, program, program, program],
    });
    expect((await never.run("code-execution", { task: "Sum" })).output).toMatchObject({
      ok: false,
      runs: 3,
      result: "The program failed 3 times.",
    });
  });

  it("the code-execution skill says what of the answer the program did not print, and which check failed", async () => {
    const lie = { result: "The total is 99.", checks: [{ what: "the rows are three", ok: false }] };
    const bench = createSkillBench({ code: printing({ text: "total 60" }), answers: [plan, program, lie] });
    expect((await bench.run("code-execution", { task: "Sum" })).output).toMatchObject({
      ok: false,
      notes: [expect.stringContaining("99")],
    });
  });

  it.each([
    ["that the model leaves out", { result: "The total is 60.", checks: [] }],
    ["that the model makes up", { result: "The total is 60.", checks: [{ what: "all is well", ok: false }] }],
  ])("the code-execution skill lets no check pass %s", async (_name, told) => {
    const bench = createSkillBench({ code: printing({ text: "total 60" }), answers: [plan, program, told] });
    expect((await bench.run("code-execution", { task: "Sum" })).output).toMatchObject({
      ok: false,
      checks: [{ what: "the rows are three", ok: false }],
    });
  });

  it("the code-execution skill plans for the available languages, and says when one is not the wanted one", async () => {
    const code = fakeCode(async () => exited("total 60"), { ok: true, ...means, languages: ["bash"] });
    const bench = createSkillBench({
      code,
      answers: [plan, { ...plan, language: "bash" }, program, result],
    });
    const run = await bench.run("code-execution", { task: "Sum", language: "python" });
    expect(code.ran[0]?.language).toBe("bash");
    expect(run.output).toMatchObject({
      program: "program.sh",
      notes: ["There is no python here, so it is written in bash."],
    });
  });

  it("the code-execution skill works on a file that cannot be shown, and reports a program's error output", async () => {
    const bench = createSkillBench({
      code: fakeCode(async () => exited("total 60", { stderr: "divide by zero" })),
      attached: { "data.bin": new Uint8Array([0, 1, 2, 3]) },
      answers: [plan, program, result],
    });
    const run = await bench.run("code-execution", { task: "Sum", files: ["data.bin"] });
    expect(run.requests[0]?.messages[0]?.text).toContain("data.bin cannot be read");
    expect(run.output).toMatchObject({ ok: true, output: "divide by zero\ntotal 60" });
  });

  it("the code-execution skill says that a part of a long output is missing", async () => {
    const bench = createSkillBench({
      code: fakeCode(async () => exited("total 60\n".repeat(100_000), { truncated: true })),
      answers: [plan, program, result],
    });
    const { output } = await bench.run("code-execution", { task: "Sum" });
    expect(output).toMatchObject({ notes: [expect.stringContaining("a part of it is missing")] });
    expect(JSON.stringify(output).length).toBeLessThan(20_000);
  });

  it.each([
    ["repair it", { code: 1, text: "boom" }, "The repair failed", "The program failed once."],
    ["check it", { text: "total 60" }, "The output was not checked", ""],
  ])(
    "the code-execution skill hands over what ran when the model cannot %s",
    async (_name, ran, words, told) => {
      const bench = createSkillBench({
        code: printing(ran),
        answers: [plan, program, '{"res', '{"res', '{"res'],
      });
      const run = await bench.run("code-execution", { task: "Sum" });
      expect(run.output).toMatchObject({
        ok: false,
        result: told,
        output: expect.stringContaining(ran.text),
        notes: [expect.stringContaining(words)],
      });
      expect(run.files.map(({ name }) => name)).toEqual(["program.py"]);
    },
  );

  it.each([
    ["without a sandbox", { answers: [] }, /needs a sandbox.*knack doctor/],
    [
      "with a sandbox that refuses",
      { code: fakeCode(async () => ({ status: "refused", reason: "Too busy." })), answers: [plan, program] },
      /Too busy/,
    ],
  ])("the code-execution skill fails plainly %s", async (_name, options, words) => {
    const run = await createSkillBench(options as object).run("code-execution", { task: "Sum" });
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the code-execution skill asks before code that reaches hosts runs with strangers' text", async () => {
    const code = fakeCode(async () => exited("total 60"), { ok: true, ...means, hosts: ["api.example.com"] });
    const bench = createSkillBench({ code, answers: [plan, program, result] });
    await bench.run("text-analyzer", { text: "hello" });
    const run = await bench.run("code-execution", { task: "Sum" });
    expect(run.asked.map(({ tool }) => tool)).toContain("run_code");
  });

  it("the code-execution skill costs what its example costs", async () => {
    const bench = createSkillBench({
      code: printing({ text: "rows 3\ntotal 60" }),
      attached: orders,
      answers: [plan, program, result],
    });
    await bench.run("code-execution", { task: "Sum the amounts", files: ["orders.csv"] });
    expect(await bench.cost("code-execution")).toEqual({
      tools: 110,
      guide: 100,
      calls: 3,
      asked: 490,
      answered: 60,
    });
  });
});
